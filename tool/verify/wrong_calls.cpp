#include <fmt/format.h>

#include <algorithm>

#include "tool/contract/call_values.h"
#include "tool/contract/dtype.h"
#include "tool/verify/plan_parts.h"

// Calls that break one of the contract's requirements and nothing else: whoever leaves out that
// check lets them through.

namespace shmem_bind::verify {
namespace {

using contract::Case;
using contract::Contract;

constexpr int64_t kMostElements = int64_t{4} << 20;  // of all sizes multiplied: tensors are made

// A case with elements, to change one thing of.
const Case& usual_case(const Contract& contract) {
  const auto is_usual = [](const Case& item) {
    return std::all_of(item.symbols.begin(), item.symbols.end(), [](const auto& symbol) {
      return symbol.second > 0;
    });
  };
  const auto found = std::find_if(contract.cases.begin(), contract.cases.end(), is_usual);
  return found == contract.cases.end() ? contract.cases.front() : *found;
}

bool is_small(const Case& item) {
  int64_t product = 1;
  for (const auto& [symbol, size] : item.symbols) {
    product *= std::max<int64_t>(size, 1);
    if (size > kMostElements || product > kMostElements) {
      return false;
    }
  }
  return true;
}

// The case with other sizes; and each of those with another value of one attribute.
std::vector<Case> changed_cases(const Contract& contract, int64_t pes) {
  std::vector<Case> sized = {usual_case(contract)};
  for (const int64_t size : {0, 1, 512}) {
    Case all = sized.front();
    for (auto& [symbol, value] : all.symbols) {
      Case one = sized.front();
      one.symbols[symbol] = size;
      sized.push_back(one);
      value = size;
    }
    sized.push_back(all);
  }
  std::vector<Case> cases = sized;
  for (const Case& item : sized) {
    std::vector<int64_t> values = {-1, 0, 1, 2, pes, pes + 1, 512};
    for (const auto& [symbol, size] : item.symbols) {
      values.push_back(size + 1);
    }
    for (const contract::Attribute& attribute : contract.attributes) {
      for (const int64_t value : values) {
        if (attribute.type == contract::Attribute::Type::kInt) {
          Case other = item;
          other.attributes[attribute.name] = std::to_string(value);
          cases.push_back(other);
        }
      }
    }
  }
  return cases;
}

// How many PEs would refuse the call.
int64_t refusing(const Contract& contract, const Case& item, int64_t pes) {
  const contract::Dtype dtype =
      contract.dispatch.empty() ? contract::Dtype::kInt8 : contract.dispatch.front();
  int64_t count = 0;
  for (int64_t pe = 0; pe < pes; ++pe) {
    count += contract::refusal(contract, {item, dtype, pes, pe}).empty() ? 0 : 1;
  }
  return count;
}

}  // namespace

Job wrong_calls_job(Job job, const Contract& contract, const Selection& selection) {
  job.name = fmt::format("{} PEs, wrong calls", job.pes);
  job.wrong_calls = true;
  job.calls = 3;
  job.dtypes = {selection.dtypes.front()};
  job.cases = {selection.functional.front()};
  const std::vector<Case> cases = changed_cases(contract, job.pes);
  for (size_t i = 0; i < contract.requirements.size(); ++i) {
    Contract without = contract;
    without.requirements.erase(without.requirements.begin() + static_cast<std::ptrdiff_t>(i));
    for (const Case& item : cases) {
      if (is_small(item) && refusing(contract, item, job.pes) == job.pes &&
          refusing(without, item, job.pes) == 0) {
        Job named;
        Case same = item;
        same.name = contract.requirements[i].text;
        add_case(named, same);
        job.refused.merge(named.derived);
        break;
      }
    }
  }
  return job;
}

}  // namespace shmem_bind::verify
