#include "tool/base/tree_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>

#include "tool/base/file_system.h"

namespace shmem_bind {
namespace {

namespace fs = std::filesystem;
using Tree = std::map<std::string, std::string>;  // folders end in '/'

class TreeWriterTest : public testing::Test {
 protected:
  TreeWriterTest() : folder_(temporary_folder("tree-writer")) {}
  ~TreeWriterTest() override { remove_tree(folder_); }

  void put(const std::string& path, const std::string& text) {
    EXPECT_TRUE(RealFileSystem().write(folder_ + "/" + path, text, false).ok());
  }

  Tree tree() const {
    Tree found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      const std::string path = entry.path().string();
      const std::string name = path.substr(folder_.size() + 1);
      if (entry.is_directory()) {
        found[name + "/"] = "";
      } else {
        found[name] = RealFileSystem().read(path).value();
      }
    }
    return found;
  }

  void write(const std::vector<TreeFile>& files) {
    auto writer = TreeWriter::open(folder_);
    ASSERT_TRUE(writer.ok());
    const auto written = writer.value().write(files);
    EXPECT_TRUE(written.ok()) << written.failure().text;
  }

  // Writes in a process of its own that is killed in front of step `step`; false when there are
  // fewer steps.
  bool write_killed(const std::vector<TreeFile>& files, int step) {
    const pid_t child = fork();
    if (child == 0) {
      auto writer = TreeWriter::open(folder_);
      int left = step;
      writer.value().before_step = [&left] {
        if (left-- == 0) {
          raise(SIGKILL);
        }
      };
      _exit(writer.value().write(files).ok() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
  }

  // Every file of the old tree holds one of its two texts.
  void expect_old_or_new(const Tree& old_tree, const Tree& new_tree) const {
    Tree present = tree();
    for (const auto& [path, text] : old_tree) {
      EXPECT_TRUE(present[path] == text || present[path] == new_tree.at(path)) << path;
    }
  }

  // What the next run does before anything else.
  void settle() const {
    EXPECT_TRUE(TreeWriter::open(folder_).ok());
    EXPECT_FALSE(TreeWriter::is_interrupted(folder_));
  }

  std::string folder_;
};

TEST_F(TreeWriterTest, WritesNewFilesInNewFolders) {
  write({{"a/b/c.txt", "c", false}, {"a/run.sh", "run", true}});
  EXPECT_EQ(tree(), (Tree{{"a/", ""}, {"a/b/", ""}, {"a/b/c.txt", "c"}, {"a/run.sh", "run"}}));
  EXPECT_EQ(access((folder_ + "/a/run.sh").c_str(), X_OK), 0);
  EXPECT_NE(access((folder_ + "/a/b/c.txt").c_str(), X_OK), 0);
}

TEST_F(TreeWriterTest, KeepsTheModeOfAFileThatStandsThere) {
  put("a.sh", "old");
  chmod((folder_ + "/a.sh").c_str(), 0750);
  write({{"a.sh", "new", false}});
  struct stat status {};
  stat((folder_ + "/a.sh").c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0750u);
}

TEST_F(TreeWriterTest, WritesThroughALink) {
  put("real/a.txt", "old");
  fs::create_symlink("real/a.txt", folder_ + "/link.txt");
  write({{"link.txt", "new", false}});
  EXPECT_TRUE(fs::is_symlink(folder_ + "/link.txt"));
  EXPECT_EQ(tree().at("real/a.txt"), "new");
}

TEST_F(TreeWriterTest, AKillAtAnyStepLeavesTheOldTreeOrTheNewOne) {
  put("a.txt", "old a");
  put("b/b.txt", "old b");
  const Tree old_tree = tree();
  const std::vector<TreeFile> files = {
      {"a.txt", "new a", false}, {"b/b.txt", "new b", false}, {"c/d/e.txt", "new e", false}};
  const Tree new_tree = {{"a.txt", "new a"},
                         {"b/", ""},
                         {"b/b.txt", "new b"},
                         {"c/", ""},
                         {"c/d/", ""},
                         {"c/d/e.txt", "new e"}};
  int old_trees = 0;
  int new_trees = 0;
  for (int step = 0; write_killed(files, step); ++step) {
    EXPECT_TRUE(step == 0 || TreeWriter::is_interrupted(folder_)) << step;
    expect_old_or_new(old_tree, new_tree);
    settle();
    const Tree settled = tree();
    EXPECT_TRUE(settled == old_tree || settled == new_tree) << step;
    old_trees += settled == old_tree ? 1 : 0;
    new_trees += settled == new_tree ? 1 : 0;
    remove_tree(folder_ + "/c");
    put("a.txt", "old a");
    put("b/b.txt", "old b");
  }
  EXPECT_EQ(old_trees, 8);  // list, its rename, two folders, three texts, the moment itself
  EXPECT_EQ(new_trees, 4);  // three renames, the end
}

TEST_F(TreeWriterTest, RemovesFilesAndTheFoldersThatAreEmptyThen) {
  put("a/b/c.txt", "c");
  put("a/d.txt", "d");
  put("e/f/g.txt", "g");
  write({{"a/b/c.txt", "", false, true},
         {"e/f/g.txt", "", false, true},
         {"never/there.txt", "", false, true}});
  EXPECT_EQ(tree(), (Tree{{"a/", ""}, {"a/d.txt", "d"}}));
}

TEST_F(TreeWriterTest, AKillAtAnyStepOfARemovalIsMadeGoodByTheNextRun) {
  const std::vector<TreeFile> files = {
      {"a.txt", "new a", false}, {"b/b.txt", "", false, true}, {"c/c.txt", "", false, true}};
  int steps = 0;
  for (bool killed = true; killed; ++steps) {
    put("a.txt", "old a");
    put("b/b.txt", "b");
    put("c/c.txt", "c");
    const Tree old_tree = tree();
    killed = write_killed(files, steps);
    settle();
    EXPECT_TRUE(tree() == old_tree || tree() == Tree({{"a.txt", "new a"}})) << steps;
  }
  EXPECT_GT(steps, 5);
}

TEST_F(TreeWriterTest, AFailureLeavesTheOldTree) {
  put("a.txt", "old a");
  fs::create_directories(folder_ + "/b.txt.shmem-bind-part");
  const Tree before = tree();
  auto writer = TreeWriter::open(folder_);
  ASSERT_TRUE(writer.ok());
  const auto written = writer.value().write({{"a.txt", "new a", false}, {"b.txt", "b", false}});
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.failure().text.find("b.txt"), std::string::npos);
  EXPECT_EQ(tree(), before);
}

TEST_F(TreeWriterTest, OneRunAtATimeWritesIntoATree) {
  auto first = TreeWriter::open(folder_);
  ASSERT_TRUE(first.ok());
  const auto second = TreeWriter::open(folder_, 30);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.failure().text.find("another shmem-bind"), std::string::npos);
}

}  // namespace
}  // namespace shmem_bind
