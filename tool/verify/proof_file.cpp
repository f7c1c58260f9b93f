#include "tool/verify/proof_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tool/base/text.h"
#include "tool/binding/places.h"

namespace shmem_bind::verify {
namespace {

constexpr int64_t kSchema = 1;  // docs/verdict.md, the record of prove

constexpr std::array<std::string_view, 5> kStates = {
    "killed", "survived", "equivalent", "not applicable", "invalid"};

}  // namespace

std::string proof_path(const contract::Contract& contract, const std::string& tree) {
  return tree + "/" + binding::places_of(contract).records + "/" + kProofFile;
}

std::string sources_digest(const contract::Contract& contract,
                           const std::string& tree,
                           FileSystem& files) {
  const std::string op = tree + "/" + binding::places_of(contract).op;
  std::string all;
  for (const char* below : {"/", "/src/"}) {
    for (const std::string& name : files.list(op + below)) {
      if (name.ends_with(".cpp") || name.ends_with(".h")) {
        const auto text = files.read(op + below + name);
        all += below + name + "\n" + (text.ok() ? text.value() : "");
      }
    }
  }
  return digest(all);
}

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
    return ProofFile{{}, fmt::format("{} {}; shmem-bind prove makes a new one", kProofFile, why)};
  };
  if (!json.is_object()) {
    return nothing("cannot be read");
  }
  if (integer_in(json, "schema") != kSchema) {
    return nothing(fmt::format(
        "has schema {}, this shmem-bind reads {}", integer_in(json, "schema"), kSchema));
  }
  if (text_in(json, "contract") != contract_digest || text_in(json, "sources") != sources) {
    return nothing("is of another state of the contract or the operator's sources");
  }
  ProofFile proof{read_mutants(json), ""};
  return proof.mutants.empty() ? nothing("names no variant") : proof;
}

}  // namespace shmem_bind::verify
