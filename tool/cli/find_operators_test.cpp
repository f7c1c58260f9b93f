#include "tool/cli/find_operators.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace shmem_bind::cli {
namespace {

using Paths = std::vector<std::string>;

TEST(FindOperators, FindsFoldersWithADesignInOrder) {
  MemoryFileSystem files;
  files.files["tree/custom-ops/scatter/docs/design.md"] = "";
  files.files["tree/custom-ops/gather/docs/design.md"] = "";
  files.files["tree/custom-ops/gather/src/gather_kernel.h"] = "";
  files.files["tree/custom-ops/unwritten/src/unwritten_kernel.h"] = "";
  files.files["tree/docs/notes.md"] = "";
  EXPECT_EQ(find_operators("tree/", files),
            (Paths{"tree/custom-ops/gather", "tree/custom-ops/scatter"}));
}

TEST(FindOperators, TakesTheFolderItself) {
  MemoryFileSystem files;
  files.files["gather/docs/design.md"] = "";
  EXPECT_EQ(find_operators("gather", files), Paths{"gather"});
}

TEST(FindOperators, LeavesOutHiddenFoldersAndBuildFolders) {
  MemoryFileSystem files;
  files.files["tree/.cache/gather/docs/design.md"] = "";
  files.files["tree/out/CMakeCache.txt"] = "";
  files.files["tree/out/gather/docs/design.md"] = "";
  EXPECT_EQ(find_operators("tree", files), Paths{});
}

TEST(FindOperators, FollowsNoLinkBelowTheFolder) {
  RealFileSystem files;
  const std::string tree = temporary_folder("shmem-bind-find");
  ASSERT_TRUE(files.write(tree + "/gather/docs/design.md", "", false).ok());
  ASSERT_EQ(symlink(tree.c_str(), (tree + "/round").c_str()), 0);
  EXPECT_EQ(find_operators(tree, files), Paths{tree + "/gather"});
  remove_tree(tree);
}

}  // namespace
}  // namespace shmem_bind::cli
