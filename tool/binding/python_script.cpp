#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "tool/base/text.h"
#include "tool/binding/emit.h"
#include "tool/binding/literal.h"
#include "tool/binding/places.h"
#include "tool/binding/python_golden.h"
#include "tool/binding/snippets.h"
#include "tool/contract/collective.h"
#include "tool/contract/dtype.h"
#include "tool/contract/expression.h"

// scripts/torch_test_<op>.py. Its text, in Chinese, is the snippet torch_test.py; here are the
// values.

namespace shmem_bind::binding {
namespace {

using contract::Contract;
using contract::Dimension;
using contract::Tensor;

std::string python_dimension(const Dimension& dimension) {
  const contract::Naming name = [](const std::string& text) {
    return text == "n_pes" || text == "pe" ? text : fmt::format("symbols[\"{}\"]", text);
  };
  const contract::Naming tensor = [](const std::string& text) { return text; };
  switch (dimension.kind) {
    case Dimension::Kind::kSymbol:
      return name(dimension.symbol);
    case Dimension::Kind::kExpression:
      return to_python(*dimension.expression, name, tensor);
    default:
      return "symbols.get(\"?\", 3)";  // unconstrained: any size will do
  }
}

std::string python_shapes(const Contract& contract, bool outputs) {
  std::string out = "    return {\n";
  for (const Tensor& t : contract.tensors) {
    if (outputs ? !t.is_output || t.is_input : !t.is_input) {  // in place: an input
      continue;
    }
    std::vector<std::string> sizes;
    for (const Dimension& dimension : t.shape) {
      sizes.push_back(python_dimension(dimension));
    }
    out += fmt::format("        \"{}\": [{}],\n", t.name, joined(sizes, ", "));
  }
  return out + "    }";
}

// {"input": None}: the dispatch type; otherwise torch's name of the fixed one. A tensor that is
// read and written stands in both lists.
std::string python_types(const Contract& contract, bool outputs) {
  std::vector<std::string> entries;
  for (const Tensor& t : contract.tensors) {
    if (outputs ? t.is_output : t.is_input) {
      entries.push_back(fmt::format(
          "\"{}\": {}",
          t.name,
          t.follows_dispatch ? "None" : fmt::format("\"{}\"", contract::row(t.dtype).python)));
    }
  }
  return "{" + joined(entries, ", ") + "}";
}

std::string python_dtypes(const Contract& contract) {
  std::vector<std::string> entries;
  for (const contract::Dtype dtype : contract.dispatch) {
    entries.push_back(
        fmt::format("\"{}\": \"{}\"", contract::row(dtype).dsl, contract::row(dtype).python));
  }
  if (entries.empty()) {
    entries.emplace_back("\"fixed\": \"uint8\"");
  }
  return "{" + joined(entries, ", ") + "}";
}

std::string python_cases(const Contract& contract) {
  std::string out = "{\n";
  for (const contract::Case& item : contract.cases) {
    std::vector<std::string> symbols;
    for (const auto& [name, value] : item.symbols) {
      symbols.push_back(fmt::format("\"{}\": {}", name, value));
    }
    for (const auto& [name, literal] : item.attributes) {
      symbols.push_back(fmt::format("\"{}\": {}", name, python_literal(literal)));
    }
    out += fmt::format("    \"{}\": {{{}}},\n", item.name, joined(symbols, ", "));
  }
  return out + "}";
}

// Of the attributes: the first declared case's value stands in for a default that is missing.
std::string python_attributes(const Contract& contract) {
  std::vector<std::string> entries;
  for (const contract::Attribute& attribute : contract.attributes) {
    const std::string& literal = attribute.default_text.empty()
                                     ? contract.cases[0].attributes.at(attribute.name)
                                     : attribute.default_text;
    entries.push_back(fmt::format("\"{}\": {}", attribute.name, python_literal(literal)));
  }
  return "{" + joined(entries, ", ") + "}";
}

std::string python_names(const Contract& contract, bool (*is_meant)(const Tensor&)) {
  std::vector<std::string> names;
  for (const Tensor& t : contract.tensors) {
    if (is_meant(t)) {
      names.push_back("\"" + t.name + "\"");
    }
  }
  return "[" + joined(names, ", ") + "]";
}

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string_view line : split_lines(text)) {
    out += line.empty() ? "\n" : "    " + std::string(line) + "\n";
  }
  return out.empty() ? out : out.substr(0, out.size() - 1);
}

