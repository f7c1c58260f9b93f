#include "tool/contract/expression.h"

#include <gtest/gtest.h>

namespace shmem_bind::contract {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

ExpressionPtr parsed(std::string_view text) {
  Diagnostics diagnostics;
  ExpressionPtr result = parse_expression(text, {0, 0, text.size()}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << text << ": " << diagnostics.list().front().detail;
  return result;
}

Values values() {
  Values values;
  values.names = {{"n_pes", 8}, {"pe", 3}, {"epoch", 2}, {"rows", 7}};
  values.shapes = {{"input", {7, 13}}};
  values.element_bytes = {{"input", 2}, {"dtype", 4}};
  return values;
}

int64_t value(std::string_view text) {
  std::string why;
  const auto result = evaluate(*parsed(text), values(), why);
  EXPECT_TRUE(result.has_value()) << text << ": " << why;
  return result.value_or(-999);
}

std::string why_not(std::string_view text) {
  std::string why;
  EXPECT_FALSE(evaluate(*parsed(text), values(), why).has_value()) << text;
  return why;
}

std::string complaint(std::string_view text) {
  Diagnostics diagnostics;
  EXPECT_EQ(parse_expression(text, {0, 100, 100 + text.size()}, diagnostics), nullptr) << text;
  EXPECT_EQ(diagnostics.list().size(), 1u) << text;
  return diagnostics.list().empty() ? "" : diagnostics.list()[0].detail;
}

TEST(Expression, FollowsThePrecedencesOfC) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("10 - 3 - 2"), 5);
  EXPECT_EQ(value("2 * 3 % 4"), 2);
  EXPECT_EQ(value("1 + 1 == 2 && 3 < 4"), 1);
  EXPECT_EQ(value("0 && 1 || 1"), 1);
  EXPECT_EQ(value("-2 * -3"), 6);
  EXPECT_EQ(value("!0 + 1"), 2);
  EXPECT_EQ(value("1 ? 2 : 0 ? 3 : 4"), 2);
  EXPECT_EQ(value("n_pes > 4 ? n_pes <= 8 ? 1 : 2 : 3"), 1);
}

TEST(Expression, TruncatesDivisionsLikeC) {
  EXPECT_EQ(value("-7 / 2"), -3);
  EXPECT_EQ(value("-7 % 2"), -1);
  EXPECT_EQ(value("ceil_div(7, 2)"), 4);
  EXPECT_EQ(value("ceil_div(-7, 2)"), -3);
  EXPECT_EQ(value("align_up(100, 64)"), 128);
  EXPECT_EQ(value("min(3, max(1, 2))"), 2);
}

TEST(Expression, KnowsUnitsAndHexadecimal) {
  EXPECT_EQ(value("2 KiB"), 2048);
  EXPECT_EQ(value("1MiB + 0x10"), 1048592);
  EXPECT_EQ(value("1 GiB"), int64_t{1} << 30);
  EXPECT_EQ(value("9223372036854775807"), kLargest);
}

TEST(Expression, AsksTensors) {
  EXPECT_EQ(value("numel(input)"), 91);
  EXPECT_EQ(value("bytes(input)"), 182);
  EXPECT_EQ(value("dim(input, 1) + input[0]"), 20);
  EXPECT_EQ(value("ndim(input)"), 2);
  EXPECT_EQ(value("sizeof(input) + sizeof(dtype)"), 6);
  EXPECT_EQ(value("sizeof(int32) + sizeof(fp16) + sizeof(float)"), 10);
}

TEST(Expression, NeverGivesAWrappedNumber) {
  EXPECT_NE(why_not("9223372036854775807 + 1").find("in 64 bits"), std::string::npos);
  EXPECT_NE(why_not("4294967296 * 4294967296").find("in 64 bits"), std::string::npos);
  EXPECT_NE(why_not("0 - 9223372036854775807 - 2").find("in 64 bits"), std::string::npos);
  EXPECT_EQ(why_not("1 / (n_pes - 8)"), "1 / 0 in 64 bits");
  EXPECT_EQ(why_not("1 % 0"), "1 % 0 in 64 bits");
  EXPECT_FALSE(why_not("(0 - 9223372036854775807 - 1) / -1").empty());
  EXPECT_NE(complaint("9223372036854775808").find("64-bit"), std::string::npos);
  EXPECT_NE(complaint("9000000000 GiB").find("64 bits"), std::string::npos);
}

