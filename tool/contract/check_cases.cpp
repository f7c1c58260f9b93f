#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tool/contract/call_values.h"
#include "tool/contract/collective.h"
#include "tool/contract/dtype.h"
#include "tool/contract/errors.h"
#include "tool/contract/expression.h"
#include "tool/contract/reader.h"

// The contract's numbers, tried out on its declared cases before anything runs: what compute()
// would refuse there is a finding here.

namespace shmem_bind::contract {
namespace {

// One point the expressions are evaluated at.
struct Point {
  const Case* test;
  Dtype dtype;
  int64_t pes;

  std::string text() const {
    return fmt::format("case {}, {} PEs, {}", test->name, pes, row(dtype).dsl);
  }
};

class CaseChecker {
 public:
  explicit CaseChecker(Reading& reading) : reading_(reading), contract_(reading.contract) {}

  void run() {
    std::vector<Dtype> dtypes = contract_.dispatch;
    if (dtypes.empty()) {
      dtypes = {Dtype::kInt8};  // nothing depends on it
    }
    for (const int64_t pes : pe_counts_to_try()) {
      check_state(pes);
      for (const Case& test : contract_.cases) {
        for (const Dtype dtype : dtypes) {
          check_point({&test, dtype, pes});
        }
      }
    }
    drop_unfit_cases();
  }

 private:
  // Sizes that nobody declared and that the contract does not allow are not tested.
  void drop_unfit_cases() {
    std::erase_if(reading_.contract.cases,
                  [this](const Case& test) { return unfit_.contains(test.name); });
    if (!contract_.cases.empty() || unfit_.empty()) {
      return;
    }
    if (unfit_condition_ == nullptr) {
      reading_.diagnostics.add(kGoldenMisfit, contract_.golden->span, golden_problem_);
    } else {
      reading_.diagnostics.add(
          kCaseRefused,
          unfit_condition_->condition->span,
          fmt::format("{} holds for none of the sizes the tool tries by itself; declare some in "
                      "correctness.case_matrix",
                      unfit_condition_->text));
    }
  }

  // Those that verify runs, and the ends of what is allowed.
  std::vector<int64_t> pe_counts_to_try() const {
    std::set<int64_t> counts;
    const PeCounts& allowed = contract_.pe_counts;
    for (const int64_t count :
         {allowed.min, int64_t{2}, int64_t{8}, std::min(allowed.max, int64_t{64})}) {
      if (allowed.allows(count)) {
        counts.insert(count);
      }
    }
    counts.insert(allowed.list.begin(), allowed.list.end());
    return {counts.begin(), counts.end()};
  }

  // Once for each expression: the same mistake shows at many points.
  void report(const Rule& rule, const Expression& expression, const std::string& detail) {
    if (reported_.insert(&expression).second) {
      reading_.diagnostics.add(rule, expression.span, detail);
    }
  }

  std::optional<int64_t> value_of(const Expression& expression,
                                  const Values& values,
                                  std::string_view what,
                                  const std::string& where) {
    std::string why;
    const auto value = evaluate(expression, values, why);
    if (!value) {
      report(kNoValue, expression, fmt::format("{} ({}): {}", what, where, why));
    }
    return value;
  }

  void check_state(int64_t pes) {
    if (contract_.state_bytes == nullptr) {
      return;
    }
    Values values;
    values.names["n_pes"] = pes;
    values.names.insert(contract_.maxima.begin(), contract_.maxima.end());
    add_attributes(contract_, {}, values);
    int64_t largest = 1;
    for (const Dtype dtype : contract_.dispatch) {
      largest = std::max(largest, row(dtype).bytes);
    }
    values.element_bytes["dtype"] = largest;
    const std::string where = fmt::format("{} PEs", pes);
    const auto bytes = value_of(*contract_.state_bytes, values, "state", where);
    if (bytes && *bytes <= 0) {
      report(
          kBadValue, *contract_.state_bytes, fmt::format("state is {} bytes ({})", *bytes, where));
    }
  }