// What the contract gives as code, its names kept apart from the test's own.
std::string python_contract_code(const contract::Golden& golden) {
  std::string body;
  if (golden.kind == contract::Golden::Kind::kCollective) {
    return "";
  }
  if (golden.kind == contract::Golden::Kind::kDocument) {
    body = golden.python + "\nreturn locals()";
  } else {
    body = fmt::format(
        "import importlib.util\n\n"
        "spec = importlib.util.spec_from_file_location(\"contract_golden\", HERE.parent / \"{}\")\n"
        "module = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(module)\n"
        "return vars(module)",
        golden.file);
  }
  return "def contract_code():\n    \"\"\"契约自带的代码。\"\"\"\n" + indented(body) + "\n\n\n";
}

std::string python_golden(const Contract& contract, const contract::Golden& golden) {
  if (golden.kind != contract::Golden::Kind::kCollective) {
    return indented(
        fmt::format("return contract_code()[\"{}\"](pe, n_pes, inputs, attrs)", golden.function));
  }
  return indented(collective_code(contract).golden);
}

// Where the test finds what it imports and the libraries, by build mode.
struct LibraryPlaces {
  std::string root;     // the statements that name the folder everything is found from
  std::string imports;  // the folder of the modules that all operators' tests share
  std::string folders;  // searched before LD_LIBRARY_PATH
  std::string build;    // what makes the libraries
  std::string preload;  // statements in front of the operator's own kernel library
};

LibraryPlaces library_places(contract::BuildMode mode) {
  if (mode == contract::BuildMode::kIndependentProject) {
    return {"CUSTOM_OPS = HERE.parent.parent",
            "CUSTOM_OPS / \"scripts\"",
            "CUSTOM_OPS / \"torch_binding/build/lib\", CUSTOM_OPS / OP / \"build/lib\"",
            "custom-ops/scripts/build_torch.sh 和 scripts/build_kernel.sh",
            ""};
  }
  return {
      "EXAMPLES = HERE.parent.parent\nINSTALL = EXAMPLES.parent / \"install/shmem\"\nKERNELS = "
      "INSTALL / \"torch_binding/kernels\"",
      "EXAMPLES / \"torch_binding/scripts\"",
      "INSTALL / \"lib\", KERNELS",
      "scripts/build.sh -python_example",
      "    ctypes.CDLL(\"libascendcl.so\", mode=ctypes.RTLD_GLOBAL)  # 源码树的 kernel "
      "库不一定链接它\n"
      "    for path in sorted(KERNELS.glob(\"lib*_kernel.so\")):  # Torch 扩展链接了全部算子的 "
      "kernel 库\n        ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)\n"};
}

// The operations in the shapes that Python has no sign for.
std::string python_operations(const std::string& shapes) {
  static const std::regex called(R"(\b(add|mul|div|mod|ceil_div|align_up)\()");
  std::set<std::string> names;
  for (std::sregex_iterator at(shapes.begin(), shapes.end(), called), end; at != end; ++at) {
    names.insert((*at)[1]);
  }
  const std::vector<std::string> sorted(names.begin(), names.end());
  return names.empty()
             ? ""
             : fmt::format("from multi_pe_test import {}  # noqa: E402\n", joined(sorted, ", "));
}

// The tensors as compute takes them: what is written, then what is only read.
std::string python_arguments(const Contract& contract) {
  std::string written;
  std::string read;
  for (const Tensor& t : contract.tensors) {
    (t.is_output ? written : read) += fmt::format("tensors[\"{}\"], ", t.name);
  }
  return written + read;
}

