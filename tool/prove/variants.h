#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tool/contract/contract.h"
#include "tool/verify/mutant.h"

// Known-bad variants of a binding, of its test and of its kernel, as texts. Pure.

namespace shmem_bind::prove {

// Texts by what they are: "class", "header", "launch", "checks", "manager" of a binding; "test",
// "pe", "parent" of the test, "kernel".
using Texts = std::map<std::string, std::string>;

// Jobs of verify's plan, by what they show.
enum class Probe {
  kFirst,       // every dtype, the first case
  kCases,       // every dtype and case
  kWrongCalls,  // calls that must raise
  kStreams,     // other streams
  kLives,       // several objects, SHMEM initialised again
  kOrders,      // adversarial orders, one PE late
  kLarge,       // the stress cases, also with one PE late
  kShapes,      // zero and changing shapes
  kMore         // more PEs
};

struct Variant {
  verify::Mutant row;         // state and by are set when it cannot be made here
  Texts texts;                // those that differ
  std::vector<Probe> probes;  // what should find it, cheapest first; all others are run behind them
  std::string equivalent;     // why the author says that nothing can show it
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
  // It cannot be made for this operator.
  void leave_out(const std::string& title, const std::string& reason);
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

// `provoked`: requirements of the contract that some call of the test breaks.
std::vector<Variant> binding_variants(const contract::Contract& contract,
                                      const Texts& texts,
                                      const std::vector<std::string>& provoked);
// Of these, the part about launching, the life of SHMEM, numbers and checks.
void add_call_variants(Maker& maker,
                       const std::string& body,
                       const std::vector<std::string>& provoked);
std::vector<Variant> test_variants(const Texts& texts);
std::vector<Variant> kernel_variants(const Texts& texts);

// A kernel in which one signal stands in front of the data it speaks of, for each place; and the
// line of the signal.
struct Reordered {
  size_t line = 0;  // from 1
  std::string text;
};
std::vector<Reordered> signals_before_data(const std::string& kernel);

// Three sources that together register the one variant that SHMEM_BIND_MUTANT names, or the
// unchanged binding. Headers dominate compiling: so few files hold all variants.
struct MutantSources {
  std::string launch;    // src/npu_launch.cpp
  std::string bindings;  // src/torch_bindings.cpp
  std::string op;        // src/torch_bind_<op>.cpp
};
MutantSources mutant_sources(const std::vector<Variant>& variants,
                             const std::string& op_source,
                             const std::string& manager_source,
                             const Texts& texts);

// What stands behind a kernel, so that its library says which one was loaded.
std::string announcing(const std::string& id);

}  // namespace shmem_bind::prove
