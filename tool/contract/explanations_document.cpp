#include "tool/contract/errors.h"
#include "tool/contract/explanation_tables.h"

namespace shmem_bind::contract {
namespace {

constexpr Explanation kDocumentTable[] = {
    {&kEncoding,
     "The file is read byte by byte as UTF-8. Another encoding would change names and "
     "values without anybody noticing.",
     kInShell,
     R"~($ file -b docs/design.md
Unicode text, UTF-16, little-endian text)~",
     "$ iconv -f UTF-16 -t UTF-8 docs/design.md > utf8.md && mv utf8.md docs/design.md"},
    {&kNoBlock,
     "Only one fenced block of the page is the contract, and a reader must be able to "
     "tell which. Examples in other languages and blocks inside HTML comments do not "
     "count.",
     kInDesign,
     R"~(```text
dsl_version: "0.3")~",
     R"~(```yaml
dsl_version: "0.3")~"},
    {&kTwoBlocks,
     "With two contracts on one page, a person would change one of them and wonder why "
     "nothing happens.",
     kInDesign,
     R"~(```yaml
dsl_version: "0.3"
```

```yaml
dsl_version: "0.3")~",
     R"~(```yaml
dsl_version: "0.3")~"},
    {&kBadYaml,
     "What does not parse as YAML has no meaning that could be guessed.",
     kInDesign,
     R"~(  block_dim: "8)~",
     R"~(  block_dim: "8")~"},
    {&kDuplicateKey,
     "YAML readers keep the first or the last of two equal keys, silently and not all the "
     "same one.",
     kInDesign,
     R"~(  op_kind: transport
  op_kind: reduction)~",
     "  op_kind: transport"},
    {&kUnknownKey,
     "A misspelt key would be ignored, and with it what it says. Sections that are not "
     "read at all may hold any keys.",
     kInDesign,
     R"~(    - {name: input, dtype: dtype, shape: "[rows, cols]", rol: payload})~",
     R"~(    - {name: input, dtype: dtype, shape: "[rows, cols]", role: payload})~"},
    {&kNoVersion,
     "The keys have their meaning by the version of the language; without one the meaning "
     "of 0.3 is taken.",
     kInDesign,
     "meta:",
     R"~(dsl_version: "0.3"
meta:)~"},
    {&kBadVersion,
     "Another version may give a key another meaning.",
     kInDesign,
     R"~(dsl_version: "0.4")~",
     R"~(dsl_version: "0.3")~"},
    {&kWrongForm,
     "A value of another form than the key has would be read as something the author did "
     "not write: yes is a text, not true.",
     kInDesign,
     "  torch_required: yes",
     "  torch_required: true"},
    {&kMissing,
     "Nothing sensible can be assumed in its place.",
     kInDesign,
     R"~(meta:
  op_kind: transport)~",
     R"~(meta:
  op_name: copy_rows
  op_kind: transport)~"},
    {&kPlaceholder,
     "Templates and shmem-bind init leave places for a person to fill in: <...>, "
     "replace_me, TODO, TBD.",
     kInDesign,
     "  op_name: replace_me",
     "  op_name: copy_rows"},
    {&kDisagree,
     "The same fact may be said in either dialect of the contract. When it is said twice "
     "and differently, one place is wrong, and only the author knows which. Here "
     "torch_binding.dtypes says something else.",
     kInDesign,
     R"~(interface:
  dtypes: [fp32]
  inputs:)~",
     R"~(interface:
  inputs:)~"},
    {&kNoDesign,
     "The contract stands in docs/design.md; without it there is nothing to bind. "
     "shmem-bind init writes one to fill in.",
     kInFolder,
     R"~(custom-ops/copy_rows/
  src/copy_rows_kernel.h)~",
     R"~(custom-ops/copy_rows/
  docs/design.md
  src/copy_rows_kernel.h)~"},
    {&kLookAlike,
     "Input methods write full-width punctuation that looks like ASCII and is none: the "
     "parenthesis here would be part of a name.",
     kInDesign,
     R"~(  arguments: {gva: state, elements: "numel（input）", magic: epoch})~",
     R"~(  arguments: {gva: state, elements: "numel(input)", magic: epoch})~"},
    {&kOpenFence,
     "A block without an end takes the rest of the page for YAML.",
     kInDesign,
     R"~(  state: "4096 * n_pes"
)~",
     R"~(  state: "4096 * n_pes"
```
)~"},
};

}  // namespace

std::span<const Explanation> document_explanations() {
  return kDocumentTable;
}

}  // namespace shmem_bind::contract
