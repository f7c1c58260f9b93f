#include "tool/verify/html_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/verify/code_rules.h"
#include "tool/verify/html_parts.h"
#include "tool/verify/html_style.h"
#include "tool/verify/xml_text.h"

namespace shmem_bind::verify {
namespace {

class HtmlReport {
 public:
  HtmlReport(const Verdict& verdict, const std::string& source)
      : verdict_(verdict), source_(source) {}

  std::string text() {
    add_head();
    add_failures();
    add_checks();
    add_matrix();
    add_jobs();
    add_mutants();
    add_versions();
    add_code();
    return std::move(out_) + "</main></body></html>\n";
  }

 private:
  void add_head() {
    out_ += fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<title>{0}: {1}</title><style>{2}</style></head>\n<body><main>\n"
        "<h1>{0} {3}</h1>\n",
        escaped(verdict_.op),
        name_of(verdict_.state),
        kHtmlStyle,
        badge(name_of(verdict_.state)));
    if (verdict_.state != State::kVerified) {
      out_ += fmt::format("<p id=\"why\">{}</p>\n", escaped(headline(verdict_)));
    }
    out_ += fmt::format("<p class=\"soft\">{} · contract {}</p>\n",
                        escaped(verdict_.folder),
                        escaped(verdict_.digest));
  }

  void add_texts(std::string_view word, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      out_ += fmt::format("<p>{}: {}</p>\n", word, escaped(text));
    }
  }

  void add_failures() {
    const bool has_failure =
        std::any_of(verdict_.jobs.begin(), verdict_.jobs.end(), [](const JobResult& result) {
          return !result.passed && result.skipped.empty();
        });
    if (!has_failure && verdict_.findings.empty() && verdict_.problems.empty() &&
        verdict_.warnings.empty()) {
      return;
    }
    out_ += "<section id=\"failures\"><h2>What went wrong</h2>\n";
    for (size_t i = 0; i < verdict_.jobs.size(); ++i) {
      if (!verdict_.jobs[i].passed && verdict_.jobs[i].skipped.empty()) {
        add_failure(verdict_.jobs[i], i + 1);
      }
    }
    add_texts("problem", verdict_.problems);
    add_texts("finding", verdict_.findings);
    add_texts("warning", verdict_.warnings);
    out_ += "</section>\n";
  }

  void add_failure(const JobResult& result, size_t number) {
    out_ += fmt::format("<div class=\"problem\"><h3>{}. {} {}</h3>\n",
                        number,
                        escaped(result.job.name),
                        badge("failed"));
    out_ += "<dl>\n";
    add_pair("class", result.failure_class);
    add_pair("first error", result.first_error);
    add_pair("way out", result.hint);
    add_pair("again", fmt::format("shmem-bind replay verdict.json --case {}", number));
    out_ += "</dl>\n";
    for (const std::string& problem : result.problems) {
      out_ += fmt::format("<p>{}</p>\n", escaped(problem));
    }
    add_calls(result);
    for (const auto& [pe, place] : result.stands) {
      out_ += fmt::format("<p>PE {} stood at</p><pre>{}</pre>\n", escaped(pe), escaped(place));
    }
    out_ += "</div>\n";
  }

  void add_calls(const JobResult& result) {
    if (result.calls.empty()) {
      return;
    }
    out_ += table_head({"PE", "dtype", "case", "call", "layout", "first difference"});
    for (const FailedCall& call : result.calls) {
      out_ += fmt::format(
          "<tr><td class=\"number\">{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td>"
          "<td>{}</td><td>{}</td></tr>\n",
          call.pe,
          escaped(call.dtype),
          escaped(call.case_name),
          call.call,
          escaped(call.layout),
          escaped(call.detail));
    }
    out_ += kTableEnd;
  }

