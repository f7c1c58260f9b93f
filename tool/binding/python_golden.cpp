#include "tool/binding/python_golden.h"

#include "tool/base/text.h"
#include "tool/contract/collective.h"

namespace shmem_bind::binding {
namespace {

// In these texts @output, @input and @splits stand for the operator's names.

constexpr const char* kAllGather = R"(import torch

return {"@output": torch.stack([inputs[p]["@input"] for p in range(n_pes)])})";

constexpr const char* kBroadcast = R"(return {"@output": inputs[attrs["root"]]["@input"].clone()})";

// 0 rows: all of the output stays as it was.
constexpr const char* kGather = R"(import torch

gathered = torch.stack([inputs[p]["@input"] for p in range(n_pes)])
return {"@output": gathered if pe == attrs["root"] else gathered[:0]})";

constexpr const char* kGatherOptional = R"(import torch

if pe != attrs["root"]:
    return {}
return {"@output": torch.stack([inputs[p]["@input"] for p in range(n_pes)])})";

constexpr const char* kAllToAll = R"(import torch

return {"@output": torch.cat([inputs[p]["@input"].chunk(n_pes)[pe] for p in range(n_pes)])})";

constexpr const char* kAllToAllSplits = R"(import torch

received = []
for p in range(n_pes):
    splits = inputs[p]["@splits"]
    begin = int(splits[p, :pe].sum())
    received.append(inputs[p]["@input"][begin : begin + int(splits[p, pe])])
return {"@output": torch.cat(received)})";

// Some rows are left over, some messages are empty.
constexpr const char* kArrangeSplits = R"(import torch

rows = inputs[0]["@input"].shape[0]
for source in range(n_pes):
    ends = sorted(random.randint(0, rows) for _ in range(n_pes))
    counts = [end - begin for begin, end in zip([0, *ends], ends)]
    inputs[0]["@splits"][source] = torch.tensor(counts))";

std::string_view golden_of(const contract::Collective& collective,
                           const contract::CollectiveParts& parts) {
  if (collective.name == "broadcast") {
    return kBroadcast;
  }
  if (collective.name == "gather") {
    return parts.output->optional ? kGatherOptional : kGather;
  }
  if (collective.name == "all_to_all") {
    return parts.splits != nullptr ? kAllToAllSplits : kAllToAll;
  }
  return kAllGather;
}

std::string with_names(std::string_view text, const contract::CollectiveParts& parts) {
  std::string out = replaced(std::string(text), "@output", parts.output->name);
  out = replaced(out, "@input", parts.input->name);
  return parts.splits == nullptr ? out : replaced(out, "@splits", parts.splits->name);
}

}  // namespace

CollectiveCode collective_code(const contract::Contract& contract) {
  const contract::Collective& collective = *contract::collective_named(contract.golden->collective);
  const contract::CollectiveParts parts = parts_in(contract, collective);
  CollectiveCode code;
  code.golden = with_names(golden_of(collective, parts), parts);
  code.arrange = parts.splits == nullptr ? "" : with_names(kArrangeSplits, parts);
  code.rotating = collective.has_root ? "[\"root\"]" : "[]";
  return code;
}

}  // namespace shmem_bind::binding
