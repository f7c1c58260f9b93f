#include "tool/contract/naming.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace shmem_bind::contract {
namespace {

const std::set<std::string_view>& acronyms() {  // contract §5
  static const std::set<std::string_view> words = {
      "ag",   "ar",   "rs",   "a2a",  "kv",   "qkv",  "moe",  "ep",   "tp",   "dp",  "pp",   "pe",
      "mm",   "gemm", "fp8",  "fp16", "fp32", "bf16", "int8", "int4", "nd",   "nz",  "rdma", "udma",
      "sdma", "hccl", "lora", "ffn",  "mlp",  "mha",  "gqa",  "mla",  "rope", "rms", "ub",   "gm"};
  return words;
}

const std::set<std::string_view>& keywords() {
  static const std::set<std::string_view> words = {
      "alignas",   "alignof",   "and",      "asm",      "auto",     "bool",      "break",
      "case",      "catch",     "char",     "class",    "const",    "constexpr", "continue",
      "decltype",  "default",   "delete",   "do",       "double",   "else",      "enum",
      "explicit",  "export",    "extern",   "false",    "float",    "for",       "friend",
      "goto",      "if",        "inline",   "int",      "long",     "mutable",   "namespace",
      "new",       "noexcept",  "not",      "nullptr",  "operator", "or",        "private",
      "protected", "public",    "register", "requires", "return",   "short",     "signed",
      "sizeof",    "static",    "struct",   "switch",   "template", "this",      "throw",
      "true",      "try",       "typedef",  "typeid",   "typename", "union",     "unsigned",
      "using",     "virtual",   "void",     "volatile", "while",    "xor",       "concept",
      "co_await",  "co_return", "co_yield", "as",       "assert",   "async",     "await",
      "def",       "del",       "elif",     "except",   "finally",  "from",      "global",
      "import",    "in",        "is",       "lambda",   "nonlocal", "pass",      "raise",
      "with",      "yield",     "None",     "True",     "False",    "self"};
  return words;
}

}  // namespace

std::string class_name_of(std::string_view op_name) {
  std::string out;
  while (!op_name.empty()) {
    const size_t end = op_name.find('_');
    std::string segment(op_name.substr(0, end));
    op_name.remove_prefix(end == std::string_view::npos ? op_name.size() : end + 1);
    const size_t letters =
        acronyms().contains(segment) ? segment.size() : std::min<size_t>(1, segment.size());
    std::transform(
        segment.begin(),
        segment.begin() + static_cast<std::ptrdiff_t>(letters),
        segment.begin(),
        [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
    out += segment;
  }
  return out;
}

bool is_op_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), allowed) && !is_keyword(name);
}

bool is_keyword(std::string_view name) {
  return keywords().contains(name);
}

bool is_reserved(std::string_view name) {
  static const std::set<std::string_view> words = {
      "n_pes", "pe", "block_dim", "epoch", "dtype", "T", "state", "stream", "ffts"};
  return words.contains(name);
}

std::string cpp_name_of(std::string_view name) {
  // What the generated compute() and its file use: namespaces, locals, members.
  static const std::set<std::string_view> used = {"at",
                                                  "c10",
                                                  "std",
                                                  "torch",
                                                  "op",
                                                  "shmem_ops",
                                                  "run",
                                                  "element_bytes",
                                                  "kName",
                                                  "ShmemOps",
                                                  "compute",
                                                  "close",
                                                  "get_name",
                                                  "definitions"};
  const bool taken = is_keyword(name) || used.contains(name) || name.ends_with("_dense") ||
                     name.ends_with("_value") || name.ends_with("_");
  return std::string(name) + (taken ? "_" : "");
}

}  // namespace shmem_bind::contract
