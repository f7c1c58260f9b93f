#pragma once

#include "tool/base/diagnostic.h"
#include "tool/contract/yaml.h"

namespace shmem_bind::contract {

// The listed sections of a contract (contract §2, §3; DSL 0.3): their keys and the forms of their
// values. Unknown keys are warnings that name the nearest known key; wrong forms are errors.
// Placeholders and look-alike punctuation in them are errors. Sections that are not listed are not
// looked at.
void check_keys(const YamlNode& root, Diagnostics& diagnostics);

}  // namespace shmem_bind::contract
