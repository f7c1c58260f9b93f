#include "tool/doctor/library_path.h"

#include <gtest/gtest.h>

namespace shmem_bind::doctor {
namespace {

class LibraryPath : public ::testing::Test {
 protected:
  LibraryPath() {
    files.files["/sim/cann/lib64/libascendcl.so"] = "";
    files.files["/sim/shmem/install/shmem/lib/libshmem.so"] = "";
    files.files["/old/lib/libshmem.so"] = "";
    files.files["/old/lib/libascendcl.so"] = "";
    files.files["/usr/local/lib/libpng.so"] = "";
  }
  Finding only(const std::string& path) {
    const Findings findings = look_at_library_path(path, roots, files);
    EXPECT_EQ(findings.size(), 1U);
    return findings.front();
  }
  MemoryFileSystem files;
  Roots roots{"/sim/cann", "/sim/shmem"};
};

TEST_F(LibraryPath, IsInOrderWhenItIsEmptyOrHoldsTheRootsAlone) {
  EXPECT_EQ(only("").health, Health::kGreen);
  EXPECT_EQ(only("/sim/shmem/install/shmem/lib:/sim/cann/lib64/:/usr/local/lib").health,
            Health::kGreen);
}

TEST_F(LibraryPath, IsRedWhenAnotherInstallationStandsInFront) {
  const Finding finding = only("/old/lib:/sim/cann/lib64");
  EXPECT_EQ(finding.health, Health::kRed);
  EXPECT_EQ(finding.found,
            "/old/lib holds libascendcl.so, libshmem.so of another installation, in front of this "
            "one");
  EXPECT_EQ(finding.fix,
            "unset LD_LIBRARY_PATH; . /sim/cann/set_env.sh; . /sim/shmem/install/set_env.sh");
}

TEST_F(LibraryPath, IsRedWhenItStandsBetweenTheRoots) {
  EXPECT_EQ(only("/sim/cann/lib64:/old/lib:/sim/shmem/install/shmem/lib").health, Health::kRed);
}

TEST_F(LibraryPath, IsYellowWhenAnotherInstallationStandsBehind) {
  EXPECT_EQ(only("/sim/cann/lib64:/old/lib").health, Health::kYellow);
  EXPECT_EQ(only("/old/lib").health, Health::kYellow) << "set_env.sh puts the roots in front";
}

TEST_F(LibraryPath, NamesAFolderThatIsNotThere) {
  EXPECT_EQ(only("/gone").found, "/gone is not there");
}

}  // namespace
}  // namespace shmem_bind::doctor
