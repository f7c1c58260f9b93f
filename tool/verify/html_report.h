#pragma once

#include <string>

#include "tool/verify/verdict.h"

namespace shmem_bind::verify {

// One page that needs nothing beside itself: no script, no font, no picture, no network. `source`
// is the operator's generated file, empty when it is not at hand. Pure.
std::string to_html(const Verdict& verdict, const std::string& source);

}  // namespace shmem_bind::verify
