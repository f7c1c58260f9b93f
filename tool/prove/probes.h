#pragma once

#include <map>
#include <string>
#include <vector>

#include "tool/prove/variants.h"
#include "tool/verify/verify.h"

// The jobs of verify's plan, by what they show. What finds a variant is what a verification runs.

namespace shmem_bind::prove {

using Probes = std::map<Probe, std::vector<verify::Job>>;

// A probe that the operator has no job for is empty.
Probes probes_of(const contract::Contract& contract);

// Requirements that the wrong calls of these jobs break.
std::vector<std::string> provoked_by(const Probes& probes);

// What is run for a variant, in order: what should find it, then everything else, then more PEs
// (not for a variant that its author calls equivalent).
std::vector<verify::Job> jobs_for(const Variant& variant, const Probes& probes);

// How many of these jobs the first rounds run; a round comes only when the earlier ones found
// nothing.
constexpr size_t kRoundSizes[] = {1, 2, 4, 6, 100};

}  // namespace shmem_bind::prove
