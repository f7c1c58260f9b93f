#include "tool/verify/proof_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tool/base/text.h"
#include "tool/binding/file_set.h"

namespace shmem_bind::verify {
namespace {

constexpr std::array<std::string_view, 5> kStates = {
    "killed", "survived", "equivalent", "not applicable", "invalid"};

}  // namespace

std::vector<Mutant> read_mutants(const Json& object) {
  std::vector<Mutant> mutants;
  for (const Json& item : list_in(object, "mutants")) {
    const std::string state = text_in(item, "state");
    const bool is_known = std::find(kStates.begin(), kStates.end(), state) != kStates.end();
    mutants.push_back({text_in(item, "id"),
                       text_in(item, "kind"),
                       text_in(item, "title"),
                       is_known ? state : "invalid",
                       text_in(item, "by"),
                       number_in(item, "seconds")});
  }
  return mutants;
}

ProofFile read_proof(const std::string& text,
                     const std::string& contract_digest,
                     const std::string& sources) {
  const Json json = Json::parse(text, nullptr, false);
  const auto nothing = [](std::string_view why) {
    return ProofFile{{}, fmt::format("prove.json {}; shmem-bind prove makes a new one", why)};
  };
  if (!json.is_object()) {
    return nothing("cannot be read");
  }
  if (integer_in(json, "schema") != kProofSchema) {
    return nothing(fmt::format(
        "has schema {}, this shmem-bind reads {}", integer_in(json, "schema"), kProofSchema));
  }
  if (text_in(json, "contract") != contract_digest || text_in(json, "sources") != sources ||
      text_in(json, "tool") != binding::kToolVersion) {
    return nothing("is of another state of the contract, the kernel or shmem-bind");
  }
  ProofFile proof{read_mutants(json), ""};
  if (proof.mutants.empty()) {
    return nothing("names no variant");
  }
  const auto reasons = texts_in(json, "reasons");
  if (text_in(json, "state") != "proved") {
    proof.note = fmt::format("prove.json says {}{}{}",
                             text_in(json, "state"),
                             reasons.empty() ? "" : ": ",
                             joined(reasons, "; "));
  }
  return proof;
}

}  // namespace shmem_bind::verify
