#include "sim/kernelc/rewrite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/kernelc/tokens.h"

namespace shmem_sim::kernelc {
namespace {

std::string rewritten(const std::string& text) {
  const Rewritten result = rewrite(text, false);
  EXPECT_TRUE(result.problems.empty()) << (result.problems.empty() ? "" : result.problems[0].text);
  return result.text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Tokens, PrintBackUnchanged) {
  const std::string text =
      "# 3 \"a.cpp\" 1\nint a = 1'000 + .5e-3; auto s = R\"x(<<<)\" )x\"; char c = '\\''; f<<<1, "
      "2>>>(s); a<<b>>c;\n";
  std::string out;
  for (const Token& token : tokenize(text).list) {
    out += token.text;
  }
  EXPECT_EQ(out, text);
}

TEST(Tokens, LineMarkersGiveThePlaceInTheUsersFile) {
  const Tokens tokens = tokenize("# 10 \"dir/a.cpp\"\nint a;\nint b;\n# 5 \"b.h\"\nint c;\n");
  for (const Token& token : tokens.list) {
    const std::string& file = tokens.files[static_cast<size_t>(token.file)];
    if (token.text == "b") {
      EXPECT_EQ(file, "dir/a.cpp");
      EXPECT_EQ(token.line, 11);
    } else if (token.text == "c") {
      EXPECT_EQ(file, "b.h");
      EXPECT_EQ(token.line, 5);
    }
  }
}

TEST(Rewrite, ALaunchKeepsItsArguments) {
  EXPECT_EQ(
      rewritten("k<<<blocks, nullptr, stream>>>(a, b);"),
      "::shmem_sim::kernel_launch(k, \"k\", \"<unknown>\", 1, blocks, nullptr, stream)(a, b);");
}

TEST(Rewrite, ATemplateArgumentListBelongsToTheCallee) {
  const std::string text = rewritten("ns::k<std::pair<int, A<3>>, (1 > 0)><<<n * 2, 0, s>>>(x);");
  EXPECT_TRUE(contains(text, "kernel_launch(ns::k<std::pair<int, A<3>>, (1 > 0)>,")) << text;
  EXPECT_TRUE(contains(text, "n * 2, 0, s)(x);")) << text;
}

TEST(Rewrite, ShiftsAndOperatorsAreNoLaunches) {
  const std::string text =
      "int x = a << b >> c; o << 1; bool y = p < q; v.operator<< <int>(3); t = a<b<c>>(d);";
  EXPECT_EQ(rewritten(text), text);
}

TEST(Rewrite, WhatLooksLikeALaunchInATextStays) {
  const std::string text = "const char* s = \"k<<<1, 0, 0>>>(x)\"; auto r = R\"(k<<<1>>>())\";";
  EXPECT_EQ(rewritten(text), text);
}

TEST(Rewrite, CastsToTheUnifiedBufferAreRecognised) {
  EXPECT_EQ(rewritten("p = (__shmem_sim_ubuf__ int32_t*)(32) + i * 16;"),
            "p = ::shmem_sim::ub_cast<int32_t*>((32)) + i * 16;");
  EXPECT_EQ(rewritten("p = reinterpret_cast<__shmem_sim_ubuf__ T*>(uint64_t(1024 + 32));"),
            "p = ::shmem_sim::ub_cast<T*>(uint64_t(1024 + 32));");
  EXPECT_EQ(rewritten("p = (const __shmem_sim_ubuf__ half*)buffer[3].address;"),
            "p = ::shmem_sim::ub_cast<const  half*>(buffer[3].address);");
  EXPECT_EQ(rewritten("p = (__shmem_sim_ubuf__ T*)(uint64_t)offset;"),
            "p = ::shmem_sim::ub_cast<T*>((uint64_t)offset);");
}

TEST(Rewrite, LineMarkersInsideACastStartTheirLine) {
  // As gcc expands a macro of a header that -isystem found.
  const std::string marked = "\n# 9 \"k.cpp\" 3 4\n __shmem_sim_ubuf__\n# 9 \"k.cpp\"\n int8_t*";
  EXPECT_EQ(rewritten("p = reinterpret_cast<" + marked + ">(x);"),
            "p = ::shmem_sim::ub_cast<\n# 9 \"k.cpp\" 3 4\n \n# 9 \"k.cpp\"\n int8_t*>(x);");
  EXPECT_EQ(rewritten("p = (" + marked + ")x;"),
            "p = ::shmem_sim::ub_cast<\n# 9 \"k.cpp\" 3 4\n \n# 9 \"k.cpp\"\n int8_t*>(x);");
}

TEST(Rewrite, ACastThroughAnAliasIsRecognised) {
  const std::string text =
      rewritten("using P = __shmem_sim_ubuf__ int*; P p = (P)64; P q = reinterpret_cast<P>(128);");
  EXPECT_TRUE(contains(text, "ub_cast<P>(64)")) << text;
  EXPECT_TRUE(contains(text, "ub_cast<P>(128)")) << text;
}

TEST(Rewrite, DeclarationsOnlyLoseTheirQualifiers) {
  EXPECT_EQ(rewritten("__shmem_sim_ubuf__ int* p; void f(__shmem_sim_gm__ uint8_t* a);"),
            " int* p; void f( uint8_t* a);");
}

TEST(Rewrite, CoreRatioIsReadAndRemoved) {
  const std::string text = rewritten(
      "template <class T>\n[[bisheng::core_ratio(0, 1)]] __shmem_sim_global__ __shmem_sim_aicore__ "
      "void k(int a) {}\n"
      "void f() { k<int><<<1, 0, 0>>>(2); }");
  EXPECT_FALSE(contains(text, "core_ratio")) << text;
  EXPECT_TRUE(contains(text, "kernel_launch(k<int>, \"k<int>\"")) << text;
}

TEST(Rewrite, ALaunchedMixKernelIsAnErrorWithItsPlace) {
  const std::string text =
      "# 7 \"k.cpp\"\n__shmem_sim_global__ void mix(int a);\nvoid f() { mix<<<1, 0, 0>>>(2); }\n";
  const Rewritten result = rewrite(text, false);
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(result.problems[0].file, "k.cpp");
  EXPECT_EQ(result.problems[0].line, 8);
  EXPECT_TRUE(contains(result.problems[0].text, "'mix'"));
  EXPECT_TRUE(contains(result.problems[0].text, "core_ratio(0, 1)"));
  EXPECT_TRUE(
      rewrite(text, true).problems.empty());  // a vector-only architecture needs no attribute
}

TEST(Rewrite, LinesStayWhereTheyAre) {
  const std::string text = "a\nk<<<1,\n 0,\n s>>>(x);\nb\n";
  const std::string out = rewritten(text);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
}

}  // namespace
}  // namespace shmem_sim::kernelc
