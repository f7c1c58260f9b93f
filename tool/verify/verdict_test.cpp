#include "tool/verify/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tool/verify/testing.h"
#include "tool/verify/xml_text.h"

namespace shmem_bind::verify {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Verdict, ComesBackFromItsFile) {
  Verdict verdict = failed_verdict();
  verdict.mutants = {{"id", "kernel", "title", "killed", "seed 1", 1.5}};
  verdict.findings = {"a finding"};
  verdict.warnings = {"a warning"};
  verdict.notes = {"a note"};
  verdict.jobs[0].stands = {{"1", "signal_wait, word 0x10"}};
  verdict.jobs[0].job.mixed = verdict.jobs[0].job.side_streams = true;
  verdict.jobs[0].job.objects = 2;
  verdict.jobs[0].job.lives = 3;
  verdict.jobs[0].job.derived = {{"zero size", {{"rows", "0"}, {"halo", "0.5"}, {"on", "true"}}}};
  verdict.jobs[0].job.wrong_calls = true;
  verdict.jobs[0].job.refused = {{"rows > 0", {{"rows", "0"}}}};
  verdict.jobs[0].skipped = "a job hung";
  verdict.full = true;
  const std::string text = to_json(verdict);
  const auto read = read_verdict(text, "verdict.json");
  ASSERT_TRUE(read.ok()) << read.failure().text;
  EXPECT_EQ(to_json(read.value()), text);
  EXPECT_EQ(to_text(read.value()), to_text(verdict));
  EXPECT_EQ(read.value().jobs.size(), verdict.jobs.size());
  EXPECT_EQ(read.value().jobs[1].job.environment, verdict.jobs[1].job.environment);
  const Job& job = read.value().jobs[0].job;
  EXPECT_EQ(job.derived, verdict.jobs[0].job.derived);
  EXPECT_EQ(job.refused, verdict.jobs[0].job.refused);
  EXPECT_TRUE(job.wrong_calls);
  EXPECT_EQ(read.value().jobs[0].skipped, "a job hung");
  EXPECT_TRUE(read.value().full);
  EXPECT_TRUE(job.mixed && job.side_streams && job.objects == 2 && job.lives == 3);
}

TEST(Verdict, IsReadFromNoOtherFile) {
  for (const char* text : {"", "[]", "{\"op\": \"x\"}", "{\"op\": 3, \"jobs\": []}"}) {
    const auto read = read_verdict(text, "x.json");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_TRUE(contains(read.failure().text, "x.json is no verdict")) << read.failure().text;
  }
  const auto newer = read_verdict(R"({"schema": 2, "op": "x", "jobs": []})", "x.json");
  ASSERT_FALSE(newer.ok());
  EXPECT_TRUE(contains(newer.failure().text, "schema 2, this shmem-bind reads 1"));
}

TEST(Verdict, SurvivesFieldsOfOtherTypes) {
  const auto read = read_verdict(
      R"({"schema": 1, "op": "x", "jobs": [3, {"pes": "a", "stands": [], "failed_calls": {}}],
          "cases": {"a": 3, "b": {"rows": "x"}}, "checks": [null], "mutants": 1, "versions": 2})",
      "x.json");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().jobs.size(), 2U);
}

TEST(Matrix, MarksThePlacesThatFailed) {
  const Verdict verdict = failed_verdict();
  const std::vector<Cell> cells = matrix_of(verdict);
  const auto failed = std::count_if(cells.begin(), cells.end(), [](const Cell& cell) {
    return cell.state == Cell::State::kFailed;
  });
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(cells.front().state, Cell::State::kFailed);
  EXPECT_EQ(cells.front().dtype, "int32");
  EXPECT_TRUE(std::all_of(cells.begin() + 1, cells.end(), [](const Cell& cell) {
    return cell.state == Cell::State::kPassed;
  }));
}

