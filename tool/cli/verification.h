#pragma once

#include "tool/cli/command.h"
#include "tool/verify/verdict.h"

// What the commands that run the generated test have in common.

namespace shmem_bind::cli {

verify::Options options_of(const Args& args);
verify::Language language_of(const Args& args);

// False, and said, when the kernel library or the binding is missing.
bool libraries_are_there(Environment& environment, const Operator& op, Outcome& outcome);

// Where the operator's records lie: verdict.json and more.
std::string record(const Operator& op, const char* name);
inline constexpr const char* kVerdict = "verdict.json";

// What the test runs on; its progress lines go to the person who waits.
verify::Surroundings surroundings_of(Environment& environment,
                                     const Operator& op,
                                     const build::Target& target);

// Exit code of a verdict. A batch is done only with complete verdicts: there, options that leave
// something out do not excuse it.
int exit_code_of(const verify::Verdict& verdict, bool is_batch);

// The verdict as text, JSON and exit code into the outcome, and the JUnit file.
void tell_verdict(Environment& environment, const verify::Verdict& verdict, Outcome& outcome);

// The JUnit file, if one was asked for.
void write_junit(Environment& environment, const verify::Verdict& verdict, Outcome& outcome);

// The verdict of an operator that nobody asked for, when this is why there is none.
void tell_skip(Environment& environment, Outcome& outcome);

// Reads the verdict.json that the command line names; nothing, and said, when it is none.
std::optional<verify::Verdict> open_verdict(Environment& environment, Outcome& outcome);

// The operator's folder that a verdict is about, by --operator or by what it says.
std::string folder_of(const Args& args, const verify::Verdict& verdict);

}  // namespace shmem_bind::cli
