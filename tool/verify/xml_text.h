#pragma once

#include <string>
#include <string_view>

namespace shmem_bind::verify {

// Text as content or attribute of XML and HTML: & < > " ' escaped; control characters, which XML
// cannot hold, and bytes that are no UTF-8 become U+FFFD.
std::string escaped(std::string_view text);

}  // namespace shmem_bind::verify
