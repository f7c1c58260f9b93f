#pragma once

#include <gtest/gtest.h>

#include <string>

#include "acl/acl.h"

// Words that the tests of this folder share.

namespace shmem_sim::acl::tests {

// What aclGetRecentErrMsg gives to this thread; empty when there is nothing.
inline std::string recent_message() {
  const char* text = aclGetRecentErrMsg();
  return text != nullptr ? text : "";
}

// The call that has just returned `error` failed with `code`, and its message contains `said`.
inline void expect_refused(int error, int code, const std::string& said) {
  EXPECT_EQ(error, code) << said;
  EXPECT_NE(recent_message().find(said), std::string::npos) << "no message says: " << said;
}

inline aclrtStream new_stream(int device = 0) {
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtSetDevice(device), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  return stream;
}

}  // namespace shmem_sim::acl::tests
