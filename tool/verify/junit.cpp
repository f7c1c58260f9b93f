#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/verify/verdict.h"
#include "tool/verify/xml_text.h"

namespace shmem_bind::verify {
namespace {

struct Counts {
  int64_t tests = 0;
  int64_t failures = 0;
  int64_t skipped = 0;
  double seconds = 0;
};

std::string details(const JobResult& result) {
  std::string text = joined(result.problems, "\n");
  for (const FailedCall& call : result.calls) {
    text += fmt::format("\nPE {}, {} {}, call {} ({}): {}",
                        call.pe,
                        call.dtype,
                        call.case_name,
                        call.call,
                        call.layout,
                        call.detail);
  }
  for (const auto& [pe, place] : result.stands) {
    text += fmt::format("\nPE {} stood at {}", pe, place);
  }
  return text + (result.hint.empty() ? "" : "\n" + result.hint);
}

std::string failure(const std::string& type, const std::string& message, const std::string& text) {
  return fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                     escaped(type),
                     escaped(message),
                     escaped(text));
}

std::string skipped(const std::string& why) {
  return fmt::format("      <skipped message=\"{}\"/>\n", escaped(why));
}

class Junit {
 public:
  explicit Junit(const Verdict& verdict) : verdict_(verdict) {}

  std::string text() {
    for (const JobResult& result : verdict_.jobs) {
      if (!result.skipped.empty()) {
        add_case(result.job.name, 0, skipped(result.skipped));
        continue;
      }
      const bool has_error = !result.first_error.empty() || result.problems.empty();
      add_case(result.job.name,
               result.seconds,
               result.passed
                   ? ""
                   : failure(result.failure_class.empty() ? "failed" : result.failure_class,
                             has_error ? result.first_error : result.problems.front(),
                             details(result)));
    }
    for (const Check& check : verdict_.checks) {
      if (check.name != "jobs") {
        add_check(check);
      }
    }
    return header() + body_ + "  </testsuite>\n";
  }

 private:
  void add_case(const std::string& name, double seconds, const std::string& inside) {
    ++counts_.tests;
    counts_.failures += inside.find("<failure") != std::string::npos ? 1 : 0;
    counts_.skipped += inside.find("<skipped") != std::string::npos ? 1 : 0;
    counts_.seconds += seconds;
    body_ += fmt::format(
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n{}    </testcase>\n",
        escaped(verdict_.op),
        escaped(name),
        seconds,
        inside);
  }

  void add_check(const Check& check) {
    const std::string why = text_of(check.why, Language::kEnglish);
    std::string inside;
    if (check.state == CheckState::kFailed) {
      inside = failure("check", why, why);
    } else if (check.state != CheckState::kPassed) {
      inside = skipped(why);
    }
    add_case("check: " + check.name, 0, inside);
  }

  std::string header() const {
    const Versions& found = verdict_.versions;
    std::string properties;
    for (const auto& [name, value] :
         {std::pair{"state", std::string(name_of(verdict_.state))},
          std::pair{"contract", verdict_.digest},
          std::pair{"tool", found.tool},
          std::pair{"torch", found.torch},
          std::pair{"torch_npu", found.torch_npu},
          std::pair{"cann", found.cann},
          std::pair{"simulated", std::string(found.simulated ? "true" : "false")},
          std::pair{"compiler", found.compiler},
          std::pair{"python", found.python}}) {
      properties +=
          fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, escaped(value));
    }
    return fmt::format(
        "  <testsuite name=\"shmem-bind verify {}\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
        "skipped=\"{}\" time=\"{:.3f}\">\n    <properties>\n{}    </properties>\n",
        escaped(verdict_.op),
        counts_.tests,
        counts_.failures,
        counts_.skipped,
        counts_.seconds,
        properties);
  }

  const Verdict& verdict_;
  Counts counts_;
  std::string body_;
};

}  // namespace

std::string to_junit(const std::vector<Verdict>& verdicts) {
  std::string suites;
  for (const Verdict& verdict : verdicts) {
    suites += Junit(verdict).text();
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" + suites + "</testsuites>\n";
}

}  // namespace shmem_bind::verify
