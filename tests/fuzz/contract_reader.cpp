#include <cstddef>
#include <cstdint>
#include <string>

#include "tool/binding/emit.h"
#include "tool/contract/read.h"
#include "tool/contract/testing.h"

// Any bytes as a design document: read, every finding rendered, and what is accepted emitted.
// Emitters have no error path, so an accepted contract that they cannot take is a finding of this
// program.

using shmem_bind::Diagnostic;
using shmem_bind::Diagnostics;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  shmem_bind::contract::Sources sources;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  sources.design = sources.texts.add("design.md", text);
  if (data[0] % 8 == 0) {  // libclang is slow: mostly without it
    sources.headers.push_back(
        {sources.texts.add("kernel.h", shmem_bind::contract::kGoodHeader), "src/kernel.h"});
  }
  Diagnostics diagnostics;
  const auto contract = read_contract(sources, diagnostics);
  size_t rendered = 0;
  for (const Diagnostic& item : diagnostics.list()) {
    rendered += to_text(item, sources.texts).size();
  }
  if (!contract && rendered == 0) {
    __builtin_trap();  // refused without a word
  }
  if (contract) {
    shmem_bind::binding::emit(*contract);
  }
  return 0;
}
