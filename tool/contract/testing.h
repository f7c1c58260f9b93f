#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tool/base/source_text.h"
#include "tool/base/text.h"
#include "tool/contract/read.h"

// Words for this folder's tests: a good operator, changed in one place, and what is found.

namespace shmem_bind::contract {

inline constexpr const char* kGoodDesign = R"design(# CopyRows

```yaml
dsl_version: "0.3"
meta:
  op_name: copy_rows
  op_kind: transport
  build_mode: independent_project
  op_root: custom-ops/copy_rows
  torch_required: true
interface:
  inputs:
    - {name: input, dtype: dtype, shape: "[rows, cols]", role: payload}
  outputs:
    - {name: output, dtype: dtype, shape: "[n_pes, rows, cols]", visibility: replicated}
correctness:
  oracle: all_gather
status:
  correctness: {result: passed, evidence: report.md}
  review: {result: passed, evidence: review.md}
torch_binding:
  dtypes: [int32, fp16]
  block_dim: "8"
  n_pes: "1..16"
  arguments: {gva: state, elements: "numel(input)", magic: epoch}
  state: "4096 * n_pes"
```
)design";

inline constexpr const char* kGoodHeader = R"(#pragma once
#include <cstdint>
namespace Kernels {
template <class T>
void copy_rows_kernel(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input,
                      uint8_t* output, uint8_t* gva, int64_t elements, int32_t magic);
}
)";

// What reading an operator gives.
struct Read {
  SourceTexts texts;
  Diagnostics diagnostics;
  std::optional<Contract> contract;

  // Codes of all findings, e.g. "C014 H005".
  std::string codes() const {
    std::vector<std::string> list;
    for (const Diagnostic& item : diagnostics.list()) {
      list.emplace_back(item.rule->code);
    }
    return joined(list, " ");
  }
  // Everything that would be printed.
  std::string text() const {
    std::string out;
    for (const Diagnostic& item : diagnostics.list()) {
      out += to_text(item, texts);
    }
    return out;
  }
};

inline Read read(const std::string& design,
                 const std::string& header = kGoodHeader,
                 const std::string& status = "") {
  Sources sources;
  sources.design = sources.texts.add("design.md", design);
  sources.headers.push_back({sources.texts.add("kernel.h", header), "src/copy_rows_kernel.h"});
  if (!status.empty()) {
    sources.status = sources.texts.add("status.yaml", status);
  }
  Read result;
  result.contract = read_contract(sources, result.diagnostics);
  result.texts = sources.texts;
  return result;
}

// A text with one place changed; aborts when the place is not there, so that no test tests
// nothing.
inline std::string changed(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  const size_t at = out.find(from);
  if (at == std::string::npos) {
    throw std::logic_error("nothing to change: " + std::string(from));
  }
  return out.replace(at, from.size(), to);
}

// The good operator with this golden and these shapes.
inline std::string with_golden(const std::string& golden,
                               const std::string& input,
                               const std::string& output) {
  const std::string design =
      changed(changed(kGoodDesign, "\"[n_pes, rows, cols]\"", "\"" + output + "\""),
              "\"[rows, cols]\", role",
              "\"" + input + "\", role");
  return changed(design, "oracle: all_gather", "oracle: " + golden);
}

inline Read read_changed(std::string_view from, std::string_view to) {
  return read(changed(kGoodDesign, from, to));
}

}  // namespace shmem_bind::contract
