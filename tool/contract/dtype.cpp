#include "tool/contract/dtype.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace shmem_bind::contract {
namespace {

constexpr std::array<DtypeRow, 12> kTable = {{
    {Dtype::kInt8, "int8", "int8_t", "at::kChar", "int8", "int8_t", "", 1},
    {Dtype::kUint8, "uint8", "uint8_t", "at::kByte", "uint8", "uint8_t", "", 1},
    {Dtype::kInt16, "int16", "int16_t", "at::kShort", "int16", "int16_t", "", 2},
    {Dtype::kInt32, "int32", "int int32_t", "at::kInt", "int32", "int32_t", "", 4},
    {Dtype::kInt64, "int64", "int64_t", "at::kLong", "int64", "int64_t", "", 8},
    {Dtype::kFp16,
     "fp16",
     "float16 half",
     "at::kHalf",
     "float16",
     "op::fp16_t",
     "opdev/fp16_t.h",
     2,
     {8, 7, 10}},
    {Dtype::kBf16,
     "bf16",
     "bfloat16",
     "at::kBFloat16",
     "bfloat16",
     "op::bfloat16",
     "opdev/bfloat16.h",
     2,
     {7, 6, 7}},
    {Dtype::kFp32, "fp32", "float32 float", "at::kFloat", "float32", "float", "", 4, {11, 10, 14}},
    // The standard does not know fp64: as fp32.
    {Dtype::kFp64,
     "fp64",
     "float64 double",
     "at::kDouble",
     "float64",
     "double",
     "",
     8,
     {11, 10, 14}},
    {Dtype::kBool, "bool", "", "at::kBool", "bool", "bool", "", 1, {}, false},
    {Dtype::kFp8E4m3,
     "fp8_e4m3fn",
     "float8_e4m3fn",
     "at::kFloat8_e4m3fn",
     "float8_e4m3fn",
     "uint8_t",
     "",
     1,
     {},
     false},
    {Dtype::kFp8E5m2,
     "fp8_e5m2",
     "float8_e5m2",
     "at::kFloat8_e5m2",
     "float8_e5m2",
     "uint8_t",
     "",
     1,
     {},
     false},
}};

bool among(std::string_view name, std::string_view list) {
  while (!list.empty()) {
    const size_t end = list.find(' ');
    if (list.substr(0, end) == name) {
      return true;
    }
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return false;
}

}  // namespace

std::span<const DtypeRow> dtype_table() {
  return kTable;
}

const DtypeRow& row(Dtype dtype) {
  return kTable[static_cast<size_t>(dtype)];
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  names.reserve(kTable.size());
  for (const DtypeRow& item : kTable) {
    names.emplace_back(item.dsl);
  }
  return names;
}

std::optional<Dtype> dtype_named(std::string_view spelling) {
  std::string name(spelling.substr(spelling.starts_with("torch.") ? 6 : 0));
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  for (const DtypeRow& item : kTable) {
    if (item.dsl == name || among(name, item.aliases)) {
      return item.dtype;
    }
  }
  return std::nullopt;
}

}  // namespace shmem_bind::contract
