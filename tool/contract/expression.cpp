#include "tool/contract/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include "tool/contract/dtype.h"
#include "tool/contract/errors.h"

namespace shmem_bind::contract {
namespace {

struct Function {
  std::string_view name;
  size_t operands;
  bool of_tensor;  // the first operand is a tensor
};
constexpr std::array<Function, 9> kFunctions = {{{"numel", 1, true},
                                                 {"bytes", 1, true},
                                                 {"dim", 2, true},
                                                 {"ndim", 1, true},
                                                 {"sizeof", 1, true},
                                                 {"min", 2, false},
                                                 {"max", 2, false},
                                                 {"ceil_div", 2, false},
                                                 {"align_up", 2, false}}};

const Function* function_named(std::string_view name) {
  for (const Function& function : kFunctions) {
    if (function.name == name) {
      return &function;
    }
  }
  return nullptr;
}

std::optional<int64_t> unit_factor(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, int>, 3> kUnits = {
      {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}}};
  for (const auto& [unit, shift] : kUnits) {
    if (unit == name) {
      return int64_t{1} << shift;
    }
  }
  return std::nullopt;
}

// Precedence climbing over the text; positions become spans.
class Parser {
 public:
  Parser(std::string_view text, Span place, Diagnostics& diagnostics)
      : text_(text), place_(place), diagnostics_(diagnostics) {}

  ExpressionPtr run() {
    if (text_.size() > kLongest) {
      return error(fmt::format("longer than {} characters", kLongest));
    }
    ExpressionPtr result = conditional();
    skip();
    if (result != nullptr && at_ < text_.size()) {
      return error(fmt::format("'{}' is not expected here", text_.substr(at_, 12)));
    }
    return result;
  }

 private:
  static constexpr int kDeepest = 100;
  static constexpr size_t kLongest = 4096;

