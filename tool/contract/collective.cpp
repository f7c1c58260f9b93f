#include "tool/contract/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tool/base/text.h"
#include "tool/contract/dtype.h"

namespace shmem_bind::contract {
namespace {

using Shapes = Collective::Shapes;
using Reduction = Collective::Reduction;
using Table = Collective::Table;

// Without a word about it a reduction is a sum, as in torch.distributed.
constexpr std::array<Collective, 15> kCollectives = {{
    {"all_gather", Shapes::kGathers, true},
    {"all_reduce", Shapes::kSame, true, false, Reduction::kSum},
    {"all_reduce_max", Shapes::kSame, true, false, Reduction::kMax},
    {"all_reduce_min", Shapes::kSame, true, false, Reduction::kMin},
    {"all_reduce_sum", Shapes::kSame, true, false, Reduction::kSum},
    {"all_to_all", Shapes::kExchanges, false, false, Reduction::kNone, Table::kSplits},
    {"broadcast", Shapes::kSame, true, true},
    {"gather", Shapes::kGathers, false, true},
    {"pairwise_shuffle", Shapes::kSame, false, false, Reduction::kNone, Table::kPartners},
    {"permute", Shapes::kSame, false, false, Reduction::kNone, Table::kSources},
    {"reduce_scatter", Shapes::kScatters, false, false, Reduction::kSum},
    {"reduce_scatter_max", Shapes::kScatters, false, false, Reduction::kMax},
    {"reduce_scatter_min", Shapes::kScatters, false, false, Reduction::kMin},
    {"reduce_scatter_sum", Shapes::kScatters, false, false, Reduction::kSum},
    {"scatter", Shapes::kScatters, false, true},
}};

bool is_pe_count(const Dimension& dimension) {
  return dimension.expression != nullptr && dimension.expression->kind == Expression::Kind::kName &&
         dimension.expression->text == "n_pes";
}

bool is_table(const Tensor& tensor, Table table) {
  const size_t rank = table == Table::kSplits ? 2 : 1;
  return table != Table::kNone && tensor.is_input && !tensor.is_output && tensor.shared &&
         !tensor.follows_dispatch && tensor.dtype == Dtype::kInt64 && tensor.shape.size() == rank &&
         std::all_of(tensor.shape.begin(), tensor.shape.end(), is_pe_count);
}

bool same_dtype(const Tensor& a, const Tensor& b) {
  return a.follows_dispatch == b.follows_dispatch && (a.follows_dispatch || a.dtype == b.dtype);
}

std::string_view table_text(Table table) {
  switch (table) {
    case Table::kSplits:
      return ", and may have a table: int64 [n_pes, n_pes], listed in shared";
    case Table::kSources:
      return ", and a table of the PE each receives from: int64 [n_pes], listed in shared";
    case Table::kPartners:
      return ", and a table of the PE each exchanges with: int64 [n_pes], listed in shared";
    default:
      return "";
  }
}

// A dtype of the output that no kernel adds or compares; empty when there is none.
std::string_view dtype_without_arithmetic(const Contract& contract, const Tensor& output) {
  const std::vector<Dtype> dtypes =
      output.follows_dispatch ? contract.dispatch : std::vector<Dtype>{output.dtype};
  for (const Dtype dtype : dtypes) {
    if (!row(dtype).has_arithmetic) {
      return row(dtype).dsl;
    }
  }
  return "";
}

bool has_free_dimension(const Tensor& tensor) {
  return std::any_of(tensor.shape.begin(), tensor.shape.end(), [](const Dimension& dimension) {
    return dimension.kind == Dimension::Kind::kAny;
  });
}

using Shape = std::vector<int64_t>;

// `whole` is a part for each PE: stacked along a new dimension, or concatenated along the first.
bool is_of_parts(const Shape& whole, const Shape& part, int64_t pe_count) {
  Shape stacked = part;
  stacked.insert(stacked.begin(), pe_count);
  Shape concatenated = part;
  if (!concatenated.empty()) {
    concatenated[0] *= pe_count;
  }
  return whole == stacked || (!part.empty() && whole == concatenated);
}

// The rows for this PE are as many as the table says; the rest of a row is the same.
bool holds_rows(const Shape& output, const Shape& input, int64_t pe_count) {
  return !input.empty() && output.size() == input.size() && output[0] >= input[0] * pe_count &&
         std::equal(input.begin() + 1, input.end(), output.begin() + 1);
}

bool shapes_fit(const Collective& collective,
                bool has_table,
                const Shape& output,
                const Shape& input,
                int64_t pe_count) {
  switch (collective.shapes) {
    case Shapes::kGathers:
      return is_of_parts(output, input, pe_count);
    case Shapes::kScatters:
      return is_of_parts(input, output, pe_count);
    case Shapes::kExchanges:
      return has_table ? holds_rows(output, input, pe_count)
                       : output == input && !input.empty() && input[0] % pe_count == 0;
    default:
      return output == input;
  }
}

std::string_view shapes_text(const Collective& collective, bool has_table) {
  switch (collective.shapes) {
    case Shapes::kGathers:
      return "output is n_pes times input, along the first dimension or a new one before it";
    case Shapes::kScatters:
      return "input is n_pes times output, along the first dimension or a new one before it";
    case Shapes::kExchanges:
      return has_table ? "output has room for n_pes times the rows of input"
                       : "output has the shape of input, and its rows divide by n_pes";
    default:
      return "output has the shape of input";
  }
}

std::string text_of(const Shape& shape) {
  std::vector<std::string> sizes;
  for (const int64_t size : shape) {
    sizes.push_back(std::to_string(size));
  }
  return "[" + joined(sizes, ", ") + "]";
}

}  // namespace

std::span<const Collective> collectives() {
  return kCollectives;
}

const Collective* collective_named(std::string_view name) {
  const auto* found = std::find_if(kCollectives.begin(),
                                   kCollectives.end(),
                                   [&](const Collective& item) { return item.name == name; });
  return found == kCollectives.end() ? nullptr : found;
}

std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const Collective& item : kCollectives) {
    names.emplace_back(item.name);
  }
  return names;
}

