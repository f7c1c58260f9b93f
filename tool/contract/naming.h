#pragma once

#include <string>
#include <string_view>

namespace shmem_bind::contract {

// all_gather -> AllGather, kv_shuffle -> KVShuffle: segments in the acronym table are upper-cased.
std::string class_name_of(std::string_view op_name);

bool is_op_name(std::string_view name);  // lower case letter first, [a-z0-9_], no keyword
bool is_keyword(std::string_view name);  // of C++ or Python
// Words of the expression language and of torch_binding.arguments: no names for tensors.
bool is_reserved(std::string_view name);
std::string cpp_name_of(
    std::string_view name);  // keywords and names the generated code uses get '_' appended

}  // namespace shmem_bind::contract
