#include "tool/contract/check.h"

#include "tool/base/text.h"
#include "tool/contract/errors.h"
#include "tool/contract/kernel_header.h"
#include "tool/contract/markdown.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {
namespace {

KernelHeader read_header(const SourceTexts& texts,
                         const HeaderSource& header,
                         std::span<const HeaderSource> others) {
  std::vector<HeaderText> beside;
  for (const HeaderSource& other : others) {
    if (other.source != header.source) {
      beside.push_back({other.path, texts.text(other.source), other.source});
    }
  }
  return read_kernel_header({header.path, texts.text(header.source), header.source}, beside);
}

}  // namespace

std::optional<Contract> check(const Document& document,
                              const SourceTexts& texts,
                              const HeaderSource& header,
                              std::span<const HeaderSource> others,
                              Diagnostics& diagnostics) {
  Contract contract;
  contract.op_name = document.op_name;
  Reading reading{document, document.root, contract, diagnostics};
  read_meta(reading);
  read_tensors(reading);
  read_binding(reading);
  read_proof(reading);
  if (header.source < 0) {
    diagnostics.add(kNoHeader, reading.place_of("meta"), header.path);
    return std::nullopt;
  }
  if (!check_encoding(texts.text(header.source), header.source, diagnostics) ||
      diagnostics.has_errors()) {
    return std::nullopt;
  }
  read_entry(reading, read_header(texts, header, others));
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  check_names(reading);
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  check_cases(reading);
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  contract.entry.header_path = header.path;
  contract.digest = digest(document.block + "\n" + contract.entry.declaration);
  return contract;
}

}  // namespace shmem_bind::contract
