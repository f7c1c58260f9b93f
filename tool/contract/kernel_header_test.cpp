#include "tool/contract/kernel_header.h"

#include <gtest/gtest.h>

namespace shmem_bind::contract {
namespace {

KernelHeader parsed_header(const std::string& text) {
  return read_kernel_header({"src/k.h", text, 0}, {});
}

Function only(const std::string& text) {
  KernelHeader header = parsed_header(text);
  EXPECT_EQ(header.functions.size(), 1u) << text;
  return header.functions.empty() ? Function{} : header.functions[0];
}

TEST(KernelHeader, ReadsAPlainFunction) {
  const Function f = only("void copy(uint32_t block_dim, void* stream, int32_t elements);\n");
  EXPECT_EQ(f.qualified(), "copy");
  EXPECT_FALSE(f.is_template);
  ASSERT_EQ(f.parameters.size(), 3u);
  EXPECT_EQ(f.parameters[0].type, "uint32_t");
  EXPECT_EQ(f.parameters[0].canonical, "unsigned int");
  EXPECT_EQ(f.parameters[1].name, "stream");
  EXPECT_EQ(f.parameters[1].canonical, "void *");
  EXPECT_TRUE(f.parameters[1].is_pointer());
  EXPECT_TRUE(f.parameters[2].is_number());
  EXPECT_EQ(f.declaration(), "void copy(uint32_t block_dim, void* stream, int32_t elements);");
}

TEST(KernelHeader, ReadsTemplatesInNamespaces) {
  const Function f = only(
      "#include <cstdint>\nnamespace A { namespace B {\ntemplate <typename DT>\n"
      "void copy(std::uint32_t n, DT* data);\n}}\n");
  EXPECT_EQ(f.qualified(), "A::B::copy");
  EXPECT_TRUE(f.is_template);
  EXPECT_EQ(f.template_parameter, "DT");
  EXPECT_EQ(f.declaration(), "template <class DT>\nvoid copy(std::uint32_t n, DT* data);");
  EXPECT_EQ(f.parameters[1].canonical, "type-parameter-0-0 *");
}

TEST(KernelHeader, DropsDefaultArgumentsFromTheDeclaration) {
  const Function f =
      only("void f(void* stream, int mode = (1 << 2), const char* s = \"a(\", int n = {});\n");
  ASSERT_EQ(f.parameters.size(), 4u);
  EXPECT_EQ(f.parameters[2].type, "const char *");
  EXPECT_EQ(f.declaration(), "void f(void* stream, int mode, const char* s, int n);");
}

TEST(KernelHeader, ReplacesTheVendorsTypedefs) {
  const Function f = only(
      "#include \"acl/acl.h\"\n#include \"kernel_operator.h\"\nvoid f(aclrtStream s, GM_ADDR x, "
      "op::fp16_t* y);\n");
  EXPECT_EQ(f.parameters[0].canonical, "void *");
  EXPECT_EQ(f.parameters[1].canonical, "unsigned char *");
  EXPECT_EQ(f.declaration(), "void f(void* s, uint8_t* x, op::fp16_t* y);");
}

TEST(KernelHeader, IgnoresWhatACompilerIgnores) {
  const KernelHeader header = parsed_header(
      "#if 0\nvoid no(int);\n#endif\n// void neither(int);\n/* void nor(int); */\n"
      "#define EXPORT __attribute__((visibility(\"default\")))\n"
      "EXPORT [[nodiscard]] int \\\n  yes(int a,\n      int /* unnamed */);\nvoid yes_too(void *a, "
      "void *b)");
  ASSERT_GE(header.functions.size(), 1u);
  EXPECT_EQ(header.functions[0].name, "yes");
  EXPECT_EQ(header.functions[0].return_type, "int");
  EXPECT_EQ(header.functions[0].parameters[1].name, "");
}

TEST(KernelHeader, KeepsOverloadsAndCountsARepeatedDeclarationOnce) {
  const KernelHeader header =
      parsed_header("void f(int);\nvoid f(long);\nvoid f(int);\nnamespace N { void f(int); }\n");
  ASSERT_EQ(header.functions.size(), 3u);
  EXPECT_EQ(header.functions[2].qualified(), "N::f");
}

TEST(KernelHeader, TellsCAndDeviceFunctions) {
  const KernelHeader header = parsed_header(
      "extern \"C\" {\nvoid launch(void* stream);\n}\nextern \"C\" __global__ __aicore__ void "
      "kernel(GM_ADDR x);\n"
      "__aicore__ inline void helper() {}\n");
  ASSERT_EQ(header.functions.size(), 3u);
  EXPECT_TRUE(header.functions[0].is_c);
  EXPECT_FALSE(header.functions[0].is_device);
  EXPECT_EQ(header.functions[0].declaration(), "extern \"C\" void launch(void* stream);");
  EXPECT_TRUE(header.functions[1].is_device);
  EXPECT_TRUE(header.functions[2].is_device);
}

TEST(KernelHeader, KnowsOtherTemplateParameters) {
  EXPECT_EQ(only("template <class T, int N> void f(T* x);\n").template_parameter, "");
  EXPECT_EQ(only("template <int N> void f(int x);\n").template_parameter, "");
  EXPECT_EQ(only("template <class> void f(int x);\n").template_parameter, "T");
}

TEST(KernelHeader, NamesClassesWhenThereIsNoFunction) {
  const KernelHeader header = parsed_header(
      "class Shuffle { public: void run(int); private: int count_; };\nstruct Forward;\n");
  EXPECT_TRUE(header.functions.empty());
  EXPECT_EQ(header.classes, (std::vector<std::string>{"Shuffle"}));
}

TEST(KernelHeader, GivesErrorsToTheFunctionTheyStandIn) {
  const KernelHeader header = parsed_header("void good(int);\nvoid bad(unknown_t x, int y);\n");
  ASSERT_EQ(header.functions.size(), 2u);
  EXPECT_TRUE(header.functions[0].errors.empty());
  ASSERT_EQ(header.functions[1].errors.size(), 1u);
  EXPECT_EQ(header.functions[1].errors[0].text, "unknown type name 'unknown_t'");
  EXPECT_EQ(header.functions[1].errors[0].span.begin, 25u);
}

TEST(KernelHeader, GoesOnWithoutHeadersItDoesNotHave) {
  const KernelHeader header = parsed_header(
      "#include \"tiling/matmul.h\"\n#include <vector>\nvoid f(int);\nstruct S { tiling::Data "
      "data; };\n");
  ASSERT_EQ(header.functions.size(), 1u);
  EXPECT_TRUE(header.functions[0].errors.empty());
  EXPECT_EQ(header.not_found, (std::vector<std::string>{"tiling/matmul.h", "vector"}));
}

TEST(KernelHeader, IncludesHeadersOfTheSameFolder) {
  const HeaderText other{"src/types.h", "using count_t = unsigned short;\nvoid other(int);\n", 1};
  const KernelHeader header =
      read_kernel_header({"src/k.h", "#include \"types.h\"\nvoid f(count_t n);\n", 0}, {&other, 1});
  ASSERT_EQ(header.functions.size(), 1u) << "functions of the other header are not listed";
  EXPECT_EQ(header.functions[0].parameters[0].canonical, "unsigned short");
  EXPECT_TRUE(header.not_found.empty());
}

TEST(KernelHeader, BearsAnythingThatIsNoHeader) {
  EXPECT_TRUE(parsed_header("").functions.empty());
  EXPECT_TRUE(parsed_header("\xef\xbb\xbf#pragma once\r\nvoid f(int);\r\n").errors.empty())
      << "byte order mark, CRLF";
  EXPECT_FALSE(parsed_header("}}}} ((( not C++").errors.empty());
}

}  // namespace
}  // namespace shmem_bind::contract
