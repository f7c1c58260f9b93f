#pragma once

#include "tool/verify/verdict.h"

namespace shmem_bind::verify {

// Fills the checks and the state from what was run: did everything pass, and was it everything that
// a plan without options runs? Pure.
void judge(const contract::Contract& contract, const Options& options, Verdict& verdict);

// The same for one job that was run by itself: what it shows, and that the rest was left out.
void judge_single(const contract::Contract& contract, Verdict& verdict);

// The state that these checks give.
State state_of(const std::vector<Check>& checks);

}  // namespace shmem_bind::verify
