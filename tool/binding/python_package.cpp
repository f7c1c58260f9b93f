#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/binding/emit.h"
#include "tool/binding/literal.h"
#include "tool/binding/op_compute.h"
#include "tool/binding/places.h"
#include "tool/binding/snippets.h"
#include "tool/contract/dtype.h"

// python/<package>/: the operators for programs in Python, typed.

namespace shmem_bind::binding {
namespace {

using contract::Attribute;
using contract::Contract;
using contract::Tensor;

std::string python_type(const Attribute& attribute) {
  return attribute.type == Attribute::Type::kFloat  ? "float"
         : attribute.type == Attribute::Type::kBool ? "bool"
                                                    : "int";
}

// One line for each parameter.
std::string parameters(const Contract& contract, std::string_view indent) {
  std::vector<std::string> lines;
  for (const Tensor& tensor : contract.tensors) {
    lines.push_back(fmt::format(
        "{}{}: torch.Tensor{},", indent, tensor.cpp_name, tensor.optional ? " | None" : ""));
  }
  for (const Attribute& attribute : contract.attributes) {
    const std::string value = python_literal(attribute.default_text);
    lines.push_back(fmt::format("{}{}: {}{},",
                                indent,
                                attribute.cpp_name,
                                python_type(attribute),
                                value.empty() ? "" : " = " + value));
  }
  return joined(lines, "\n");
}

std::string arguments(const Contract& contract) {
  std::vector<std::string> names;
  for (const Tensor& tensor : contract.tensors) {
    names.push_back(tensor.cpp_name);
  }
  for (const Attribute& attribute : contract.attributes) {
    names.push_back(attribute.cpp_name);
  }
  return joined(names, ", ");
}

std::string dtype_text(const Contract& contract, const Tensor& tensor) {
  if (!tensor.follows_dispatch) {
    return std::string(contract::row(tensor.dtype).dsl);
  }
  std::vector<std::string> names;
  for (const contract::Dtype dtype : contract.dispatch) {
    names.emplace_back(contract::row(dtype).dsl);
  }
  return joined(names, ", ");
}

// What each tensor is, a line each.
std::string shapes(const Contract& contract) {
  std::vector<std::string> lines;
  for (const Tensor& tensor : contract.tensors) {
    const char* role = tensor.is_input && tensor.is_output ? "read and written"
                       : tensor.is_output                  ? "written"
                                                           : "read";
    lines.push_back(fmt::format("        {}: {}, {}; {}{}",
                                tensor.cpp_name,
                                role,
                                shape_text(tensor),
                                dtype_text(contract, tensor),
                                tensor.optional ? "; None on a PE that has none" : ""));
  }
  return joined(lines, "\n");
}

// Where the package finds the libraries, by build mode.
struct LibraryPlaces {
  std::string root;     // the statement that names the folder everything is found from
  std::string folders;  // the statements that list where to look before LD_LIBRARY_PATH
  std::string script;   // the expression for what builds a library
  std::string build;    // the expression for what builds the binding
  std::string preload;  // statements in front of the operator's own kernel library
};

LibraryPlaces library_places(contract::BuildMode mode) {
  if (mode == contract::BuildMode::kIndependentProject) {
    return {"CUSTOM_OPS = pathlib.Path(__file__).resolve().parents[3]",
            "    folders = [CUSTOM_OPS / \"torch_binding/build/lib\"]\n"
            "    if operator:\n"
            "        folders.insert(0, CUSTOM_OPS / operator / \"build/lib\")",
            "CUSTOM_OPS / (f\"{operator}/scripts/build_kernel.sh\" if operator else "
            "\"scripts/build_torch.sh\")",
            "CUSTOM_OPS / \"scripts/build_torch.sh\"",
            "        for path in sorted(CUSTOM_OPS.glob(\"*/build/lib/lib*_kernel.so\")):  # the "
            "binding "
            "links those of all operators\n"
            "            if path.name == f\"lib{path.parents[2].name}_kernel.so\":\n"
            "                ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)\n"};
  }
  return {
      "TREE = pathlib.Path(__file__).resolve().parents[4]\n"
      "KERNELS = TREE / \"install/shmem/torch_binding/kernels\"",
      "    folders = [KERNELS if operator else TREE / \"install/shmem/lib\"]",
      "f\"{TREE}/scripts/build.sh -python_example\"",
      "f\"{TREE}/scripts/build.sh -python_example\"",
      "        ctypes.CDLL(\"libascendcl.so\", mode=ctypes.RTLD_GLOBAL)  # kernels of the tree "
      "need not "
      "link it\n"
      "        for path in sorted(KERNELS.glob(\"lib*_kernel.so\")):  # the binding links those of "
      "all operators\n"
      "            ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)\n"};
}

}  // namespace

std::string emit_python_package(contract::BuildMode mode) {
  const LibraryPlaces libraries = library_places(mode);
  const Places places = places_of(mode, "");
  return filled("python_package.py",
                {{"package", places.package},
                 {"binding", places.product.substr(0, places.product.rfind('.'))},
                 {"root", libraries.root},
                 {"folders", libraries.folders},
                 {"script", libraries.script},
                 {"build", libraries.build},
                 {"preload", libraries.preload}});
}

std::string emit_python_operator(const Contract& contract) {
  return filled("python_operator.py",
                {{"class", contract.class_name},
                 {"op", contract.op_name},
                 {"folder", places_of(contract).op},
                 {"close",
                  contract.build_mode == contract::BuildMode::kInTreeExample
                      ? "comes before Manager.finalize()"
                      : "Manager.finalize() does it for objects that are still open"},
                 {"parameters", parameters(contract, "        ")},
                 {"function_parameters", parameters(contract, "    ")},
                 {"arguments", arguments(contract)},
                 {"shapes", shapes(contract)}});
}

}  // namespace shmem_bind::binding
