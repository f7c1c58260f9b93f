#include "tool/verify/mutant.h"

#include "tool/base/text.h"
#include "tool/binding/file_set.h"
#include "tool/binding/places.h"
#include "tool/verify/json_fields.h"

namespace shmem_bind::verify {

std::string proof_path(const contract::Contract& contract, const std::string& tree) {
  return tree + "/" + binding::places_of(contract).records + "/prove.json";
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

std::vector<Mutant> proved_mutants(const contract::Contract& contract,
                                   const std::string& tree,
                                   FileSystem& files) {
  const auto text = files.read(proof_path(contract, tree));
  const Json proof = text.ok() ? Json::parse(text.value(), nullptr, false) : Json();
  std::vector<Mutant> mutants;
  if (!proof.is_object() || text_in(proof, "contract") != contract.digest ||
      text_in(proof, "sources") != sources_digest(contract, tree, files) ||
      text_in(proof, "tool") != binding::kToolVersion) {
    return mutants;
  }
  for (const Json& item : list_in(proof, "mutants")) {
    mutants.push_back({text_in(item, "id"),
                       text_in(item, "kind"),
                       text_in(item, "title"),
                       text_in(item, "state"),
                       text_in(item, "by"),
                       number_in(item, "seconds")});
  }
  return mutants;
}

}  // namespace shmem_bind::verify
