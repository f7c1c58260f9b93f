#include "tool/verify/html_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/verify/html_parts.h"
#include "tool/verify/xml_text.h"

namespace shmem_bind::verify {
namespace {

class Matrix {
 public:
  explicit Matrix(const Verdict& verdict) : verdict_(verdict) {}

  std::string text() {
    add_matrix();
    return std::move(out_);
  }

 private:
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

  const Verdict& verdict_;
  std::string out_;
};

}  // namespace

std::string matrix_section(const Verdict& verdict) {
  return Matrix(verdict).text();
}

}  // namespace shmem_bind::verify
