#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tool/contract/contract.h"
#include "tool/verify/mutant.h"

// Known-bad variants of a binding, of its test and of its kernel, as texts. Pure.

namespace shmem_bind::prove {

// Texts by what they are: "class", "header", "launch", "manager" of a binding, "test", "kernel".
using Texts = std::map<std::string, std::string>;

// What is run to find a variant, cheapest first; the next one only when it survived.
enum class Probe {
  kSmall,     // every dtype, the smallest case
  kWide,      // every case that is not stress, two dtypes
  kSeeds,     // adversarial orders
  kLarge,     // the stress cases
  kRefusals,  // calls that must raise
  kStream,    // on a stream that is not the default one
  kGuard,     // in used symmetric memory, with a guard behind the state
  kCorrupt,   // outputs are overwritten behind the call: a test has to notice
};

struct Variant {
  verify::Mutant row;  // state and by are set when it cannot be made here
  Texts texts;         // those that differ
  std::vector<Probe> probes;
  std::string equivalent;  // why the author says that nothing can show it
};

// `from` stands in the text exactly once.
struct Edit {
  std::string text;
  std::string from;
  std::string to;
};

// Makes variants of one kind, and numbers them: b01, b02, …
class Maker {
 public:
  Maker(std::string kind, const Texts& originals) : kind_(std::move(kind)), texts_(originals) {}
  // `missed`: what it would take to kill it.
  void add(const std::string& title,
           const std::vector<Edit>& edits,
           std::vector<Probe> probes,
           const std::string& missed);
  // A text as a whole.
  void add_text(const std::string& title,
                const std::string& name,
                std::string text,
                std::vector<Probe> probes,
                const std::string& missed,
                const std::string& equivalent = {});
  std::vector<Variant> take() { return std::move(variants_); }

 private:
  Variant& next(const std::string& title, std::vector<Probe> probes, const std::string& missed);
  std::string kind_;
  const Texts& texts_;
  std::vector<Variant> variants_;
};

// The parts of the generated texts that variants are made of: the class and what registers it.
struct ClassParts {
  std::string prelude;       // includes, the kernel's entry
  std::string body;          // namespace ShmemOps { … }
  std::string registration;  // what stands between the parentheses of the macro
};
ClassParts parts_of(const std::string& source);

std::vector<Variant> binding_variants(const contract::Contract& contract, const Texts& texts);
std::vector<Variant> test_variants(const Texts& texts);
std::vector<Variant> kernel_variants(const Texts& texts);

// Three sources that together register the one variant that SHMEM_BIND_MUTANT names, or the
// unchanged binding. Headers dominate compiling: so few files hold all variants.
struct MutantSources {
  std::string launch;    // src/npu_launch.cpp
  std::string bindings;  // src/torch_bindings.cpp
  std::string op;        // src/torch_bind_<op>.cpp
};
MutantSources mutant_sources(const std::vector<Variant>& variants,
                             const contract::Contract& contract,
                             const std::string& op_source,
                             const std::string& manager_source,
                             const std::string& launch_header,
                             const std::string& launch_source);

}  // namespace shmem_bind::prove
