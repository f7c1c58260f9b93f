#pragma once

#include <string>
#include <vector>

#include "tool/prove/judge_variant.h"
#include "tool/prove/variants.h"

// What becomes of a wrong test. Pure.

namespace shmem_bind::prove {

// What a wrong test said of one binding; `wrong` is empty for the unchanged one.
struct TestRun {
  std::string wrong;  // with that binding
  End end;
};

// Bindings that a sound test finds, each by another of its checks: those of `variants` that were
// killed.
std::vector<const Variant*> references(const std::vector<Variant>& variants);

// Fills state and by. A wrong test is killed when it fails the unchanged operator, which is the
// first of `runs`; or because verify sees, by `drift`, that it is not the generated one.
void judge_test(verify::Mutant& row, const std::vector<TestRun>& runs, const std::string& drift);

}  // namespace shmem_bind::prove
