#include "tool/build/run.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <set>

#include <cstdlib>
#include <exception>

namespace shmem_bind::build {
namespace {

// A machine whose programs are answers written beforehand.
class ScriptedRunner : public ProcessRunner {
 public:
  using Answer = std::function<ProcessResult(const Command&)>;
  std::vector<Answer> answers;
  std::vector<Command> commands;

  ProcessResult run(const Command& command,
                    const std::function<void(std::string_view)>& on_line) override {
    commands.push_back(command);
    const ProcessResult result = commands.size() <= answers.size()
                                     ? answers[commands.size() - 1](command)
                                     : ProcessResult{99, false, "nothing was expected"};
    if (on_line) {
      on_line(result.output);
    }
    return result;
  }
  void answer(int exit_code, const std::string& output) {
    answers.push_back([=](const Command&) { return ProcessResult{exit_code, false, output}; });
  }
};

// The environment variables of one test, restored at its end.
class Environment {
 public:
  Environment() {
    for (const char* name : {"ASCEND_HOME_PATH", "SHMEM_REPO", "SHMEM_HOME_PATH", "PYTHON"}) {
      saved_.emplace_back(name, environment(name));
      unsetenv(name);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : saved_) {
      value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::vector<std::pair<std::string, std::string>> saved_;
};

class FindTarget : public ::testing::Test {
 protected:
  FindTarget() {
    files.files["/sim/cann/set_env.sh"] = "";
    files.files["/sim/cann/include/acl/acl.h"] = "";
    files.files["/sim/cann/lib64/libascendcl.so"] = "";
    files.files["/sim/cann/version.info"] = "Version=8.5.0\nversion_dir=simulated\n";
    add_shmem("/sim/shmem");
    files.files["/sim/shmem/install/version.info"] = "version_dir=simulated\n";
    runner.answer(0, "torch=2.13.0+cpu\ntorch_npu=2.13.0\n");
  }
  void add_shmem(const std::string& root) {
    files.files[root + "/install/set_env.sh"] = "";
    files.files[root + "/install/shmem/include/shmem.h"] = "";
    files.files[root + "/install/shmem/lib/libshmem.so"] = "";
  }
  Environment clean;
  MemoryFileSystem files;
  ScriptedRunner runner;
};

TEST_F(FindTarget, TakesTheSimulatedCannBesideTheProgram) {
  const auto target = find_target({"", "", "/usr/bin/python3", "/sim/bin"}, files, runner);
  ASSERT_TRUE(target.ok()) << target.failure().text;
  EXPECT_EQ(target.value().cann, "/sim/cann");
  EXPECT_EQ(target.value().shmem, "/sim/shmem");
  EXPECT_EQ(target.value().cann_version, "8.5.0");
  EXPECT_EQ(target.value().torch_npu_version, "2.13.0");
  EXPECT_TRUE(target.value().simulated);
}

TEST_F(FindTarget, PrefersOptionThenEnvironment) {
  setenv("ASCEND_HOME_PATH", "/elsewhere", 1);
  const auto wrong = find_target({"", "", "", "/sim/bin"}, files, runner);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.failure().text,
            "/elsewhere (from ASCEND_HOME_PATH) is no CANN toolkit: it has no set_env.sh");
  const auto right = find_target({"/sim/cann", "", "", ""}, files, runner);
  EXPECT_TRUE(right.ok()) << right.failure().text;
}

TEST_F(FindTarget, SaysWhereToGetCann) {
  const auto target = find_target({"", "", "", ""}, files, runner);
  ASSERT_FALSE(target.ok());
  EXPECT_NE(target.failure().text.find("--cann"), std::string::npos);
}

TEST_F(FindTarget, RefusesASimulatedCannWithARealShmem) {
  add_shmem("/opt/shmem");
  const auto target = find_target({"/sim/cann", "/opt/shmem", "", ""}, files, runner);
  ASSERT_FALSE(target.ok());
  EXPECT_NE(target.failure().text.find("/opt/shmem is real"), std::string::npos)
      << target.failure().text;
}

TEST_F(FindTarget, RefusesAPythonWithoutTorchNpu) {
  runner.answers.clear();
  runner.answer(1, "Traceback\nimportlib.metadata.PackageNotFoundError: torch_npu\n");
  const auto target = find_target({"/sim/cann", "", "/usr/bin/python3", ""}, files, runner);
  ASSERT_FALSE(target.ok());
  EXPECT_NE(target.failure().text.find("PackageNotFoundError: torch_npu"), std::string::npos);
  EXPECT_NE(target.failure().text.find("scripts/setup.sh"), std::string::npos);
}

TEST_F(FindTarget, RefusesTorchAndTorchNpuOfTwoVersions) {
  runner.answers.clear();
  runner.answer(0, "torch=2.12.1\ntorch_npu=2.13.0\n");
  EXPECT_FALSE(find_target({"/sim/cann", "", "", ""}, files, runner).ok());
}

TEST(Environment, IsWhatBothSetEnvScriptsMake) {
  RealProcessRunner runner;
  const std::string folder = temporary_folder("build-test");
  RealFileSystem files;
  files.write(folder + "/cann/set_env.sh", "export ORDER=cann\nfalse\n", false);
  files.write(folder + "/shmem/install/set_env.sh", "export ORDER=$ORDER,shmem\nfalse\n", false);
  Target target;
  target.cann = folder + "/cann";
  target.shmem = folder + "/shmem";
  target.python = "py";
  Command command = in_environment(
      target, {"bash", "-c", "echo $ORDER $SHMEM_REPO $PYTHON \"$1\"", "x", "two words"});
  command.deadline = std::chrono::seconds(20);
  const ProcessResult result = runner.run(command, {});
  EXPECT_EQ(result.output, "cann,shmem " + folder + "/shmem py two words\n");
  remove_tree(folder);
}

class RunBuild : public ::testing::Test {
 protected:
  RunBuild() {
    contract.op_name = "copy";
    contract.entry.qualified_name =
        "std::get_terminate";  // a function of a library that is always there
    plan = plan_build("/tree", contract, target);
  }
  // A script that is content and makes its product.
  void make(const std::string& product, const std::string& text) {
    runner.answers.push_back([=, this](const Command&) {
      files.files[product] = text;
      return ProcessResult{0, false, "made it"};
    });
  }
  BuildReport run() { return run_build(plan, contract, target, files, runner, {}); }

