#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tool/binding/file_set.h"
#include "tool/prove/prove.h"

namespace shmem_bind::prove {
namespace {

using Json = nlohmann::ordered_json;

struct Kind {
  const char* name;
  int64_t least;  // variants, counting those that this operator cannot have
};
constexpr Kind kKinds[] = {{"binding", 24}, {"test", 8}, {"kernel", 8}};

int64_t count_of(const Proof& proof, const std::string& kind, const std::string& state) {
  return std::count_if(proof.mutants.begin(), proof.mutants.end(), [&](const auto& row) {
    return (kind.empty() || row.kind == kind) && (state.empty() || row.state == state);
  });
}

const char* verdict_of(const Proof& proof) {
  if (proof.holds()) {
    return "proved";
  }
  return proof.is_whole ? "not proved" : "unverified";
}

}  // namespace

std::vector<std::string> Proof::reasons() const {
  std::vector<std::string> reasons = problems;
  for (const char* state : {"survived", "invalid"}) {
    if (const int64_t count = count_of(*this, "", state); count > 0) {
      reasons.push_back(fmt::format("{} of the wrong variants: {}", count, state));
    }
  }
  for (const auto& [kind, least] : kKinds) {
    const int64_t count = count_of(*this, kind, "");
    if (is_whole && (count < least || count_of(*this, kind, "killed") == 0)) {
      reasons.push_back(
          fmt::format("{} variants of the {}: at least {} are needed, and one that is "
                      "killed",
                      count,
                      kind,
                      least));
    }
  }
  if (!is_whole) {
    reasons.emplace_back("only a part was run, as asked");
  }
  return reasons;
}

bool Proof::holds() const {
  return !interrupted && reasons().empty();
}

std::string to_json(const Proof& proof) {
  Json rows = Json::array();
  for (const verify::Mutant& row : proof.mutants) {
    rows.push_back({{"id", row.id},
                    {"kind", row.kind},
                    {"title", row.title},
                    {"state", row.state},
                    {"by", row.by},
                    {"seconds", row.seconds}});
  }
  const Json json = {{"op", proof.op},
                     {"tool", binding::kToolVersion},
                     {"contract", proof.contract},
                     {"sources", proof.sources},
                     {"state", verdict_of(proof)},
                     {"reasons", proof.reasons()},
                     {"seconds", proof.seconds},
                     {"mutants", rows}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string to_text(const Proof& proof) {
  std::string out;
  for (const verify::Mutant& row : proof.mutants) {
    out += fmt::format("  {:<4} {:<14} {:>6.1f} s  {}\n        {}\n",
                       row.id,
                       row.state == "survived" ? "SURVIVED" : row.state,
                       row.seconds,
                       row.title,
                       row.by);
  }
  for (const auto& [kind, least] : kKinds) {
    out +=
        fmt::format("{:<8} {} killed, {} equivalent, {} not applicable, {} survived, {} invalid\n",
                    kind,
                    count_of(proof, kind, "killed"),
                    count_of(proof, kind, "equivalent"),
                    count_of(proof, kind, "not applicable"),
                    count_of(proof, kind, "survived"),
                    count_of(proof, kind, "invalid"));
  }
  for (const std::string& reason : proof.reasons()) {
    out += fmt::format("not shown: {}\n", reason);
  }
  out += fmt::format("{}: {} in {:.0f} s\n",
                     proof.op,
                     proof.holds() ? "proved, every wrong variant is found" : verdict_of(proof),
                     proof.seconds);
  return out;
}

}  // namespace shmem_bind::prove
