#include "tool/lint/cpp_file.h"

#include <gtest/gtest.h>

namespace shmem_bind::lint {
namespace {

std::vector<std::string> functions_in(const CppFile& file) {
  std::vector<std::string> names;
  for (const CppFunction& function : file.functions) {
    names.push_back((function.owner.empty() ? "" : function.owner + "::") +
                    (function.is_destructor ? "~" : "") + function.name);
  }
  return names;
}

TEST(CppFile, LeavesOutCommentsAndDirectives) {
  const CppFile file = read_cpp(
      "// stream(false)\n#include <torch/library.h>\n  # include \"shmem.h\"\n"
      "#define ALL stream(false) \\\n  malloc(1)\n/* malloc(2) */ int x = \"malloc(3)\"[0];\n");
  EXPECT_EQ(file.includes, (std::vector<std::string>{"torch/library.h", "shmem.h"}));
  ASSERT_EQ(file.tokens.size(), 8U);
  EXPECT_EQ(file.text(0), "int");
  EXPECT_TRUE(file.tokens[3].is_literal);
  EXPECT_TRUE(file.calls({0, file.tokens.size()}).empty());
}

TEST(CppFile, FindsClassesAndTheirFunctions) {
  const CppFile file = read_cpp(R"(
namespace a::b {
template <class T, class... U> struct Plain final : Base<T>, Other { int x{1}; };
class [[nodiscard]] Op : public torch::jit::CustomClassHolder {
 public:
  Op() : a_(1), b_{2} { start(); }
  ~Op() noexcept { stop(); }
  void compute(const at::Tensor& out, std::vector<int> sizes = {1}) const { f(); }
 private:
  int a_, b_;
  static constexpr int kTable[] = {1, 2};
};
void Op::later(int n) { auto g = [&](int i) { return i; }; }
extern "C" { inline int plain() { return 0; } }
const auto made = [] { return 1; }();
}
)");
  ASSERT_EQ(file.classes.size(), 2U);
  EXPECT_EQ(file.classes[0].name, "Plain");
  EXPECT_EQ(file.classes[1].name, "Op");
  EXPECT_TRUE(file.mentions(file.classes[1].bases, "CustomClassHolder"));
  EXPECT_FALSE(file.mentions(file.classes[0].bases, "CustomClassHolder"));
  EXPECT_EQ(functions_in(file),
            (std::vector<std::string>{"Op::Op", "Op::~Op", "Op::compute", "Op::later", "plain"}));
  EXPECT_TRUE(file.mentions(file.functions[0].body, "b_"));
  EXPECT_TRUE(file.mentions(file.functions[0].body, "start"));
}

TEST(CppFile, FindsCallsWithTheirArguments) {
  const CppFile file =
      read_cpp("void f() { if (x) K::run<op::fp16_t>(a, g(b, c), {1, 2}); return h(); }");
  const auto calls = file.calls(file.functions.at(0).body);
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].name, "run");
  EXPECT_EQ(calls[0].arguments.size(), 3U);
  EXPECT_TRUE(file.is_statement(calls[0]));
  EXPECT_TRUE(file.mentions({file.chain_begin(calls[0].name_at), calls[0].name_at}, "K"));
  EXPECT_EQ(calls[1].name, "g");
  EXPECT_FALSE(file.is_statement(calls[1]));
  EXPECT_EQ(calls[2].name, "h");
  EXPECT_FALSE(file.is_statement(calls[2]));
}

TEST(CppFile, EndsWithBracketsThatAreNot) {
  for (const char* text :
       {"", "void f() {", "class X : public", "} } )", "template <class", "f(", "a.b"}) {
    const CppFile file = read_cpp(text);
    EXPECT_LE(file.functions.size(), 1U) << text;
    EXPECT_LE(file.calls({0, file.tokens.size()}).size(), 1U) << text;
  }
}

}  // namespace
}  // namespace shmem_bind::lint
