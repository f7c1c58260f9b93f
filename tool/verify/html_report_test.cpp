#include "tool/verify/html_report.h"

#include <gtest/gtest.h>

#include "tool/binding/emit.h"
#include "tool/verify/code_rules.h"
#include "tool/verify/testing.h"

namespace shmem_bind::verify {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// What the generator writes for the good operator.
std::string generated_source() {
  const auto files = binding::emit(good_contract());
  return files.at("custom-ops/torch_binding/src/torch_bind_copy_rows.cpp").text;
}

TEST(HtmlReport, ShowsMatrixChecksAndFailure) {
  const std::string page = to_html(failed_verdict(), "");
  EXPECT_TRUE(contains(page, "<h3>8 PEs</h3>"));
  EXPECT_TRUE(contains(page, "element 3: got 1, wanted 2"));
  EXPECT_TRUE(contains(page, "✗ failed"));
  EXPECT_TRUE(contains(page, "shmem-bind replay verdict.json --case 1"));
  EXPECT_TRUE(contains(page, "Not run: <code>shmem-bind prove</code>"));
}

TEST(HtmlReport, NeedsNothingBesideItself) {
  const std::string page = to_html(failed_verdict(), generated_source());
  for (const char* word : {"<script", "src=", "href=", "url(", "@import", "http://", "https://"}) {
    EXPECT_FALSE(contains(page, word)) << word;
  }
  EXPECT_TRUE(contains(page, "default-src 'none'"));
}

TEST(HtmlReport, EscapesEverything) {
  const std::string evil = "<img src=x onerror=alert(1)>\"'&";
  Verdict verdict = failed_verdict();
  verdict.op = verdict.folder = verdict.digest = evil;
  verdict.findings = verdict.problems = verdict.warnings = {evil};
  verdict.mutants = {{evil, evil, evil, evil, evil, 1}};
  verdict.versions.compiler = verdict.versions.torch_npu_path = verdict.versions.cann_path = evil;
  verdict.cases[evil] = {{evil, 1}};
  verdict.checks.push_back({evil, CheckState::kOpen, {evil, {evil}}});
  JobResult& result = verdict.jobs.front();
  result.job.name = result.job.launcher = result.failure_class = result.hint = evil;
  result.job.dtypes = result.job.cases = result.problems = {evil};
  result.job.environment = {{evil, evil}};
  result.stands = {{evil, evil}};
  result.calls = {{1, evil, evil, 0, evil, evil, 0}};
  EXPECT_FALSE(contains(to_html(verdict, evil), "<img"));
}

TEST(CodeRules, KeepEveryLine) {
  const std::string source = generated_source();
  std::string together;
  for (const CodeBlock& block : blocks_of(source)) {
    together += block.code;
  }
  EXPECT_EQ(together, source);
}

// A mark that the generator does not write any more would silently lose its rule.
TEST(CodeRules, AreFoundInWhatTheGeneratorWrites) {
  std::vector<std::string_view> titles;
  for (const CodeBlock& block : blocks_of(generated_source())) {
    EXPECT_FALSE(block.rule.empty()) << "line " << block.first_line << ": " << block.code;
    titles.push_back(block.title);
  }
  for (const char* title : {"Stamp",
                            "Kernel entry",
                            "Class",
                            "Constructor",
                            "compute",
                            "Call number",
                            "Checks of the tensors",
                            "Overlap",
                            "Launch numbers",
                            "Contiguous memory",
                            "Launch",
                            "Copy back",
                            "close",
                            "Dtypes",
                            "Size of the state",
                            "Registration",
                            "Functional form",
                            "Dispatch keys"}) {
    EXPECT_NE(std::find(titles.begin(), titles.end(), title), titles.end()) << title;
  }
}

}  // namespace
}  // namespace shmem_bind::verify