CollectiveParts parts_in(const Contract& contract, const Collective& collective) {
  CollectiveParts parts;
  std::vector<const Tensor*> inputs;
  std::vector<const Tensor*> outputs;
  for (const Tensor& tensor : contract.tensors) {
    if (tensor.is_output) {
      outputs.push_back(&tensor);
    }
  }
  parts.output = outputs.size() == 1 ? outputs[0] : nullptr;
  for (const Tensor& tensor : contract.tensors) {
    if (parts.table == nullptr && is_table(tensor, collective.table)) {
      parts.table = &tensor;
    } else if (tensor.is_input && parts.output != nullptr && same_dtype(tensor, *parts.output)) {
      inputs.push_back(&tensor);
    }
  }
  parts.input = inputs.size() == 1 ? inputs[0] : nullptr;
  return parts;
}

bool golden_adds(const Contract& contract) {
  if (!contract.golden) {
    return false;
  }
  if (contract.golden->kind != Golden::Kind::kCollective) {
    return contract.op_kind == "compute" || contract.op_kind == "fused";
  }
  const Collective* collective = collective_named(contract.golden->collective);
  return collective != nullptr && collective->reduction == Collective::Reduction::kSum;
}

std::string misfit(const Contract& contract, const Collective& collective) {
  const CollectiveParts parts = parts_in(contract, collective);
  const bool needs_table =
      collective.table == Table::kSources || collective.table == Table::kPartners;
  if (parts.output == nullptr || parts.input == nullptr ||
      (needs_table && parts.table == nullptr)) {
    return fmt::format("{} has one output and one input of its dtype{}",
                       collective.name,
                       table_text(collective.table));
  }
  const bool has_root = std::any_of(
      contract.attributes.begin(), contract.attributes.end(), [](const Attribute& attribute) {
        return attribute.name == "root" && attribute.type == Attribute::Type::kInt;
      });
  if (collective.has_root && !has_root) {
    return fmt::format("{} has an attribute {{name: root, type: int, default: 0}}",
                       collective.name);
  }
  const std::string_view dtype = dtype_without_arithmetic(contract, *parts.output);
  if (collective.reduction != Reduction::kNone && !dtype.empty()) {
    return fmt::format("{} computes, and there is no arithmetic on {}", collective.name, dtype);
  }
  return "";
}

std::string shape_misfit(const Contract& contract,
                         const Collective& collective,
                         const std::map<std::string, std::vector<int64_t>>& shapes,
                         int64_t pe_count) {
  const CollectiveParts parts = parts_in(contract, collective);
  if (parts.output == nullptr || parts.input == nullptr) {
    return "";  // the misfit of the tensors has said so
  }
  const Shape& output = shapes.at(parts.output->name);
  const Shape& input = shapes.at(parts.input->name);
  const bool has_table = parts.table != nullptr;
  const bool any_size = has_free_dimension(*parts.output) || has_free_dimension(*parts.input);
  return any_size || shapes_fit(collective, has_table, output, input, pe_count)
             ? ""
             : fmt::format("{}: {}; here {} is {} and {} is {}",
                           collective.name,
                           shapes_text(collective, has_table),
                           parts.output->name,
                           text_of(output),
                           parts.input->name,
                           text_of(input));
}

}  // namespace shmem_bind::contract