  contract::Contract contract;
  Target target;
  Plan plan;
  MemoryFileSystem files;
  ScriptedRunner runner;
};

TEST_F(RunBuild, GoesThroughTheGeneratedScripts) {
  EXPECT_EQ(plan.steps[0].command.words.back(), "/tree/custom-ops/copy/scripts/build_kernel.sh");
  EXPECT_EQ(plan.kernel_library, "/tree/custom-ops/copy/build/lib/libcopy_kernel.so");
  EXPECT_EQ(plan.steps[1].command.words.back(), "/tree/custom-ops/scripts/build_torch.sh");
  EXPECT_EQ(plan.binding_library,
            "/tree/custom-ops/torch_binding/build/lib/shmem_custom_ops_torch.so");
}

// An operator of a SHMEM source tree.
class RunInTreeBuild : public RunBuild {
 protected:
  RunInTreeBuild() {
    contract.build_mode = contract::BuildMode::kInTreeExample;
    target.python = "/venv/bin/python";
    plan = plan_build("/tree", contract, target);
  }
};

TEST_F(RunInTreeBuild, GoesThroughTheTreesOwnScript) {
  ASSERT_EQ(plan.steps.size(), 1u);
  const Command& command = plan.steps[0].command;
  EXPECT_EQ(command.words.back(), "-python_example");
  EXPECT_EQ(command.words[command.words.size() - 2], "/tree/scripts/build.sh");
  EXPECT_TRUE(command.environment.at("PATH").starts_with("/venv/bin:"));
  EXPECT_EQ(plan.binding_library, "/tree/install/shmem/lib/aclshmem_torch.so");
  EXPECT_EQ(plan.kernel_library, "/tree/install/shmem/torch_binding/kernels/libcopy_kernel.so");
  EXPECT_EQ(plan.load_stamp, "/tree/build/shmem-bind/copy/loaded");
}

TEST_F(RunInTreeBuild, NamesTheLibraryThatTheScriptDidNotMake) {
  make(plan.binding_library, "binding");
  const BuildReport report = run();
  EXPECT_EQ(report.end, BuildEnd::kNoProduct);
  EXPECT_NE(report.findings.front().find("libcopy_kernel.so"), std::string::npos);
}

TEST_F(RunInTreeBuild, LooksIntoTheKernelLibraryBeforeTheBindingIsLoaded) {
  runner.answers.push_back([this](const Command&) {
    files.files[plan.kernel_library] = "this is no library";
    files.files[plan.binding_library] = "binding";
    return ProcessResult{0, false, ""};
  });
  EXPECT_EQ(run().end, BuildEnd::kSymbols);
  EXPECT_EQ(runner.commands.size(), 1u);
}

TEST_F(RunBuild, StopsAtAKernelThatDoesNotCompile) {
  runner.answer(1, "[1/2] Building\nk.cpp:3:5: error: expected ';'\nninja: build stopped\n");
  const BuildReport report = run();
  EXPECT_EQ(report.end, BuildEnd::kCompile);
  EXPECT_EQ(report.failed_step, "copy kernel");
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0], "k.cpp:3:5: error: expected ';'");
  EXPECT_EQ(runner.commands.size(), 1u);
}

TEST_F(RunBuild, DoesNotBelieveAScriptThatMakesNothing) {
  runner.answer(0, "");
  EXPECT_EQ(run().end, BuildEnd::kNoProduct);
}

TEST_F(RunBuild, ReportsAStepThatTakesTooLong) {
  runner.answers.push_back([](const Command&) { return ProcessResult{137, true, ""}; });
  EXPECT_EQ(run().end, BuildEnd::kTimeout);
}

TEST_F(RunBuild, LooksIntoTheKernelLibraryBeforeTheBindingIsCompiled) {
  make(plan.kernel_library, "this is no library");
  EXPECT_EQ(run().end, BuildEnd::kSymbols);
  EXPECT_EQ(runner.commands.size(), 1u);
}

class RunWholeBuild : public RunBuild {
 protected:
  RunWholeBuild() {
    Dl_info info;
    EXPECT_NE(dladdr(reinterpret_cast<void*>(&std::get_terminate), &info), 0);
    library = RealFileSystem().read(info.dli_fname).value();
  }
  std::string library;
};

TEST_F(RunWholeBuild, LoadsABindingOnceAndOnlyWhenItIsNew) {
  make(plan.kernel_library, library);
  make(plan.binding_library, "binding");
  runner.answer(0, "");
  const BuildReport first = run();
  EXPECT_TRUE(first.ok()) << first.findings.front();
  EXPECT_TRUE(first.changed());
  ASSERT_EQ(runner.commands.size(), 3u);
  EXPECT_EQ(runner.commands[2].words.back(), plan.binding_library);

  runner.answer(0, "");
  runner.answer(0, "");
  const BuildReport second = run();
  EXPECT_TRUE(second.ok());
  EXPECT_FALSE(second.changed());
  EXPECT_EQ(runner.commands.size(), 5u) << "two scripts that find nothing to do, no load";
}

TEST_F(RunWholeBuild, RunsOnlyThePartThatIsAskedFor) {
  const Plan whole = plan;
  keep_part(plan, Part::kKernel);
  make(plan.kernel_library, library);
  EXPECT_TRUE(run().ok());
  ASSERT_EQ(runner.commands.size(), 1u);
  EXPECT_EQ(runner.commands[0].words.back(), whole.steps[0].command.words.back());

  plan = whole;
  keep_part(plan, Part::kBinding);
  make(plan.binding_library, "binding");
  runner.answer(0, "");
  EXPECT_TRUE(run().ok());
  ASSERT_EQ(runner.commands.size(), 3u);
  EXPECT_EQ(runner.commands[1].words.back(), whole.steps[1].command.words.back());
}

TEST_F(RunBuild, HandsTheNumberOfParallelCompilesToTheScripts) {
  EXPECT_EQ(plan.steps[0].command.environment.count("JOBS"), 0u);
  target.jobs = 3;
  EXPECT_EQ(plan_build("/tree", contract, target).steps[1].command.environment.at("JOBS"), "3");
}

TEST_F(RunWholeBuild, ChecksAgainABindingThatDidNotLoad) {
  make(plan.kernel_library, library);
  make(plan.binding_library, "binding");
  for (int i = 0; i < 2; ++i) {
    runner.answer(1, "OSError: undefined symbol: aclshmem_calloc\n");
    const BuildReport report = run();
    EXPECT_EQ(report.end, BuildEnd::kLoad);
    EXPECT_EQ(report.findings.front(), "OSError: undefined symbol: aclshmem_calloc");
    runner.answer(0, "");
    runner.answer(0, "");
  }
}

TEST(Classify, TellsKindsOfFailureApart) {
  const std::vector<std::pair<std::string, BuildEnd>> outputs = {
      {"x.cpp:1:1: error: no\nCMake Error: rebuild\n", BuildEnd::kCompile},
      {"a.o: undefined reference to `f'\ncollect2: error: ld returned 1 exit status\n",
       BuildEnd::kLink},
      {"CMake Error at CMakeLists.txt:3: Torch not found\n", BuildEnd::kConfigure},
      {"build_kernel.sh: line 9: cmake: command not found\n", BuildEnd::kNotStarted},
      {"mysterious\n", BuildEnd::kUnknown}};
  for (const auto& [output, end] : outputs) {
    std::vector<std::string> lines;
    EXPECT_EQ(classify(output, lines), end) << output;
    EXPECT_FALSE(lines.empty()) << output;
  }
}

TEST(Classify, GivesEachEndAClassAndAHint) {
  const std::set<std::string_view> classes = {"compile", "link", "load", "timeout", "environment"};
  std::set<std::string_view> seen;
  for (int end = static_cast<int>(BuildEnd::kDone) + 1; end <= static_cast<int>(BuildEnd::kUnknown);
       ++end) {
    const auto kind = static_cast<BuildEnd>(end);
    EXPECT_TRUE(classes.contains(class_of(kind))) << name_of(kind);
    EXPECT_GT(hint_of(kind).size(), 20u) << name_of(kind);
    seen.insert(class_of(kind));
  }
  EXPECT_EQ(seen, classes);
  EXPECT_EQ(class_of(BuildEnd::kDone), "");
  EXPECT_EQ(hint_of(BuildEnd::kDone), "");
}

TEST(Classify, ForgetsWhatOnlyFollowsFromTheCause) {
  std::vector<std::string> lines;
  classify("CMake Error: something\nx.cpp:1:1: error: the cause\n", lines);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "x.cpp:1:1: error: the cause");
}

}  // namespace
}  // namespace shmem_bind::build