std::string python_arrange(const Contract& contract, const contract::Golden& golden) {
  if (golden.kind != contract::Golden::Kind::kCollective) {
    return "\n    contract_code().get(\"arrange\", lambda *_: None)(n_pes, inputs, attrs, random)";
  }
  const std::string code = collective_code(contract).arrange;
  return code.empty() ? "" : "\n" + indented(code);
}

std::string python_rotating(const Contract& contract, const contract::Golden& golden) {
  return golden.kind == contract::Golden::Kind::kCollective ? collective_code(contract).rotating
                                                            : "[]";
}

// Of a golden in the contract's own code nothing is known.
std::string python_replicated(const Contract& contract, const contract::Golden& golden) {
  return golden.kind == contract::Golden::Kind::kCollective ? collective_code(contract).replicated
                                                            : "None";
}

// 2^-exponent, or what the contract asks for when that is less.
std::string limit(const Contract& contract, int exponent) {
  return contract.tolerance && *contract.tolerance < std::ldexp(1.0, -exponent)
             ? fmt::format("{}", *contract.tolerance)
             : fmt::format("2**-{}", exponent);
}

// The outputs that are compared by tolerance: floating ones of an operator that adds.
std::string python_tolerances(const Contract& contract) {
  const bool adds = contract::golden_adds(contract);
  std::vector<std::string> entries;
  for (const contract::DtypeRow& row : contract::dtype_table()) {
    const bool written =
        std::any_of(contract.tensors.begin(), contract.tensors.end(), [&](const Tensor& t) {
          return t.is_output && (t.follows_dispatch ? std::count(contract.dispatch.begin(),
                                                                 contract.dispatch.end(),
                                                                 row.dtype) > 0
                                                    : t.dtype == row.dtype);
        });
    if (adds && written && row.tolerance.few > 0) {
      entries.push_back(fmt::format("\"{}\": ({}, {}, 2**-{})",
                                    row.python,
                                    limit(contract, row.tolerance.few),
                                    limit(contract, row.tolerance.many),
                                    row.tolerance.bias));
    }
  }
  return "{" + joined(entries, ", ") + "}";
}

}  // namespace

std::string emit_python_test(const Contract& contract) {
  const contract::Golden golden =
      contract.golden.value_or(contract::Golden{});  // check demands one
  const LibraryPlaces libraries = library_places(contract.build_mode);
  const std::string inputs = python_shapes(contract, false);
  const std::string outputs = python_shapes(contract, true);
  return filled(
      "torch_test.py",
      {{"class", contract.class_name},
       {"op", contract.op_name},
       {"library", places_of(contract).product},
       {"scripts", places_of(contract).scripts},
       {"places", libraries.root},
       {"imports", libraries.imports},
       {"operations", python_operations(inputs + outputs)},
       {"folders", libraries.folders},
       {"build", libraries.build},
       {"preload", libraries.preload},
       {"first_dtype",
        contract.dispatch.empty() ? "fixed" : std::string(contract::row(contract.dispatch[0]).dsl)},
       {"first_case", contract.cases[0].name},
       {"dtypes", python_dtypes(contract)},
       {"cases", python_cases(contract)},
       {"inputs", python_types(contract, false)},
       {"outputs", python_types(contract, true)},
       {"shared", python_names(contract, [](const Tensor& t) { return t.shared; })},
       {"optional",
        python_names(contract, [](const Tensor& t) { return t.is_output && t.optional; })},
       {"local_mem_size", "256 << 20"},
       {"input_shapes", inputs},
       {"output_shapes", outputs},
       {"attributes", python_attributes(contract)},
       {"contract_code", python_contract_code(golden)},
       {"golden", python_golden(contract, golden)},
       {"rotating", python_rotating(contract, golden)},
       {"replicated", python_replicated(contract, golden)},
       {"tolerances", python_tolerances(contract)},
       {"arguments", python_arguments(contract)},
       {"arrange", python_arrange(contract, golden)}});
}

}  // namespace shmem_bind::binding
