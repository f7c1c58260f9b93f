#include <fmt/format.h>

#include <regex>

#include "tool/base/text.h"
#include "tool/prove/variants.h"

// A kernel is a person's text: what is wrong is found line by line, in code, not in comments.

namespace shmem_bind::prove {
namespace {

const std::vector<Probe> kProbes = {Probe::kFirst, Probe::kOrders, Probe::kLarge};

struct Mistake {
  const char* pattern;
  const char* instead;  // of std::regex_replace
  const char* title;
  const char* missed;
};

const Mistake kMistakes[] = {
    {R"(\b(aclshmem\w*_(quiet|fence)|aclshmemi?_barrier\w*)\s*\(\s*\)\s*;)",
     ";",
     "without",
     "adversarial orders in which a transfer is late"},
    {R"((AscendC::)?(SyncAll|PipeBarrier)(<[^;]*>)?\([^;]*\)\s*;)",
     ";",
     "without",
     "adversarial orders of blocks and pipes"},
    {R"(\baclshmem\w*_wait_until\w*\s*\([^;]*\)\s*;)", ";", "does not wait:", "one PE late"},
    {R"(ACLSHMEM_CMP_GE,\s*[^;]+\);)",
     "ACLSHMEM_CMP_NE, 0);",
     "takes a signal of an earlier call:",
     "calls without a barrier between them"},
    {R"(ACLSHMEM_SIGNAL_SET)",
     "ACLSHMEM_SIGNAL_ADD",
     "adds to the signal:",
     "several calls on one object"},
    {R"(for \(int32_t (\w+) = 0; \1 < pes(_?);)",
     "for (int32_t $1 = 1; $1 < pes$2;",
     "leaves out the first PE:",
     "comparing every PE's part"},
    {R"(for \(int32_t (\w+) = ([^;]+); \1 < pes(_?);)",
     "for (int32_t $1 = $2; $1 < pes$3 - 1;",
     "leaves out the last PE:",
     "comparing every PE's part"},
    {R"(for \(int64_t (\w+) = ([^;]+); \1 < (\w+); \1 \+= (\w+)\))",
     "for (int64_t $1 = $2; $1 + $4 <= $3; $1 += $4)",
     "drops the last piece:",
     "a case that is no multiple of a piece"},
    {R"(\* (k\w*(Piece|Inbox|Slot|Edge)\w*)\))",
     "* $1 / 2)",
     "slots overlap:",
     "cases that fill a slot"},
    {R"(static_cast<uint32_t>\((count|\w*elements\w*)\))",
     "static_cast<uint32_t>($1 - 1)",
     "one element less:",
     "comparing every byte"},
};

size_t code_length(const std::string& line) {
  return std::min(line.find("//"), line.size());
}

// "// prove: equivalent, because …" behind the code: the author's word for a line, which counts
// only with a reason.
std::string said_equivalent(const std::string& line) {
  constexpr std::string_view kMark = "prove: equivalent";
  constexpr size_t kShortestReason = 10;
  const size_t at = line.find(kMark, code_length(line));
  if (at == std::string::npos) {
    return "";
  }
  const size_t reason = line.find_first_not_of(" ,:", at + kMark.size());
  return reason == std::string::npos || line.size() - reason < kShortestReason
             ? ""
             : std::string(trimmed(line.substr(reason)));
}

std::string with_line(const std::vector<std::string_view>& lines,
                      size_t index,
                      const std::string& line) {
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    out += (i == index ? line : std::string(lines[i])) + "\n";
  }
  return out;
}

// SetFlag and WaitFlag of one event, one behind the other: an edge between two pipes.
void add_edges(Maker& maker, const std::vector<std::string_view>& lines) {
  const std::regex set(R"(SetFlag<[^;]*>\(([^;]*)\);)");
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    const std::string first(lines[i]);
    const std::string second(lines[i + 1]);
    if (!std::regex_search(first.substr(0, code_length(first)), set) ||
        replaced(std::string(trimmed(first)), "SetFlag", "WaitFlag") != trimmed(second)) {
      continue;
    }
    std::string text;
    for (size_t k = 0; k < lines.size(); ++k) {
      text += (k == i || k == i + 1 ? ";" : std::string(lines[k])) + "\n";
    }
    maker.add_text(fmt::format("lines {}, {}: without the edge {}",
                               i + 1,
                               i + 2,
                               std::string(trimmed(first)).substr(0, 60)),
                   "kernel",
                   std::move(text),
                   kProbes,
                   "adversarial orders of pipes",
                   said_equivalent(first));
  }
}

void add_orders(Maker& maker, const std::string& kernel) {
  const auto lines = split_lines(kernel);
  for (Reordered& other : signals_before_data(kernel)) {
    const std::string line(lines[other.line - 1]);
    maker.add_text(fmt::format("line {}: signals before the data: {}",
                               other.line,
                               std::string(trimmed(line)).substr(0, 60)),
                   "kernel",
                   std::move(other.text),
                   kProbes,
                   "adversarial orders in which a transfer is late",
                   said_equivalent(line));
  }
}

}  // namespace

std::vector<Variant> kernel_variants(const Texts& texts) {
  Maker maker("kernel", texts);
  const auto lines = split_lines(texts.at("kernel"));
  for (const Mistake& mistake : kMistakes) {
    const std::regex pattern(mistake.pattern);
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string line(lines[i]);
      const std::string code = line.substr(0, code_length(line));
      if (!std::regex_search(code, pattern)) {
        continue;
      }
      maker.add_text(
          fmt::format(
              "line {}: {} {}", i + 1, mistake.title, std::string(trimmed(code)).substr(0, 70)),
          "kernel",
          with_line(lines, i, std::regex_replace(code, pattern, mistake.instead)),
          kProbes,
          mistake.missed,
          said_equivalent(line));
    }
  }
  add_edges(maker, lines);
  add_orders(maker, texts.at("kernel"));
  return maker.take();
}

}  // namespace shmem_bind::prove
