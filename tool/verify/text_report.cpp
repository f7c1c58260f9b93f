#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/verify/verdict.h"

namespace shmem_bind::verify {
namespace {

constexpr size_t kMostProblems = 5;  // of one job

class TextReport {
 public:
  TextReport(const Verdict& verdict, Language language) : verdict_(verdict), language_(language) {}

  std::string text() {
    add_lines("warning", verdict_.warnings);
    for (size_t i = 0; i < verdict_.jobs.size(); ++i) {
      add_job(verdict_.jobs[i], i + 1);
    }
    add_lines("problem", verdict_.problems);
    add_lines("finding", verdict_.findings);
    add_checks();
    add_versions();
    out_ += fmt::format("{}: {}\n", verdict_.op, conclusion());
    return std::move(out_);
  }

 private:
  std::string say(const char* id, std::vector<std::string> arguments = {}) const {
    return text_of(Message{id, std::move(arguments)}, language_);
  }

  void add_lines(const char* id, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      out_ += say(id, {line}) + "\n";
    }
  }

  void add_job(const JobResult& result, size_t number) {
    out_ += fmt::format("{:>4}  {:<44} {:>6} {}  {:>6.1f} s  {}\n",
                        number,
                        result.job.name,
                        result.records,
                        say("results"),
                        result.seconds,
                        say(!result.skipped.empty() ? "job.skipped"
                            : result.passed         ? "check.passed"
                                                    : "check.failed"));
    if (!result.skipped.empty()) {
      out_ += fmt::format("      {}\n", result.skipped);
      return;
    }
    if (!result.failure_class.empty()) {
      out_ += fmt::format("      {}\n", say("class", {result.failure_class, result.first_error}));
    }
    for (size_t i = 0; i < std::min(result.problems.size(), kMostProblems); ++i) {
      out_ += fmt::format("      {}\n", result.problems[i]);
    }
    for (const auto& [pe, place] : result.stands) {
      out_ += fmt::format("      {}\n", say("stands", {pe, place}));
    }
    if (!result.hint.empty()) {
      out_ += fmt::format("      {}\n", say("hint", {result.hint}));
    }
  }

  // Only those that a reader has to know of: passed ones stand in verdict.json and in the report.
  void add_checks() {
    if (verdict_.state == State::kSkipped) {
      return;  // the conclusion says it
    }
    for (const Check& check : verdict_.checks) {
      if (check.state == CheckState::kOpen || check.state == CheckState::kWaived) {
        out_ += fmt::format("{}: {}: {}\n",
                            say(check.name.c_str()),
                            say(check.state == CheckState::kOpen ? "check.open" : "check.waived"),
                            text_of(check.why, language_));
      }
    }
  }

  void add_versions() {
    const Versions& found = verdict_.versions;
    const auto known = [&](const std::string& text) {
      return text.empty() ? say("unknown") : text;
    };
    if (verdict_.state == State::kSkipped) {
      return;
    }
    out_ += say("npu_path", {known(found.torch_npu), known(found.torch_npu_path)}) + "\n";
    out_ += say("with",
                {known(found.torch),
                 known(found.torch_npu_installed),
                 known(found.cann),
                 say(found.simulated ? "simulated" : "real"),
                 known(found.python),
                 known(found.compiler)}) +
            "\n";
  }

  std::string conclusion() const {
    const std::string state = say(std::string(name_of(verdict_.state)).c_str());
    if (verdict_.state == State::kSkipped) {
      return state + ": " + headline(verdict_, language_);
    }
    std::vector<std::string> counts;
    std::vector<std::string> dtypes;
    const auto add_new = [](std::vector<std::string>& list, const std::string& item) {
      if (std::find(list.begin(), list.end(), item) == list.end()) {
        list.push_back(item);
      }
    };
    for (const JobResult& result : verdict_.jobs) {
      add_new(counts, std::to_string(result.job.pes));
      for (const std::string& dtype : result.job.dtypes) {
        add_new(dtypes, dtype);
      }
    }
    return state +
           (counts.empty() ? "" : say("on", {enumeration(counts, language_), joined(dtypes, " ")}));
  }

  const Verdict& verdict_;
  Language language_;
  std::string out_;
};

}  // namespace

std::string to_text(const Verdict& verdict, Language language) {
  return TextReport(verdict, language).text();
}

}  // namespace shmem_bind::verify
