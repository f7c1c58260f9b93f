#include "tool/cli/manual.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shmem_bind::cli {
namespace {

const ManualCommand& command_named(const Manual& manual, const std::string& name) {
  const auto found = std::find_if(
      manual.commands.begin(), manual.commands.end(), [&](const ManualCommand& command) {
        return command.name == name;
      });
  EXPECT_NE(found, manual.commands.end()) << name;
  return *found;
}

const ManualOption& option_named(const ManualCommand& command, const std::string& name) {
  const auto found =
      std::find_if(command.options.begin(), command.options.end(), [&](const ManualOption& option) {
        return option.names.back() == name;
      });
  EXPECT_NE(found, command.options.end()) << name;
  return *found;
}

TEST(Manual, ReadsTheCommandLineThatIsParsed) {
  const Manual manual = read_manual();
  const ManualCommand& verify = command_named(manual, "verify");
  ASSERT_EQ(verify.arguments.size(), 1U);
  EXPECT_EQ(verify.arguments[0].name, "operator");
  EXPECT_TRUE(verify.arguments[0].is_required);
  EXPECT_EQ(option_named(verify, "--verbose").names, (std::vector<std::string>{"-v", "--verbose"}));
  EXPECT_EQ(option_named(verify, "--verbose").value, "");
  EXPECT_EQ(option_named(verify, "--calls").value, "INT");
  EXPECT_EQ(option_named(verify, "--pes").value, "N[,N|N..N]");
  EXPECT_EQ(option_named(verify, "--cann").value, "PATH");
  EXPECT_EQ(option_named(verify, "--format").choices, (std::vector<std::string>{"text", "json"}));
  EXPECT_EQ(manual.exit_codes.back().code, 14);
}

TEST(Manual, ListsTheCodesThatExplainKnows) {
  const Manual manual = read_manual();
  const ManualArgument& code = command_named(manual, "explain").arguments.at(0);
  EXPECT_FALSE(code.is_required);
  EXPECT_NE(std::find(code.choices.begin(), code.choices.end(), "C011"), code.choices.end());
}

// What quoting and escaping are for.
Manual awkward() {
  Manual manual;
  manual.version = "1.0-rc";
  manual.about = "A tool.\n\n  as it\n  stands\n'quoted'\n";
  manual.commands = {{"go",
                      "Don't stop: [now].",
                      {{"what", true, {}, ".dotted"}},
                      {{{"-x", "--ex"}, "", {}, "it's a \\ mark"}}}};
  return manual;
}

TEST(ManPage, ShowsAwkwardTextAsItIs) {
  const std::string page = man_page(awkward());
  EXPECT_NE(page.find("shmem\\-bind 1.0\\-rc"), std::string::npos) << page;
  EXPECT_NE(page.find("\n.nf\n  as it\n  stands\n.fi\n\\&'quoted'\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\\fIwhat\\fR\n\\&.dotted\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\\fB\\-x\\fR, \\fB\\-\\-ex\\fR\nit's a \\e mark\n"), std::string::npos)
      << page;
}

TEST(Completion, QuotesAwkwardText) {
  const std::string zsh = zsh_completion(awkward());
  EXPECT_NE(zsh.find("'go:Don'\\''t stop\\: \\[now\\].'"), std::string::npos) << zsh;
  EXPECT_NE(zsh.find("'(-x --ex)--ex[it'\\''s a \\\\ mark]'"), std::string::npos) << zsh;
  const std::string fish = fish_completion(awkward());
  EXPECT_NE(fish.find("-a go -d 'Don\\'t stop: [now].'"), std::string::npos) << fish;
  EXPECT_NE(fish.find("-s x -l ex -d 'it\\'s a \\\\ mark'"), std::string::npos) << fish;
}

}  // namespace
}  // namespace shmem_bind::cli
