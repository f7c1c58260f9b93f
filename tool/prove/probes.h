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

// What is run for a variant, round by round: what should find it, then everything else, then more
// PEs. A round comes only when the earlier ones found nothing.
std::vector<std::vector<Probe>> rounds_of(const Variant& variant);

}  // namespace shmem_bind::prove
