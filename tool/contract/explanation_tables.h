#pragma once

#include <span>

#include "tool/contract/explanation.h"

// One table for each part of errors.h, in its order.

namespace shmem_bind::contract {

std::span<const Explanation> document_explanations();  // C001 to C012, C026 to C028
std::span<const Explanation> value_explanations();     // the other C
std::span<const Explanation> header_explanations();    // H
std::span<const Explanation> number_explanations();    // N and G

}  // namespace shmem_bind::contract