  void add_pair(std::string_view name, const std::string& value) {
    if (!value.empty()) {
      out_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(value));
    }
  }

  void add_checks() {
    out_ += "<section id=\"checks\"><h2>Checks</h2>\n" + table_head({"check", "state", "why"});
    for (const Check& check : verdict_.checks) {
      out_ += fmt::format("<tr><td>{}</td>{}<td>{}</td></tr>\n",
                          escaped(text_of(check.name, Language::kEnglish)),
                          cell(name_of(check.state)),
                          escaped(text_of(check.why, Language::kEnglish)));
    }
    out_ += std::string(kTableEnd) + "</section>\n";
  }

  std::string shape_of(const std::string& case_name) const {
    const auto sizes = verdict_.cases.find(case_name);
    std::vector<std::string> texts;
    if (sizes != verdict_.cases.end()) {
      for (const auto& [symbol, size] : sizes->second) {
        texts.push_back(fmt::format("{}={}", symbol, size));
      }
    }
    return joined(texts, ", ");
  }

  // One table for each number of PEs: cases down, dtypes across.
  void add_matrix() {
    out_ += "<section id=\"matrix\"><h2>Matrix: PEs, dtype and shape</h2>\n";
    const std::vector<Cell> cells = matrix_of(verdict_);
    std::vector<int64_t> counts;
    for (const Cell& item : cells) {
      if (std::find(counts.begin(), counts.end(), item.pes) == counts.end()) {
        counts.push_back(item.pes);
      }
    }
    std::sort(counts.begin(), counts.end());
    for (const int64_t pes : counts) {
      add_matrix_of(pes, cells);
    }
    out_ += cells.empty() ? "<p>Nothing was run.</p></section>\n" : "</section>\n";
  }

  void add_matrix_of(int64_t pes, const std::vector<Cell>& cells) {
    std::vector<std::string> columns = {"case", "shape"};
    std::vector<std::string> names;
    const auto add_new = [](std::vector<std::string>& list, const std::string& item) {
      if (std::find(list.begin(), list.end(), item) == list.end()) {
        list.push_back(item);
      }
    };
    for (const Cell& item : cells) {
      if (item.pes == pes) {
        add_new(columns, item.dtype);
        add_new(names, item.case_name);
      }
    }
    out_ += fmt::format("<h3>{} PE{}</h3>\n", pes, pes == 1 ? "" : "s") + table_head(columns);
    for (const std::string& name : names) {
      out_ += fmt::format(
          "<tr><th scope=\"row\">{}</th><td>{}</td>", escaped(name), escaped(shape_of(name)));
      for (size_t i = 2; i < columns.size(); ++i) {
        add_cell(pes, columns[i], name, cells);
      }
      out_ += "</tr>\n";
    }
    out_ += kTableEnd;
  }

  void add_cell(int64_t pes,
                const std::string& dtype,
                const std::string& name,
                const std::vector<Cell>& cells) {
    const auto found = std::find_if(cells.begin(), cells.end(), [&](const Cell& item) {
      return item.pes == pes && item.dtype == dtype && item.case_name == name;
    });
    if (found == cells.end()) {
      out_ += "<td class=\"soft\">not run</td>";
      return;
    }
    const Look look = look_of(name_of(found->state));
    out_ += fmt::format("<td class=\"state {}\">{} {} · {} calls</td>",
                        look.css,
                        look.symbol,
                        look.word,
                        found->calls);
  }

  static std::string setting_of(const Job& job) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : job.environment) {
      texts.push_back(name + "=" + value);
    }
    return joined(texts, " ");
  }

  void add_jobs() {
    out_ += "<section id=\"jobs\"><h2>Jobs</h2>\n" +
            table_head({"", "job", "state", "results", "seconds", "launcher", "setting"});
    for (size_t i = 0; i < verdict_.jobs.size(); ++i) {
      const JobResult& result = verdict_.jobs[i];
      out_ += fmt::format(
          "<tr><td class=\"number\">{}</td><td>{}</td>{}<td class=\"number\">{} of {}</td>"
          "<td class=\"number\">{:.1f}</td><td>{}</td><td>{}</td></tr>\n",
          i + 1,
          escaped(result.job.name),
          cell(!result.skipped.empty() ? "skipped"
               : result.passed         ? "passed"
                                       : "failed"),
          result.records,
          result.expected,
          result.seconds,
          escaped(result.job.launcher),
          escaped(setting_of(result.job)));
    }
    out_ += std::string(kTableEnd) + "</section>\n";
  }

  void add_mutants() {
    out_ += "<section id=\"mutants\"><h2>Known-bad variants</h2>\n";
    if (verdict_.mutants.empty()) {
      out_ += "<p>Not run: <code>shmem-bind prove</code> runs them.</p></section>\n";
      return;
    }
    out_ += table_head({"id", "kind", "what is wrong", "state", "by", "seconds"});
    for (const Mutant& mutant : verdict_.mutants) {
      out_ += fmt::format(
          "<tr><td>{}</td><td>{}</td><td>{}</td>{}<td>{}</td><td "
          "class=\"number\">{:.1f}</td></tr>\n",
          escaped(mutant.id),
          escaped(mutant.kind),
          escaped(mutant.title),
          cell(mutant.state),
          escaped(mutant.by),
          mutant.seconds);
    }
    out_ += std::string(kTableEnd) + "</section>\n";
  }

  void add_versions() {
    const Versions& found = verdict_.versions;
    out_ += "<section id=\"versions\"><h2>Versions</h2>\n<dl>\n";
    add_pair("shmem-bind", found.tool);
    add_pair("torch", found.torch);
    add_pair("torch_npu", found.torch_npu + " at " + found.torch_npu_path);
    add_pair(
        "CANN",
        fmt::format(
            "{} ({}) at {}", found.cann, found.simulated ? "simulated" : "real", found.cann_path));
    add_pair("SHMEM", found.shmem_path);
    add_pair("compiler", found.compiler);
    add_pair("Python", found.python + " at " + found.python_path);
    out_ += "</dl></section>\n";
  }

  void add_code() {
    if (source_.empty()) {
      return;
    }
    out_ += "<section id=\"code\"><h2>Generated code, and the rule behind each block</h2>\n";
    for (const CodeBlock& block : blocks_of(source_)) {
      out_ += fmt::format(
          "<div class=\"block\"><pre>{}</pre><div class=\"rule\"><strong>{}</strong> "
          "<span class=\"soft\">line {}</span><p>{}</p></div></div>\n",
          escaped(block.code),
          escaped(block.title),
          block.first_line,
          escaped(block.rule));
    }
    out_ += "</section>\n";
  }

  const Verdict& verdict_;
  const std::string& source_;
  std::string out_;
};

}  // namespace

std::string to_html(const Verdict& verdict, const std::string& source) {
  return HtmlReport(verdict, source).text();
}

}  // namespace shmem_bind::verify
