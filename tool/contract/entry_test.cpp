#include <gtest/gtest.h>

#include "tool/contract/testing.h"

// Which function of the header is the entry, and what its parameters receive.

namespace shmem_bind::contract {
namespace {

using Role = Argument::Role;

Contract good(const Read& found) {
  EXPECT_TRUE(found.contract.has_value()) << found.text();
  return found.contract.value_or(Contract{});
}

TEST(Entry, IsFoundUnderEveryPublicSpelling) {
  for (const char* name :
       {"aclshmem_copy_rows", "copy_rows_kernel", "copy_rows_demo", "anything_alone"}) {
    EXPECT_EQ(good(read(kGoodDesign, replaced(kGoodHeader, "copy_rows_kernel", name))).entry.name,
              name);
  }
}

TEST(Entry, IsNamedWhenThereAreSeveral) {
  const std::string two = replaced(kGoodHeader, "copy_rows_kernel", "first") +
                          replaced(kGoodHeader, "copy_rows_kernel", "second");
  EXPECT_EQ(read(kGoodDesign, two).codes(), "H003");
  const std::string named =
      changed(kGoodDesign, "  block_dim", "  entry: Kernels::second\n  block_dim");
  EXPECT_EQ(good(read(named, two)).entry.name, "second");
  const Read misspelt =
      read(changed(kGoodDesign, "  block_dim", "  entry: Kernels::secnd\n  block_dim"), two);
  EXPECT_NE(misspelt.text().find("did you mean Kernels::second?"), std::string::npos)
      << misspelt.text();
}

TEST(Entry, OverloadsAreToldApartByTypes) {
  const std::string two =
      std::string(kGoodHeader) +
      "namespace Kernels { template <class T> void copy_rows_kernel(int, float); }\n";
  const Read unclear = read(kGoodDesign, two);
  EXPECT_EQ(unclear.codes(), "H004");
  EXPECT_EQ(unclear.diagnostics.list()[0].related.size(), 2u);
  const std::string chosen =
      changed(kGoodDesign,
              "  block_dim",
              "  entry: \"copy_rows_kernel(uint32_t, void*, ...)\"\n  block_dim");
  EXPECT_TRUE(read(chosen, two).contract.has_value()) << read(chosen, two).text();
  const std::string other =
      changed(kGoodDesign, "  block_dim", "  entry: \"copy_rows_kernel(uint32_t)\"\n  block_dim");
  EXPECT_NE(read(other, two).text().find("with other parameters"), std::string::npos);
}

TEST(Entry, MustBeCallableFromTheHost) {
  EXPECT_EQ(read(kGoodDesign, replaced(kGoodHeader, "\nvoid copy", "\nint copy")).codes(), "H013");
  EXPECT_EQ(
      read(kGoodDesign, replaced(kGoodHeader, "template <class T>", "template <class T, int N>"))
          .codes(),
      "H014");
  EXPECT_EQ(
      read(kGoodDesign, replaced(kGoodHeader, "\nvoid copy", "\n__global__ __aicore__ void copy"))
          .codes(),
      "H015");
  EXPECT_NE(
      read(kGoodDesign, "class Copier { void run(); };\n").text().find("only the class Copier"),
      std::string::npos);
  EXPECT_EQ(read(kGoodDesign, "").codes(), "H003");
}

TEST(Entry, ReportsErrorsOfItsOwnDeclarationOnly) {
  const Read broken = read(kGoodDesign, replaced(kGoodHeader, "uint8_t* gva", "heap_t* gva"));
  EXPECT_EQ(broken.codes(), "H002") << broken.text();
  EXPECT_NE(broken.text().find("unknown type name 'heap_t'"), std::string::npos);
  EXPECT_NE(read(kGoodDesign,
                 "#include \"heap.h\"\n" + replaced(kGoodHeader, "uint8_t* gva", "heap_t* gva"))
                .text()
                .find("not found: heap.h"),
            std::string::npos);
  EXPECT_EQ(read(kGoodDesign, std::string(kGoodHeader) + "inline other_t f();\n").codes(), "");
}

TEST(Entry, NeedsADispatchThatFits) {
  EXPECT_EQ(read(kGoodDesign, replaced(kGoodHeader, "template <class T>\n", "")).codes(), "H009");
  const std::string single = changed(kGoodDesign, "[int32, fp16]", "[int32]");
  EXPECT_FALSE(
      good(read(single, replaced(kGoodHeader, "template <class T>\n", ""))).entry.is_template);
}

TEST(Arguments, AreAskedForWhenNotUnique) {
  const Read found = read_changed(", magic: epoch", "");
  EXPECT_EQ(found.codes(), "H005");
  EXPECT_NE(found.text().find("arguments: {magic: <an expression"), std::string::npos)
      << found.text();
  const Read two = read(kGoodDesign,
                        changed(changed(kGoodHeader, "uint8_t* input", "uint8_t* src"),
                                "uint8_t* output",
                                "uint8_t* dst"));
  EXPECT_EQ(two.codes(), "H005 H005") << "never guessed between two candidates";
  EXPECT_NE(two.text().find("arguments: {src: <output or input or state>}"), std::string::npos)
      << two.text();
}

TEST(Arguments, AreDeducedWhenOnlyOneThingIsLeft) {
  const Contract contract =
      good(read(kGoodDesign, changed(kGoodHeader, "uint8_t* input", "uint8_t* src")));
  EXPECT_EQ(contract.entry.arguments[3].tensor, 1);
  const Contract state = good(read_changed("gva: state, ", ""));
  EXPECT_EQ(state.entry.arguments[5].role, Role::kState);
}

TEST(Arguments, FollowNamesNotPositions) {
  const std::string swapped = changed(
      changed(kGoodHeader, "uint8_t* input", "uint8_t* TMP"), "uint8_t* output", "uint8_t* input");
  const Contract contract =
      good(read(kGoodDesign, changed(swapped, "uint8_t* TMP", "uint8_t* output")));
  EXPECT_EQ(contract.entry.arguments[3].tensor, 0);
  EXPECT_EQ(contract.entry.arguments[4].tensor, 1);
}

TEST(Arguments, MustFitTheHeader) {
  EXPECT_EQ(read_changed("magic: epoch", "magik: epoch").codes().substr(0, 4), "H007");
  EXPECT_EQ(read_changed("magic: epoch", "magic: input").codes(), "H007")
      << "a tensor for a number";
  EXPECT_EQ(read_changed("gva: state", "gva: \"16\"").codes(), "H007") << "a number for a pointer";
  EXPECT_EQ(read_changed("magic: epoch", "magic: \"epohc + 1\"").codes(), "H008 C016");
}

TEST(Arguments, CoverStreamStateAndTensors) {
  EXPECT_EQ(read_changed("  state: \"4096 * n_pes\"\n", "").codes(), "H010");
  EXPECT_EQ(read_changed("magic: epoch", "magic: \"1\"").codes(), "H008")
      << "a warning: nothing tells calls apart";
  const Read no_stream =
      read(changed(kGoodDesign, "magic: epoch", "magic: epoch, block_dim: block_dim"),
           changed(kGoodHeader, "void* stream, ", ""));
  EXPECT_EQ(no_stream.codes(), "H012");
  EXPECT_EQ(read(kGoodDesign, changed(kGoodHeader, "int32_t magic", "struct Tiling magic")).codes(),
            "H007");
}

TEST(Arguments, TakeTheStateFromMemoryBuffers) {
  std::string design = changed(kGoodDesign, "  state: \"4096 * n_pes\"\n", "");
  design = changed(design, "gva: state, ", "");
  design = changed(
      design,
      "correctness:\n",
      "memory:\n  buffers: [{name: gva, type: symmetric, size: \"n_pes * 64\"}]\ncorrectness:\n");
  const Contract contract = good(read(design));
  EXPECT_EQ(contract.entry.arguments[5].role, Role::kState);
  ASSERT_NE(contract.state_bytes, nullptr);
  const std::string two_sizes =
      changed(kGoodDesign, "correctness:\n", "memory: {state: \"64\"}\ncorrectness:\n");
  EXPECT_EQ(read(two_sizes).codes(), "C012");
}

TEST(Attributes, BecomeArgumentsByName) {
  const std::string design = changed(kGoodDesign,
                                     "  outputs:\n",
                                     "  attrs: [{name: root, type: int, default: 3}, {name: "
                                     "block_dim, type: int, default: \"2\"}]\n  outputs:\n");
  const Contract contract =
      good(read(design, changed(kGoodHeader, "int32_t magic", "int32_t magic, int32_t root")));
  ASSERT_EQ(contract.attributes.size(), 1u) << "block_dim is none";
  EXPECT_EQ(contract.attributes[0].default_text, "3");
  EXPECT_EQ(contract.entry.arguments.back().text, "root");
  EXPECT_EQ(read(replaced(design, "default: 3", "default: 3.5")).codes().substr(0, 4), "C009");
}

TEST(Arguments, UseEveryTensorAndTheState) {
  const std::string header = changed(kGoodHeader, "uint8_t* input,", "");
  EXPECT_EQ(read(kGoodDesign, header).codes(), "H006");
  EXPECT_EQ(
      read(changed(kGoodDesign, "gva: state, ", ""), changed(kGoodHeader, "uint8_t* gva, ", ""))
          .codes(),
      "H011");
}

TEST(Arguments, HaveTypesThatCanBeBound) {
  const std::string header =
      changed(changed(kGoodHeader, "namespace", "struct Options {};\nnamespace"),
              "int32_t magic)",
              "int32_t magic, Options options)");
  EXPECT_EQ(read(kGoodDesign, header).codes(), "H016");
}

TEST(Entry, IsHostCode) {
  const std::string header = changed(kGoodHeader, "void copy_rows", "__aicore__ void copy_rows");
  EXPECT_EQ(
      read(changed(kGoodDesign, "  block_dim", "  entry: copy_rows_kernel\n  block_dim"), header)
          .codes(),
      "H015");
}

TEST(Header, IsChosenByName) {
  Sources sources;
  sources.design = sources.texts.add("design.md", kGoodDesign);
  Diagnostics none;
  EXPECT_FALSE(read_contract(sources, none).has_value());
  EXPECT_EQ(none.list().back().rule->code, "H001");
  sources.headers.push_back(
      {sources.texts.add("a.h", "using magic_t = int32_t;\n"), "src/types.h"});
  sources.headers.push_back(
      {sources.texts.add(
           "k.h",
           "#include \"types.h\"\n" + changed(kGoodHeader, "int32_t magic", "magic_t magic")),
       "src/copy_rows_kernel.h"});
  Diagnostics diagnostics;
  const auto contract = read_contract(sources, diagnostics);
  ASSERT_TRUE(contract.has_value());
  EXPECT_EQ(contract->entry.arguments.back().canonical_type, "int");
}

}  // namespace
}  // namespace shmem_bind::contract
