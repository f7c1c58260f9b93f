#pragma once

#include <string>
#include <string_view>
#include <vector>

// What a generated binding does at each place, and the rule behind it: for people who read it.

namespace shmem_bind::verify {

struct CodeBlock {
  size_t first_line = 1;
  std::string code;        // whole lines
  std::string_view title;  // empty: nothing to say
  std::string_view rule;
};

// Splits torch_bind_<op>.cpp where the generator begins something else. The blocks together are the
// text. Pure.
std::vector<CodeBlock> blocks_of(const std::string& source);

}  // namespace shmem_bind::verify
