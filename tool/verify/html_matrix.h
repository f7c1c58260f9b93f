#pragma once

#include <string>

#include "tool/verify/verdict.h"

namespace shmem_bind::verify {

// The section of the HTML report with a table for each number of PEs: cases down, dtypes across.
std::string matrix_section(const Verdict& verdict);

}  // namespace shmem_bind::verify
