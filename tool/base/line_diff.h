#pragma once

#include <string>
#include <string_view>

namespace shmem_bind {

// What turns `before` into `after`, as hunks with three lines of context ("@@ -1,4 +1,5 @@", ' ',
// '-', '+'). Empty when they are equal. Texts whose changed middle is over 3000 lines are shown as
// one replaced block.
std::string line_diff(std::string_view before, std::string_view after);

}  // namespace shmem_bind