TEST(Matrix, CallsUnclearWhatAJobLeftUntested) {
  Verdict verdict = failed_verdict();
  verdict.jobs.front().failure_class = "timeout";
  verdict.jobs.front().calls.clear();
  const std::vector<std::string>& untested = verdict.jobs.front().job.cases;
  for (const Cell& cell : matrix_of(verdict)) {
    const bool is_untested =
        cell.pes == 2 && std::count(untested.begin(), untested.end(), cell.case_name) > 0;
    EXPECT_EQ(cell.state, is_untested ? Cell::State::kUnclear : Cell::State::kPassed);
  }
}

TEST(TextReport, EndsWithTheState) {
  EXPECT_TRUE(contains(to_text(passed_verdict()),
                       "copy_rows: verified on 2 and 8 PEs, dtypes int32 fp16\n"));
  const std::string failed = to_text(failed_verdict());
  EXPECT_TRUE(contains(failed, "copy_rows: NOT VERIFIED: failed on 2 and 8 PEs")) << failed;
  EXPECT_TRUE(contains(failed, "class mismatch: PE 1: 结果不符")) << failed;
  EXPECT_TRUE(contains(failed, "way out: look at <the kernel>")) << failed;
}

TEST(TextReport, SaysWhatIsNotShown) {
  Options options;
  options.pes = {2};
  EXPECT_TRUE(
      contains(to_text(passed_verdict(options)), "PEs: not shown, as asked: not run on 8 PEs\n"));
}

TEST(TextReport, SpeaksChinese) {
  Options options;
  options.pes = {2};
  const std::string text = to_text(passed_verdict(options), Language::kChinese);
  EXPECT_TRUE(contains(text, "copy_rows: 没有失败, 但未完全验证")) << text;
  EXPECT_TRUE(contains(text, "没有在 8 个 PE 上运行")) << text;
  EXPECT_FALSE(contains(text, "passed")) << text;
}

TEST(Message, HasBothLanguagesForEveryCheck) {
  for (const Verdict& verdict : {passed_verdict(), failed_verdict()}) {
    for (const Check& check : verdict.checks) {
      EXPECT_NE(text_of(check.name, Language::kEnglish), text_of(check.name, Language::kChinese))
          << check.name;
      for (const Language language : {Language::kEnglish, Language::kChinese}) {
        const std::string text = text_of(check.why, language);
        EXPECT_FALSE(contains(text, "{}")) << check.why.id;
        EXPECT_NE(text, check.why.id);
      }
    }
  }
}

TEST(Junit, HasOneCasePerJobAndCheck) {
  const std::string xml = to_junit({failed_verdict()});
  EXPECT_TRUE(contains(xml, "name=\"2 PEs, eager\"")) << xml;
  EXPECT_TRUE(contains(xml, "<failure type=\"mismatch\" message=\"PE 1: 结果不符\">")) << xml;
  EXPECT_TRUE(contains(xml, "PE 1 &quot;differs&quot;")) << xml;
  EXPECT_TRUE(contains(xml, "&lt;the kernel&gt; &amp; its")) << xml;
  EXPECT_TRUE(contains(xml, "failures=\"1\"")) << xml;
  EXPECT_TRUE(contains(to_junit({passed_verdict()}), "failures=\"0\" errors=\"0\" skipped=\"0\""));
}

TEST(XmlText, HoldsWhatXmlCannot) {
  EXPECT_EQ(escaped("<a b='c'>&\"</a>"), "&lt;a b=&#39;c&#39;&gt;&amp;&quot;&lt;/a&gt;");
  EXPECT_EQ(escaped(std::string("a\0b\x1b[0m", 7)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD[0m");
  EXPECT_EQ(escaped("结果\xff"), "结果\xEF\xBF\xBD");
  EXPECT_EQ(escaped("\xe7\xbb"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escaped("a\n\tb"), "a\n\tb");
}

}  // namespace
}  // namespace shmem_bind::verify
