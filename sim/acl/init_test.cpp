#include <gtest/gtest.h>

#include "acl/acl.h"
#include "sim/acl/test_words.h"
#include "tests/support/in_child.h"

namespace shmem_sim::acl {
namespace {

using shmem_sim::tests::in_child;
using tests::expect_refused;

TEST(Initialising, IsDoneOnceBeforeFinalize) {
  in_child({}, [] {
    EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
    for (int again = 0; again < 2; ++again) {
      expect_refused(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE, "initialised already");
    }
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
    EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  });
}

TEST(Finalizing, NeedsWhatWasInitialised) {
  in_child({}, [] {
    expect_refused(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "aclInit");
    EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
    expect_refused(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "aclInit");
  });
}

}  // namespace
}  // namespace shmem_sim::acl