  ExpressionPtr error(const std::string& detail) {
    if (!failed_) {
      failed_ = true;
      diagnostics_.add(
          kBadExpression, {place_.source, place_.begin + at_, place_.begin + at_ + 1}, detail);
    }
    return nullptr;
  }

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    }
  }

  bool take(std::string_view symbol) {
    skip();
    if (text_.substr(at_, symbol.size()) != symbol) {
      return false;
    }
    // "<" must not take the first half of "<=", "!" not that of "!=".
    const char behind = at_ + symbol.size() < text_.size() ? text_[at_ + symbol.size()] : '\0';
    if (symbol.size() == 1 && (symbol == "<" || symbol == ">" || symbol == "!") && behind == '=') {
      return false;
    }
    at_ += symbol.size();
    return true;
  }

  ExpressionPtr make(Expression::Kind kind,
                     std::string text,
                     std::vector<ExpressionPtr> operands,
                     size_t begin) {
    for (const ExpressionPtr& operand : operands) {
      if (operand == nullptr) {
        return nullptr;
      }
    }
    auto node = std::make_shared<Expression>();
    node->kind = kind;
    node->text = std::move(text);
    node->operands = std::move(operands);
    node->span = {place_.source, place_.begin + begin, place_.begin + at_};
    return node;
  }

  ExpressionPtr conditional() {
    const size_t begin = at_;
    ExpressionPtr condition = binary(0);
    if (condition == nullptr || !take("?")) {
      return condition;
    }
    ExpressionPtr yes = conditional();
    if (yes == nullptr || !take(":")) {
      return yes == nullptr ? nullptr : error("':' is missing behind '?'");
    }
    ExpressionPtr no = conditional();
    return make(Expression::Kind::kConditional, "?:", {condition, yes, no}, begin);
  }

  ExpressionPtr binary(size_t level) {
    static const std::vector<std::vector<std::string_view>> levels = {
        {"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};
    if (level == levels.size()) {
      return unary();
    }
    skip();
    const size_t begin = at_;
    ExpressionPtr left = binary(level + 1);
    while (left != nullptr) {
      std::string_view taken;
      for (const std::string_view symbol : levels[level]) {
        if (take(symbol)) {
          taken = symbol;
          break;
        }
      }
      if (taken.empty()) {
        return left;
      }
      left = make(Expression::Kind::kBinary, std::string(taken), {left, binary(level + 1)}, begin);
    }
    return nullptr;
  }

  ExpressionPtr unary() {
    skip();
    const size_t begin = at_;
    if (++depth_ > kDeepest) {
      return error("nested too deeply");
    }
    ExpressionPtr result;
    if (take("!")) {
      result = make(Expression::Kind::kUnary, "!", {unary()}, begin);
    } else if (take("-")) {
      result = make(Expression::Kind::kUnary, "-", {unary()}, begin);
    } else {
      result = primary();
    }
    --depth_;
    return result;
  }

  ExpressionPtr primary() {
    skip();
    const size_t begin = at_;
    if (take("(")) {
      ExpressionPtr inner = conditional();
      return inner != nullptr && !take(")") ? error("')' is missing") : inner;
    }
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      return number();
    }
    std::string name = word();
    if (name.empty()) {
      return error(at_ < text_.size()
                       ? fmt::format("'{}' is not expected here", text_.substr(at_, 1))
                       : "the expression ends too early");
    }
    if (take("(")) {
      return call(std::move(name), begin);
    }
    if (take("[")) {
      ExpressionPtr tensor = make(Expression::Kind::kName, std::move(name), {}, begin);
      ExpressionPtr index = conditional();
      if (index == nullptr || !take("]")) {
        return index == nullptr ? nullptr : error("']' is missing");
      }
      return make(Expression::Kind::kCall, "dim", {tensor, index}, begin);
    }
    return make(Expression::Kind::kName, std::move(name), {}, begin);
  }

  ExpressionPtr call(std::string name, size_t begin) {
    const Function* function = function_named(name);
    if (function == nullptr) {
      return error(fmt::format(
          "'{}' is not a function; known: numel bytes dim ndim sizeof min max ceil_div align_up",
          name));
    }
    std::vector<ExpressionPtr> operands;
    do {
      operands.push_back(conditional());
      if (operands.back() == nullptr) {
        return nullptr;
      }
    } while (take(","));
    if (!take(")")) {
      return error("')' is missing");
    }
    if (operands.size() != function->operands) {
      return error(
          fmt::format("{} takes {} operands, not {}", name, function->operands, operands.size()));
    }
    if (function->of_tensor && operands[0]->kind != Expression::Kind::kName) {
      return error(fmt::format("{} is asked about a tensor, by name", name));
    }
    if (name == "sizeof") {
      if (const auto dtype = dtype_named(operands[0]->text);
          dtype && operands[0]->text != "dtype") {
        return integer(row(*dtype).bytes, begin);
      }
    }
    return make(Expression::Kind::kCall, std::move(name), std::move(operands), begin);
  }

  ExpressionPtr integer(int64_t value, size_t begin) const {
    auto node = std::make_shared<Expression>();
    node->value = value;
    node->span = {place_.source, place_.begin + begin, place_.begin + at_};
    return node;
  }

  std::string word() {
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  // Decimal or hexadecimal, with or without a unit, "64 KiB" or "64KiB".
  ExpressionPtr number() {
    const size_t begin = at_;
    const std::string all = word();
    const bool hexadecimal = all.starts_with("0x") || all.starts_with("0X");
    const size_t length =
        hexadecimal ? all.size() : std::min(all.find_first_not_of("0123456789"), all.size());
    const auto value =
        digits_value(std::string_view(all).substr(hexadecimal ? 2 : 0, length), hexadecimal);
    if (!hexadecimal && length > 1 && all[0] == '0') {
      return error(fmt::format("'{}': octal or decimal?", all));
    }
    std::string unit = all.substr(length);
    const size_t end = at_;
    if (unit.empty()) {
      skip();
      unit = word();
    }
    const auto factor = unit_factor(unit);
    if (!value || (!factor && length < all.size())) {
      return error(fmt::format("'{}' is not a 64-bit whole number", all));
    }
    if (!factor) {  // what follows is no unit
      at_ = end;
      return integer(*value, begin);
    }
    int64_t product = 0;
    if (__builtin_mul_overflow(*value, *factor, &product)) {
      return error("the number does not fit 64 bits");
    }
    return integer(product, begin);
  }

  static std::optional<int64_t> digits_value(std::string_view digits, bool hexadecimal) {
    int64_t value = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
    const bool whole = problem == std::errc() && end == digits.data() + digits.size();
    return whole ? std::optional(value) : std::nullopt;
  }

  std::string_view text_;
  Span place_;
  Diagnostics& diagnostics_;
  size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

using Overflowing = bool (*)(int64_t, int64_t, int64_t*);

// Addition and its kin; nothing on overflow.
std::optional<int64_t> arithmetic(const std::string& op, int64_t a, int64_t b) {
  static const std::map<std::string, Overflowing> operations = {
      {"+", [](int64_t x, int64_t y, int64_t* r) { return __builtin_add_overflow(x, y, r); }},
      {"-", [](int64_t x, int64_t y, int64_t* r) { return __builtin_sub_overflow(x, y, r); }},
      {"*", [](int64_t x, int64_t y, int64_t* r) { return __builtin_mul_overflow(x, y, r); }}};
  int64_t result = 0;
  return operations.at(op)(a, b, &result) ? std::nullopt : std::optional<int64_t>(result);
}

// Division and its kin; nothing for a divisor of zero and where the quotient does not fit.
std::optional<int64_t> division(const std::string& op, int64_t a, int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) {
    return std::nullopt;
  }
  const int64_t up = a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
  if (op == "/") {
    return a / b;
  }
  if (op == "%") {
    return a % b;
  }
  return op == "ceil_div" ? up : arithmetic("*", up, b);
}

using Total = int64_t (*)(int64_t, int64_t);

std::optional<int64_t> apply(const std::string& op, int64_t a, int64_t b, std::string& why) {
  static const std::map<std::string, Total> total = {
      {"==", [](int64_t x, int64_t y) -> int64_t { return x == y; }},
      {"!=", [](int64_t x, int64_t y) -> int64_t { return x != y; }},
      {"<", [](int64_t x, int64_t y) -> int64_t { return x < y; }},
      {"<=", [](int64_t x, int64_t y) -> int64_t { return x <= y; }},
      {">", [](int64_t x, int64_t y) -> int64_t { return x > y; }},
      {">=", [](int64_t x, int64_t y) -> int64_t { return x >= y; }},
      {"min", [](int64_t x, int64_t y) { return std::min(x, y); }},
      {"max", [](int64_t x, int64_t y) { return std::max(x, y); }}};
  if (const auto found = total.find(op); found != total.end()) {
    return found->second(a, b);
  }
  const bool divides = op == "/" || op == "%" || op == "ceil_div" || op == "align_up";
  const auto result = divides ? division(op, a, b) : arithmetic(op, a, b);
  if (!result) {
    why = fmt::format("{} {} {} in 64 bits", a, op, b);
  }
  return result;
}

std::optional<int64_t> about_tensor(const Expression& e, const Values& values, std::string& why) {
  const std::string& name = e.operands[0]->text;
  const auto bytes = values.element_bytes.find(name);
  if (e.text == "sizeof") {
    if (bytes == values.element_bytes.end()) {
      why = "sizeof(" + name + ")";
      return std::nullopt;
    }
    return bytes->second;
  }
  const auto shape = values.shapes.find(name);
  if (shape == values.shapes.end()) {
    why = "the shape of " + name;
    return std::nullopt;
  }
  if (e.text == "ndim") {
    return static_cast<int64_t>(shape->second.size());
  }
  if (e.text == "dim") {
    const auto index = evaluate(*e.operands[1], values, why);
    if (!index || *index < 0 || *index >= static_cast<int64_t>(shape->second.size())) {
      why = fmt::format("a dimension of {} that it does not have", name);
      return std::nullopt;
    }
    return shape->second[static_cast<size_t>(*index)];
  }
  int64_t product = e.text == "bytes" && bytes != values.element_bytes.end() ? bytes->second : 1;
  for (const int64_t size : shape->second) {
    if (__builtin_mul_overflow(product, size, &product)) {
      why = "numel(" + name + ") overflows 64 bits";
      return std::nullopt;
    }
  }
  return product;
}

void collect(const Expression& e, std::set<std::string>& names, std::set<std::string>& tensors) {
  size_t first = 0;
  if (e.kind == Expression::Kind::kName) {
    names.insert(e.text);
  } else if (e.kind == Expression::Kind::kCall && function_named(e.text)->of_tensor) {
    tensors.insert(e.operands[0]->text);
    first = 1;
  }
  for (size_t i = first; i < e.operands.size(); ++i) {
    collect(*e.operands[i], names, tensors);
  }
}

// What differs between the two renderings.
struct Language {
  const Naming& name;
  const Naming& tensor;
  bool cpp;
};

std::string render(const Expression& e, const Language& language, bool outer);

std::string render_call(const Expression& e, const Language& language) {
  const Function& function = *function_named(e.text);
  if (!function.of_tensor) {
    const std::string a = render(*e.operands[0], language, true);
    const std::string b = render(*e.operands[1], language, true);
    if (language.cpp && (e.text == "min" || e.text == "max")) {
      return fmt::format("std::{}<int64_t>({}, {})", e.text, a, b);
    }
    return fmt::format("{}{}({}, {})", language.cpp ? "shmem_ops::" : "", e.text, a, b);
  }
  const std::string tensor = language.tensor(e.operands[0]->text);
  if (e.text == "dim") {
    return fmt::format("{}.size({})", tensor, render(*e.operands[1], language, true));
  }
  if (e.text == "ndim") {
    return tensor + ".dim()";
  }
  if (e.text == "numel") {
    return tensor + ".numel()";
  }
  const std::string size = language.cpp
                               ? fmt::format("static_cast<int64_t>({}.element_size())", tensor)
                               : tensor + ".element_size()";
  if (e.text == "sizeof") {
    return e.operands[0]->text == "dtype" ? language.name("sizeof(dtype)") : size;
  }
  return language.cpp ? fmt::format("static_cast<int64_t>({}.nbytes())", tensor)
                      : tensor + ".nbytes";
}

std::string render_binary(const Expression& e, const Language& language, bool outer) {
  static const std::map<std::string, std::string> checked_names = {
      {"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "div"}, {"%", "mod"}};
  const auto checked = checked_names.find(e.text);
  const bool call =
      checked != checked_names.end() && (language.cpp || e.text == "/" || e.text == "%");
  if (call) {
    return fmt::format("{}{}({}, {})",
                       language.cpp ? "shmem_ops::" : "",
                       checked->second,
                       render(*e.operands[0], language, true),
                       render(*e.operands[1], language, true));
  }
  const std::string op = language.cpp     ? e.text
                         : e.text == "&&" ? "and"
                         : e.text == "||" ? "or"
                                          : e.text;
  const std::string text = fmt::format("{} {} {}",
                                       render(*e.operands[0], language, false),
                                       op,
                                       render(*e.operands[1], language, false));
  return outer ? text : "(" + text + ")";
}

// The value of an expression without names, so that the reader sees one number.
std::optional<int64_t> constant(const Expression& e) {
  if (!names_in(e).empty() || !tensors_in(e).empty()) {
    return std::nullopt;
  }
  std::string why;
  return evaluate(e, {}, why);
}

std::string render(const Expression& e, const Language& language, bool outer) {
  if (const auto value = constant(e)) {
    return std::to_string(*value);
  }
  switch (e.kind) {
    case Expression::Kind::kInteger:
      return std::to_string(e.value);
    case Expression::Kind::kName:
      return language.name(e.text);
    case Expression::Kind::kUnary: {
      const std::string op = e.text == "!" && !language.cpp ? "not " : e.text;
      return fmt::format("({}{})", op, render(*e.operands[0], language, false));
    }
    case Expression::Kind::kBinary:
      return render_binary(e, language, outer);
    case Expression::Kind::kConditional: {
      const std::string condition = render(*e.operands[0], language, false);
      const std::string yes = render(*e.operands[1], language, false);
      const std::string no = render(*e.operands[2], language, false);
      const std::string text =
          language.cpp ? fmt::format("{} ? int64_t{{{}}} : int64_t{{{}}}", condition, yes, no)
                       : fmt::format("{} if {} else {}", yes, condition, no);
      return "(" + text + ")";
    }
    case Expression::Kind::kCall:
      return render_call(e, language);
  }
  return "";
}

}  // namespace

ExpressionPtr parse_expression(std::string_view text, Span place, Diagnostics& diagnostics) {
  return Parser(text, place, diagnostics).run();
}

std::optional<int64_t> evaluate(const Expression& e, const Values& values, std::string& why) {
  switch (e.kind) {
    case Expression::Kind::kInteger:
      return e.value;
    case Expression::Kind::kName: {
      const auto found = values.names.find(e.text);
      if (found == values.names.end()) {
        why = e.text;
        return std::nullopt;
      }
      return found->second;
    }
    case Expression::Kind::kCall:
      if (function_named(e.text)->of_tensor) {
        return about_tensor(e, values, why);
      }
      break;
    default:
      break;
  }
  const auto first = evaluate(*e.operands[0], values, why);
  if (!first) {
    return std::nullopt;
  }
  if (e.kind == Expression::Kind::kConditional) {
    return evaluate(*e.operands[*first != 0 ? 1 : 2], values, why);
  }
  if (e.kind == Expression::Kind::kUnary) {
    return e.text == "!" ? std::optional<int64_t>(*first == 0) : apply("-", 0, *first, why);
  }
  if (e.text == "&&" && *first == 0) {
    return 0;
  }
  if (e.text == "||" && *first != 0) {
    return 1;
  }
  const auto second = evaluate(*e.operands[1], values, why);
  if (!second) {
    return std::nullopt;
  }
  if (e.text == "&&" || e.text == "||") {
    return *second != 0;
  }
  return apply(e.text, *first, *second, why);
}

std::set<std::string> names_in(const Expression& expression) {
  std::set<std::string> names;
  std::set<std::string> tensors;
  collect(expression, names, tensors);
  return names;
}

std::set<std::string> tensors_in(const Expression& expression) {
  std::set<std::string> names;
  std::set<std::string> tensors;
  collect(expression, names, tensors);
  return tensors;
}

std::string to_cpp(const Expression& expression, const Naming& name, const Naming& tensor) {
  return render(expression, {name, tensor, true}, true);
}

std::string to_python(const Expression& expression, const Naming& name, const Naming& tensor) {
  return render(expression, {name, tensor, false}, true);
}

bool is_function(std::string_view name) {
  return function_named(name) != nullptr;
}

}  // namespace shmem_bind::contract
