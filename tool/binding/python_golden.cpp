#include "tool/binding/python_golden.h"

#include "tool/base/text.h"
#include "tool/contract/collective.h"

namespace shmem_bind::binding {
namespace {

using contract::Collective;
using Reduction = Collective::Reduction;
using Table = Collective::Table;

// In these texts @output, @input and @table stand for the operator's names, @join for what makes
// the whole of the parts of all PEs, @part for what takes a PE's part of the whole.

constexpr const char* kAllGather = R"(import torch

return {"@output": torch.@join([inputs[p]["@input"] for p in range(n_pes)])})";

constexpr const char* kBroadcast = R"(return {"@output": inputs[attrs["root"]]["@input"].clone()})";

// 0 rows: all of the output stays as it was.
constexpr const char* kGather = R"(import torch

gathered = torch.@join([inputs[p]["@input"] for p in range(n_pes)])
return {"@output": gathered if pe == attrs["root"] else gathered[:0]})";

constexpr const char* kGatherOptional = R"(import torch

if pe != attrs["root"]:
    return {}
return {"@output": torch.@join([inputs[p]["@input"] for p in range(n_pes)])})";

constexpr const char* kScatter =
    R"(return {"@output": inputs[attrs["root"]]["@input"]@part.clone()})";

constexpr const char* kAllToAll = R"(import torch

return {"@output": torch.cat([inputs[p]["@input"].chunk(n_pes)[pe] for p in range(n_pes)])})";

constexpr const char* kAllToAllSplits = R"(import torch

received = []
for p in range(n_pes):
    splits = inputs[p]["@table"]
    begin = int(splits[p, :pe].sum())
    received.append(inputs[p]["@input"][begin : begin + int(splits[p, pe])])
return {"@output": torch.cat(received)})";

constexpr const char* kPermute =
    R"(return {"@output": inputs[int(inputs[pe]["@table"][pe])]["@input"].clone()})";

// Added in a wider type; whole numbers in 64 bits, exactly.
constexpr const char* kSum = R"(import torch

values = torch.stack([inputs[p]["@input"]@part for p in range(n_pes)])
wide = torch.float64 if values.element_size() >= 4 else torch.float32
wide = wide if values.is_floating_point() else torch.int64
return {"@output": values.sum(0, dtype=wide).to(values.dtype)})";

constexpr const char* kExtreme = R"(import torch

values = torch.stack([inputs[p]["@input"]@part for p in range(n_pes)])
return {"@output": values.@extreme(0)})";

// Some rows are left over, some messages are empty.
constexpr const char* kArrangeSplits = R"(import torch

rows = inputs[0]["@input"].shape[0]
for source in range(n_pes):
    ends = sorted(random.randint(0, rows) for _ in range(n_pes))
    counts = [end - begin for begin, end in zip([0, *ends], ends)]
    inputs[0]["@table"][source] = torch.tensor(counts))";

// One ring through all PEs: nobody receives from itself.
constexpr const char* kArrangeSources = R"(ring = random.sample(range(n_pes), n_pes)
for source, target in zip(ring, [*ring[1:], ring[0]]):
    inputs[0]["@table"][target] = source)";

// Pairs; with an odd number of PEs one is left with itself.
constexpr const char* kArrangePartners = R"(left = random.sample(range(n_pes), n_pes)
for one, other in zip(left[::2], [*left[1::2], left[-1]]):
    inputs[0]["@table"][one], inputs[0]["@table"][other] = other, one)";

// No sum leaves a whole type: where there are more PEs than it has numbers, each element gets terms
// of some PEs only. In float all terms of one element have one sign: a kernel that rounds after
// every addition could otherwise lose more to cancellation than the tolerance allows.
constexpr const char* kArrangeSum = R"(import torch

for p, mine in enumerate(inputs):
    values = mine["@input"].view(-1)
    if values.is_floating_point():
        values.abs_()
        values[1::2].neg_()
        continue
    info = torch.iinfo(values.dtype)
    groups = -(-n_pes // info.max)  # an element's terms come from every groups-th PE
    largest = info.max // -(-n_pes // groups)
    least = -largest if info.min < 0 else 0
    wide = values.to(torch.int64) % (largest - least + 1) + least
    wide[torch.arange(len(wide)) % groups != p % groups] = 0
    values.copy_(wide))";

std::string_view golden_of(const Collective& collective, const contract::CollectiveParts& parts) {
  if (collective.reduction != Reduction::kNone) {
    return collective.reduction == Reduction::kSum ? kSum : kExtreme;
  }
  switch (collective.shapes) {
    case Collective::Shapes::kGathers:
      if (!collective.has_root) {
        return kAllGather;
      }
      return parts.output->optional ? kGatherOptional : kGather;
    case Collective::Shapes::kScatters:
      return kScatter;
    case Collective::Shapes::kExchanges:
      return parts.table != nullptr ? kAllToAllSplits : kAllToAll;
    default:
      return collective.table == Table::kNone ? kBroadcast : kPermute;
  }
}

std::string_view arrange_of(const Collective& collective, const contract::CollectiveParts& parts) {
  if (collective.reduction == Reduction::kSum) {
    return kArrangeSum;
  }
  if (parts.table == nullptr) {
    return "";
  }
  switch (collective.table) {
    case Table::kSplits:
      return kArrangeSplits;
    case Table::kPartners:
      return kArrangePartners;
    default:
      return kArrangeSources;
  }
}

std::string_view part_of(const Collective& collective, const contract::CollectiveParts& parts) {
  if (collective.shapes != Collective::Shapes::kScatters) {
    return "";
  }
  return parts.input->shape.size() > parts.output->shape.size() ? "[pe]" : ".chunk(n_pes)[pe]";
}

std::string with_names(std::string_view text,
                       const Collective& collective,
                       const contract::CollectiveParts& parts) {
  const bool stacks = parts.output->shape.size() > parts.input->shape.size();
  std::string out = replaced(std::string(text), "@join", stacks ? "stack" : "cat");
  out = replaced(out, "@part", part_of(collective, parts));
  out = replaced(out, "@extreme", collective.reduction == Reduction::kMax ? "amax" : "amin");
  out = replaced(out, "@output", parts.output->name);
  out = replaced(out, "@input", parts.input->name);
  return parts.table == nullptr ? out : replaced(out, "@table", parts.table->name);
}

}  // namespace

CollectiveCode collective_code(const contract::Contract& contract) {
  const Collective& collective = *contract::collective_named(contract.golden->collective);
  const contract::CollectiveParts parts = parts_in(contract, collective);
  CollectiveCode code;
  code.golden = with_names(golden_of(collective, parts), collective, parts);
  code.arrange = with_names(arrange_of(collective, parts), collective, parts);
  code.rotating = collective.has_root ? "[\"root\"]" : "[]";
  code.replicated = collective.replicated ? "True" : "False";
  return code;
}

}  // namespace shmem_bind::binding