  // The size of one dimension; nothing, and reported, when it has none.
  std::optional<int64_t> size_at(const Point& point,
                                 const Tensor& tensor,
                                 const Expression& expression,
                                 const Values& values) {
    const auto size = value_of(expression, values, "the shape of " + tensor.name, point.text());
    if (size && *size < 0) {
      report(kBadValue,
             expression,
             fmt::format("a dimension of {} is {} ({})", tensor.name, *size, point.text()));
      return std::nullopt;
    }
    return size;
  }

  void check_point(const Point& point) {
    const Call call{*point.test, point.dtype, point.pes, point.pes - 1};
    Values values = values_of(contract_, call);
    const SizeOf size_of = [&](const Tensor& t, const Expression& e, const Values& known) {
      return size_at(point, t, e, known);
    };
    if (!add_tensors(contract_, call, size_of, values)) {
      return;
    }
    const auto blocks = value_of(*contract_.block_dim, values, "block_dim", point.text());
    if (blocks && *blocks < 1) {
      report(kBadValue,
             *contract_.block_dim,
             fmt::format("block_dim is {} ({})", *blocks, point.text()));
    }
    values.names["block_dim"] = blocks.value_or(1);
    if (check_requirements(point, values)) {
      check_golden(point, values);
    }
    if (unfit_.contains(point.test->name)) {
      return;
    }
    for (const Argument& argument : contract_.entry.arguments) {
      check_argument(argument, values, point);
    }
  }

  // Whether all conditions hold.
  bool check_requirements(const Point& point, const Values& values) {
    bool all = true;
    for (const Requirement& requirement : contract_.requirements) {
      const auto holds = value_of(*requirement.condition, values, requirement.text, point.text());
      all = all && holds && *holds != 0;
      if (holds && *holds == 0 && !point.test->declared) {
        unfit_.insert(point.test->name);
        unfit_condition_ = &requirement;
      } else if (holds && *holds == 0) {
        report(kCaseRefused,
               *requirement.condition,
               fmt::format("{} does not hold for {}", requirement.text, point.text()));
      }
    }
    return all;
  }

  // The shapes that a known collective has.
  void check_golden(const Point& point, const Values& values) {
    const Collective* collective =
        contract_.golden ? collective_named(contract_.golden->collective) : nullptr;
    const std::string problem =
        collective ? shape_misfit(contract_, *collective, values.shapes, point.pes) : "";
    if (problem.empty()) {
      return;
    }
    if (point.test->declared && golden_problem_.empty()) {
      reading_.diagnostics.add(
          kGoldenMisfit, contract_.golden->span, fmt::format("{} ({})", problem, point.text()));
    } else if (!point.test->declared) {
      unfit_.insert(point.test->name);
    }
    golden_problem_ = problem;
  }

  void check_argument(const Argument& argument, const Values& values, const Point& point) {
    if (argument.expression == nullptr) {
      return;
    }
    const auto value =
        value_of(*argument.expression, values, "arguments." + argument.parameter, point.text());
    const auto range = range_of(argument.canonical_type);
    if (value && range && (*value < range->low || *value > range->high)) {
      report(kNarrowing,
             *argument.expression,
             fmt::format("{} is {} ({}); {} takes {} to {}",
                         argument.parameter,
                         *value,
                         point.text(),
                         argument.cpp_type,
                         range->low,
                         range->high));
    }
  }

  Reading& reading_;
  const Contract& contract_;
  std::set<const Expression*> reported_;
  std::set<std::string> unfit_;  // cases of the tool's own
  const Requirement* unfit_condition_ = nullptr;
  std::string golden_problem_;  // the last one
};

}  // namespace

void check_cases(Reading& reading) {
  CaseChecker(reading).run();
}

}  // namespace shmem_bind::contract
