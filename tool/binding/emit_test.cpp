#include "tool/binding/emit.h"

#include <gtest/gtest.h>

#include "tool/contract/testing.h"

namespace shmem_bind::binding {
namespace {

FileSet files_of(const contract::Read& read) {
  EXPECT_TRUE(read.contract.has_value()) << read.text();
  return read.contract ? emit(*read.contract) : FileSet{};
}

const std::string& text_of(const FileSet& files, const std::string& path) {
  return files.at("custom-ops/" + path).text;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kClass = "torch_binding/src/torch_bind_copy_rows.cpp";
constexpr const char* kPackage = "torch_binding/python/shmem_custom_ops/copy_rows.py";

TEST(Emit, GivesTheSameBytesForTheSameContract) {
  const FileSet first = files_of(contract::read(contract::kGoodDesign));
  const FileSet second = files_of(contract::read(contract::kGoodDesign));
  ASSERT_EQ(first.size(), second.size());
  for (const auto& [path, file] : first) {
    EXPECT_EQ(file.text, second.at(path).text) << path;
    EXPECT_FALSE(has(file.text, "@@")) << path;
    EXPECT_FALSE(edited_by_hand(file.text)) << path;
  }
}

TEST(Emit, PassesEveryKernelParameterInItsPlace) {
  const std::string text = text_of(files_of(contract::read(contract::kGoodDesign)), kClass);
  const size_t input = text.find("input_dense.data_ptr()");
  const size_t output = text.find("output_dense.data_ptr()");
  ASSERT_NE(input, std::string::npos) << text;
  EXPECT_LT(input, output) << "the header's order";
  EXPECT_FALSE(has(text, "storage()"));
  EXPECT_TRUE(has(text, "case at::kInt:"));
  EXPECT_TRUE(has(text, "case at::kHalf:"));
  EXPECT_FALSE(has(text, "case at::kFloat:"));
}

TEST(Emit, FollowsTheHeaderWhenItSwapsParameters) {
  using contract::changed;
  const std::string swapped =
      changed(changed(changed(contract::kGoodHeader, "uint8_t* input", "uint8_t* TMP"),
                      "uint8_t* output",
                      "uint8_t* input"),
              "uint8_t* TMP",
              "uint8_t* output");
  const std::string text =
      text_of(files_of(contract::read(contract::kGoodDesign, swapped)), kClass);
  EXPECT_LT(text.find("output_dense.data_ptr()"), text.find("input_dense.data_ptr()"));
}

TEST(Emit, PutsTheOperatorsLinesIntoSharedRegions) {
  const FileSet files = files_of(contract::read(contract::kGoodDesign));
  const GeneratedFile& cmake = files.at("custom-ops/torch_binding/CMakeLists.txt");
  EXPECT_EQ(cmake.shared.at("sources"),
            (std::vector<std::string>{"  src/torch_bind_copy_rows.cpp"}));
  EXPECT_EQ(cmake.shared.count("kernel_targets"), 1u);
}

TEST(Emit, TypesThePythonPackage) {
  const std::string text = text_of(files_of(contract::read(contract::kGoodDesign)), kPackage);
  EXPECT_TRUE(has(text, "class CopyRows(Protocol):"));
  EXPECT_TRUE(has(text, "output: written, [n_pes, rows, cols]; int32, fp16"));
  EXPECT_TRUE(has(text, "input: read, [rows, cols]; int32, fp16"));
  EXPECT_TRUE(has(text, "torch.ops.shmem_ops.copy_rows(op, output, input)"));
}

TEST(Emit, GivesAttributesTheirTypeAndDefault) {
  const auto read = contract::read_changed(
      "  outputs:", "  attrs: [{name: root, type: int, default: 3}]\n  outputs:");
  const FileSet files = files_of(read);
  EXPECT_TRUE(has(text_of(files, kClass), "int root=3")) << text_of(files, kClass);
  EXPECT_TRUE(has(text_of(files, kPackage), "root: int = 3,"));
}

}  // namespace
}  // namespace shmem_bind::binding
