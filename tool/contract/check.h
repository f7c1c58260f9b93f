#pragma once

#include <optional>
#include <span>
#include <string>

#include "tool/base/source_text.h"
#include "tool/contract/contract.h"
#include "tool/contract/document.h"

namespace shmem_bind::contract {

struct HeaderSource {
  int source = -1;   // index into the texts, -1: there is none
  std::string path;  // relative to the operator's folder
};

// Everything the document says, compared with the header, which may include the others. Nothing
// when there are errors.
std::optional<Contract> check(const Document& document,
                              const SourceTexts& texts,
                              const HeaderSource& header,
                              std::span<const HeaderSource> others,
                              Diagnostics& diagnostics);

}  // namespace shmem_bind::contract
