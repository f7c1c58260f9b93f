#include "tool/verify/mutant.h"

#include "tool/base/text.h"
#include "tool/binding/places.h"

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

}  // namespace shmem_bind::verify
