#include "tool/contract/check.h"

#include "tool/base/text.h"
#include "tool/contract/errors.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {

std::optional<Contract> check(const Document& document,
                              const SourceTexts& texts,
                              const HeaderSource& header,
                              Diagnostics& diagnostics) {
  Contract contract;
  contract.op_name = document.op_name;
  Reading reading{document, document.root, contract, diagnostics};
  read_meta(reading);
  read_tensors(reading);
  read_binding(reading);
  if (header.source < 0) {
    diagnostics.add(kNoHeader, reading.place_of("meta"), header.path);
    return std::nullopt;
  }
  const std::vector<Function> functions =
      read_kernel_header(texts.text(header.source), header.path, header.source, diagnostics);
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  read_entry(reading, functions);
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  check_names(reading);
  check_numbers(reading);
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  contract.entry.header_path = header.path;
  contract.digest = digest(document.block + "\n" + contract.entry.declaration);
  return contract;
}

}  // namespace shmem_bind::contract
