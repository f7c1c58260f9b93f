#include "tool/verify/boundary_cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/contract/call_values.h"
#include "tool/contract/dtype.h"

namespace shmem_bind::verify {
namespace {

using contract::Case;
using contract::Contract;
using contract::Dimension;
using contract::Dtype;
using contract::Tensor;
using Attributes = std::map<std::string, std::string>;

constexpr int64_t kEdgeRows = 10;  // divides the sizes around the buffer's

// What is tried: so many rows of so many columns, with dtypes of so many bytes; 0: of any size.
struct Wanted {
  std::string name;
  int64_t rows;
  int64_t cols;
  int64_t dtype_bytes = 0;
};

std::vector<Dtype> dtypes_of(const Contract& contract) {
  return contract.dispatch.empty() ? std::vector<Dtype>{Dtype::kInt8} : contract.dispatch;
}

std::vector<std::string> symbols_in(const Tensor& tensor) {
  std::vector<std::string> symbols;
  for (const Dimension& dimension : tensor.shape) {
    if (dimension.kind == Dimension::Kind::kSymbol &&
        std::find(symbols.begin(), symbols.end(), dimension.symbol) == symbols.end()) {
      symbols.push_back(dimension.symbol);
    }
  }
  return symbols;
}

// The sizes of what is moved: the first input of the dispatch type, else the first with symbols.
std::vector<std::string> payload_symbols(const Contract& contract) {
  std::vector<std::string> any;
  for (const Tensor& tensor : contract.tensors) {
    const std::vector<std::string> symbols = symbols_in(tensor);
    if (tensor.binds() && !symbols.empty()) {
      if (tensor.follows_dispatch) {
        return symbols;
      }
      any = any.empty() ? symbols : any;
    }
  }
  return any;
}

class Deriving {
 public:
  Deriving(const Contract& contract, int64_t pes)
      : contract_(contract), pes_(pes), payload_(payload_symbols(contract)) {}

  // Nothing when it is declared anyway, or when no dtype may have it.
  std::optional<BoundaryCase> derived(const Wanted& wanted) const {
    if (payload_.empty()) {
      return std::nullopt;
    }
    for (const Attributes& attributes : declared_attributes()) {
      for (const bool is_thin : {true, false}) {
        BoundaryCase found{{free_name(wanted.name), {}, attributes, false, false}, {}};
        found.test.symbols = sizes(wanted, is_thin);
        found.dtypes = allowed_dtypes(found.test, wanted.dtype_bytes);
        if (!found.dtypes.empty()) {
          return is_declared(found.test) ? std::nullopt : std::optional(found);
        }
      }
    }
    return std::nullopt;
  }

 private:
  std::string free_name(std::string name) const {
    while (std::any_of(contract_.cases.begin(), contract_.cases.end(), [&](const Case& own) {
      return own.name == name;
    })) {
      name += "'";
    }
    return name;
  }

  std::vector<Attributes> declared_attributes() const {
    std::vector<Attributes> list;
    for (const Case& own : contract_.cases) {
      if (std::find(list.begin(), list.end(), own.attributes) == list.end()) {
        list.push_back(own.attributes);
      }
    }
    return list;
  }

  // The smallest declared case with elements.
  const Case& base() const {
    const auto size = [this](const Case& test) {
      int64_t product = 1;
      for (const std::string& symbol : payload_) {
        product *= std::max<int64_t>(test.symbols.at(symbol), 0);
      }
      return product == 0 ? INT64_MAX : product;
    };
    return *std::min_element(contract_.cases.begin(),
                             contract_.cases.end(),
                             [&](const Case& a, const Case& b) { return size(a) < size(b); });
  }

