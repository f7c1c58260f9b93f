#include "tool/contract/explanation.h"

#include <algorithm>

#include "tool/contract/explanation_tables.h"

namespace shmem_bind::contract {

const Explanation* explanation_of(const Rule& rule) {
  for (const auto table : {document_explanations(),
                           value_explanations(),
                           header_explanations(),
                           number_explanations()}) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const Explanation& item) {
      return item.rule->code == rule.code;
    });
    if (found != table.end()) {
      return &*found;
    }
  }
  return nullptr;
}

}  // namespace shmem_bind::contract
