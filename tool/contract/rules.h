#pragma once

#include <span>

#include "tool/base/diagnostic.h"

namespace shmem_bind::contract {

// Every rule of errors.h, in the order of docs/rules.md.
std::span<const Rule* const> all_rules();

}  // namespace shmem_bind::contract