  // `is_thin`: dimensions between the first and the last are 1, else as they are declared. What
  // other inputs count, such as blocks to move, stays within the rows.
  std::map<std::string, int64_t> sizes(const Wanted& wanted, bool is_thin) const {
    std::map<std::string, int64_t> sizes = base().symbols;
    for (auto& [symbol, size] : sizes) {
      const bool is_payload = std::find(payload_.begin(), payload_.end(), symbol) != payload_.end();
      size = !is_payload ? std::min(size, wanted.rows) : is_thin ? 1 : size;
    }
    if (payload_.size() == 1) {
      sizes[payload_.front()] = wanted.rows * wanted.cols;
    } else {
      sizes[payload_.front()] = wanted.rows;
      sizes[payload_.back()] = wanted.cols;
    }
    return sizes;
  }

  std::vector<std::string> allowed_dtypes(const Case& test, int64_t bytes) const {
    std::vector<std::string> allowed;
    const std::vector<std::string> names = dtype_names(contract_);
    for (size_t i = 0; i < names.size(); ++i) {
      const Dtype dtype = dtypes_of(contract_)[i];
      if ((bytes == 0 || bytes == contract::row(dtype).bytes) && accepts(test, dtype)) {
        allowed.push_back(names[i]);
      }
    }
    return allowed;
  }

  bool accepts(const Case& test, Dtype dtype) const {
    for (int64_t pe = 0; pe < pes_; ++pe) {
      if (!contract::refusal(contract_, {test, dtype, pes_, pe}).empty()) {
        return false;
      }
    }
    return true;
  }

  bool is_declared(const Case& test) const {
    return std::any_of(contract_.cases.begin(), contract_.cases.end(), [&](const Case& own) {
      return own.symbols == test.symbols && own.attributes == test.attributes;
    });
  }

  const Contract& contract_;
  int64_t pes_;
  std::vector<std::string> payload_;
};

// 185, 190 and 195 KiB, the second with a column more: a core's buffer holds about 190 KiB.
void add_edges(std::vector<Wanted>& list, int64_t dtype_bytes) {
  for (const int64_t kib : {185, 190, 195}) {
    const int64_t cols = kib * 1024 / kEdgeRows / dtype_bytes + (kib == 190 ? 1 : 0);
    list.push_back({fmt::format("UB edge {}x{}", kEdgeRows, cols), kEdgeRows, cols, dtype_bytes});
  }
}

std::vector<Wanted> boundaries(const Contract& contract, int64_t pes) {
  std::vector<Wanted> list = {
      {"chunk tail 513x257", 513, 257}, {"odd 7x13", 7, 13}, {"one row 1x256", 1, 256}};
  if (pes > 1) {
    const int64_t rows = 21 * pes - 1;  // leaves PEs unequal shares
    list.push_back({fmt::format("PE tail {}x32", rows), rows, 32});
  }
  std::vector<int64_t> seen;
  for (const Dtype dtype : dtypes_of(contract)) {
    const int64_t bytes = contract::row(dtype).bytes;
    if (std::find(seen.begin(), seen.end(), bytes) == seen.end()) {
      seen.push_back(bytes);
      add_edges(list, bytes);
    }
  }
  return list;
}

}  // namespace

std::vector<std::string> dtype_names(const Contract& contract) {
  std::vector<std::string> names;
  for (const Dtype dtype : contract.dispatch) {
    names.emplace_back(contract::row(dtype).dsl);
  }
  if (names.empty()) {
    names.emplace_back("fixed");
  }
  return names;
}

std::vector<BoundaryCase> boundary_cases(const Contract& contract, int64_t pes) {
  std::vector<BoundaryCase> cases;
  const Deriving deriving(contract, pes);
  for (const Wanted& wanted : boundaries(contract, pes)) {
    if (auto found = deriving.derived(wanted)) {
      cases.push_back(std::move(*found));
    }
  }
  return cases;
}

std::optional<BoundaryCase> zero_case(const Contract& contract, int64_t pes) {
  return Deriving(contract, pes).derived({"zero size", 0, 32});
}

}  // namespace shmem_bind::verify