TEST(Expression, EvaluatesOnlyTheBranchThatCounts) {
  EXPECT_EQ(value("1 ? 5 : 1 / 0"), 5);
  EXPECT_EQ(value("0 && 1 / 0"), 0);
  EXPECT_EQ(value("1 || 1 / 0"), 1);
}

TEST(Expression, SaysWhichNameHasNoValue) {
  EXPECT_EQ(why_not("cols + 1"), "cols");
  EXPECT_EQ(why_not("numel(output)"), "the shape of output");
  EXPECT_NE(why_not("dim(input, 2)").find("input"), std::string::npos);
}

TEST(Expression, SaysWhatIsWrongAndWhere) {
  EXPECT_NE(complaint("").find("ends too early"), std::string::npos);
  EXPECT_NE(complaint("1 +").find("ends too early"), std::string::npos);
  EXPECT_NE(complaint("(1").find("')' is missing"), std::string::npos);
  EXPECT_NE(complaint("1 ? 2").find("':' is missing"), std::string::npos);
  EXPECT_NE(complaint("1 2").find("not expected"), std::string::npos);
  EXPECT_NE(complaint("log(2)").find("'log' is not a function"), std::string::npos);
  EXPECT_NE(complaint("min(1)").find("takes 2 operands"), std::string::npos);
  EXPECT_NE(complaint("numel(1 + 1)").find("by name"), std::string::npos);
  EXPECT_NE(complaint("1e3").find("1e3"), std::string::npos);
  EXPECT_NE(complaint("010").find("octal"), std::string::npos);
  EXPECT_NE(complaint("a；b").find("not expected"), std::string::npos);
  Diagnostics diagnostics;
  parse_expression("1 + $", {3, 100, 105}, diagnostics);
  ASSERT_EQ(diagnostics.list().size(), 1u);
  EXPECT_EQ(diagnostics.list()[0].span.source, 3);
  EXPECT_EQ(diagnostics.list()[0].span.begin, 104u);
}

TEST(Expression, RefusesWhatWouldExhaustTheStack) {
  EXPECT_NE(complaint(std::string(3000, '(')).find("deeply"), std::string::npos);
  EXPECT_NE(complaint(std::string(3000, '!') + "1").find("deeply"), std::string::npos);
  std::string chain;
  for (int i = 0; i < 3000; ++i) {
    chain += "1?1:";
  }
  EXPECT_NE(complaint(chain + "1").find("longer than"), std::string::npos);
}

TEST(Expression, NamesWhatItDependsOn) {
  const ExpressionPtr e = parsed("epoch * numel(input) + rows + dim(output, pe)");
  EXPECT_EQ(names_in(*e), (std::set<std::string>{"epoch", "rows", "pe"}));
  EXPECT_EQ(tensors_in(*e), (std::set<std::string>{"input", "output"}));
}

std::string cpp(std::string_view text) {
  const auto same = [](const std::string& name) { return name; };
  return to_cpp(*parsed(text), same, same);
}

std::string python(std::string_view text) {
  const auto same = [](const std::string& name) { return name; };
  return to_python(*parsed(text), same, same);
}

TEST(Expression, RendersCppThatChecksItsArithmetic) {
  EXPECT_EQ(cpp("a + b * 2"), "shmem_ops::add(a, shmem_ops::mul(b, 2))");
  EXPECT_EQ(cpp("a / b % c"), "shmem_ops::mod(shmem_ops::div(a, b), c)");
  EXPECT_EQ(cpp("a < b && !c"), "(a < b) && (!c)");
  EXPECT_EQ(cpp("min(a, 2 KiB)"), "std::min<int64_t>(a, 2048)");
  EXPECT_EQ(cpp("numel(x)"), "x.numel()");
  EXPECT_EQ(cpp("sizeof(int32) * 4"), "16") << "constants are one number";
}

TEST(Expression, RendersPython) {
  EXPECT_EQ(python("a < b && !c"), "(a < b) and (not c)");
  EXPECT_EQ(python("a / b"), "div(a, b)");
  EXPECT_EQ(python("a ? b : c"), "(b if a else c)");
  EXPECT_EQ(python("ceil_div(a, 4)"), "ceil_div(a, 4)");
}

}  // namespace
}  // namespace shmem_bind::contract
