#include "tool/base/file_system.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace shmem_bind {
namespace {

class RealFiles : public ::testing::Test {
 protected:
  RealFiles() : folder(temporary_folder("file-system-test")) {}
  ~RealFiles() override { remove_tree(folder); }
  std::string folder;
  RealFileSystem files;
};

TEST_F(RealFiles, ReadsWhatItWrote) {
  const std::string path = folder + "/deep/er/file.txt";
  ASSERT_TRUE(files.write(path, std::string("a\0b\n", 4), false).ok());
  EXPECT_EQ(files.read(path).value(), std::string("a\0b\n", 4));
  EXPECT_TRUE(files.exists(path));
  EXPECT_FALSE(files.is_folder(path));
  EXPECT_TRUE(files.is_folder(folder + "/deep"));
}

TEST_F(RealFiles, WritesANameWithoutAFolder) {
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  const bool written = files.write("page.html", "<p>", false).ok();
  std::filesystem::current_path(before);
  ASSERT_TRUE(written);
  EXPECT_EQ(files.read(folder + "/page.html").value(), "<p>");
}

TEST_F(RealFiles, LeavesNothingBesideAWrittenFile) {
  ASSERT_TRUE(files.write(folder + "/b", "1", false).ok());
  ASSERT_TRUE(files.write(folder + "/a", "1", false).ok());
  ASSERT_TRUE(files.write(folder + "/b", "2", false).ok());
  EXPECT_EQ(files.list(folder), (std::vector<std::string>{"a", "b"}));
}

TEST_F(RealFiles, MakesScriptsExecutable) {
  ASSERT_TRUE(files.write(folder + "/run.sh", "#!/bin/sh\n", true).ok());
  struct stat status;
  ASSERT_EQ(stat((folder + "/run.sh").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0755u);
}

TEST_F(RealFiles, SaysWhatFailedAndWhy) {
  EXPECT_EQ(files.read(folder + "/none").failure().text,
            "cannot read " + folder + "/none: No such file or directory");
  EXPECT_EQ(files.read(folder).failure().text, "cannot read " + folder + ": Is a directory");
  ASSERT_TRUE(files.write(folder + "/file", "", false).ok());
  const auto below = files.write(folder + "/file/x", "", false);
  ASSERT_FALSE(below.ok());
  EXPECT_NE(below.failure().text.find("Not a directory"), std::string::npos)
      << below.failure().text;
}

TEST_F(RealFiles, RefusesToReadHugeFiles) {
  ASSERT_TRUE(files.write(folder + "/huge", "", false).ok());
  std::filesystem::resize_file(folder + "/huge", (100u << 20) + 1);  // sparse
  EXPECT_NE(files.read(folder + "/huge").failure().text.find("over the limit"), std::string::npos);
}

TEST_F(RealFiles, RemovesTrees) {
  ASSERT_TRUE(files.write(folder + "/t/a/b", "", false).ok());
  EXPECT_TRUE(files.remove(folder + "/t").ok());
  EXPECT_FALSE(files.exists(folder + "/t"));
  EXPECT_TRUE(files.remove(folder + "/t").ok()) << "nothing to remove is no failure";
}

TEST(MemoryFiles, BehaveLikeRealOnes) {
  MemoryFileSystem files;
  ASSERT_TRUE(files.write("/t/src/b.h", "text", false).ok());
  ASSERT_TRUE(files.write("/t/src/a.h", "", false).ok());
  EXPECT_EQ(files.read("/t/src/b.h").value(), "text");
  EXPECT_EQ(files.read("/t/none").failure().text, "cannot read /t/none: No such file or directory");
  EXPECT_TRUE(files.is_folder("/t/src"));
  EXPECT_FALSE(files.is_folder("/t/sr"));
  EXPECT_FALSE(files.is_folder("/t/src/b.h"));
  EXPECT_EQ(files.list("/t/src"), (std::vector<std::string>{"a.h", "b.h"}));
  EXPECT_EQ(files.list("/t"), (std::vector<std::string>{"src"}));
  ASSERT_TRUE(files.remove("/t/src").ok());
  EXPECT_FALSE(files.exists("/t/src/b.h"));
}

TEST(Paths, BecomeAbsoluteAndPlain) {
  EXPECT_EQ(absolute_path("/a/./b/../c"), "/a/c");
  EXPECT_EQ(absolute_path("x"), std::filesystem::current_path().string() + "/x");
}

}  // namespace
}  // namespace shmem_bind
