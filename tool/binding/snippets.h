#pragma once

#include <map>
#include <string>
#include <string_view>

namespace shmem_bind::binding {

// A file of tool/binding/snippets/, built into the program. An unknown name is a fault of ours and
// aborts.
std::string_view snippet(std::string_view name);

// The snippet with every @@name@@ replaced. A value that is missing, or not used, is a fault of
// ours and aborts. Values are not searched for places: the user's text may hold anything.
std::string filled(std::string_view name, const std::map<std::string, std::string>& values);

}  // namespace shmem_bind::binding
