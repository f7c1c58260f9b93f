// bisheng: the compiler of the simulated CANN. Kernel code is preprocessed, rewritten and compiled
// by an ordinary C++ compiler; host code goes to that compiler as it is.

#include <cstdio>
#include <string>
#include <vector>

#include "sim/kernelc/command_line.h"
#include "sim/kernelc/rewrite.h"
#include "sim/kernelc/run.h"

namespace shmem_sim::kernelc {
namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::string cxx() {
  return environment("SHMEM_SIM_HOST_CXX", "g++");
}

// The C compiler beside the C++ compiler: g++ -> gcc, clang++-16 -> clang-16.
std::string cc() {
  std::string name = cxx();
  const size_t at = name.rfind("++");
  const bool gnu = at != std::string::npos && at > 0 && name[at - 1] == 'g' &&
                   name.find("clang") == std::string::npos;
  if (at != std::string::npos) {
    name.replace(at, 2, gnu ? "cc" : "");
  }
  return environment("SHMEM_SIM_HOST_CC", name);
}

bool has_c_source(const CommandLine& line) {
  for (const std::string& word : line.common) {
    if (word.size() > 2 && word.ends_with(".c")) {
      return true;
    }
  }
  return false;
}

Words runtime_libraries(const std::string& root) {
  if (root.empty() || !file_exists(root + "/lib64/libshmem_sim_core.so")) {
    return {};
  }
  // Last, and only what is used: a plain host program is not changed by it.
  return {"-L" + root + "/lib64",
          "-Wl,-rpath-link," + root + "/lib64",
          "-Wl,--push-state,--as-needed",
          "-lshmem",
          "-lshmem_sim_ascendc",
          "-lshmem_sim_core",
          "-Wl,--pop-state"};
}

Words language_options(const std::string& root) {
  Words words = {"-DSHMEM_SIM_REWRITE", "-include", "shmem_sim/language.h"};
  if (!root.empty()) {
    words.push_back("-I" + root + "/include");
  }
  return words;
}

std::string object_name(const std::string& source) {
  const size_t slash = source.rfind('/');
  const std::string base = slash == std::string::npos ? source : source.substr(slash + 1);
  return base.substr(0, base.rfind('.')) + ".o";
}

// One kernel source to one object file.
int compile_kernel(const CommandLine& line,
                   const std::string& source,
                   const std::string& object,
                   const std::string& root) {
  Words preprocess = {cxx(), "-E", "-x", "c++"};
  append(preprocess, line.preprocess);
  append(preprocess, language_options(root));
  for (const std::string& word : line.common) {
    if (word != "-c" && word != "-S") {
      preprocess.push_back(word);
    }
  }
  bool wants_dependencies = false;
  bool names_target = false;
  for (const std::string& word : line.preprocess) {
    wants_dependencies = wants_dependencies || word.starts_with("-MD") || word.starts_with("-MMD");
    names_target = names_target || word.starts_with("-MT") || word.starts_with("-MQ");
  }
  if (wants_dependencies && !names_target) {
    append(preprocess, {"-MT", object});
  }
  preprocess.push_back(source);
  const RunResult preprocessed = run(preprocess, "", true);
  if (preprocessed.exit_code != 0) {
    return preprocessed.exit_code;
  }
  const Rewritten rewritten = rewrite(preprocessed.output, line.vector_only);
  for (const Problem& problem : rewritten.problems) {
    std::fprintf(
        stderr, "%s:%d: error: %s\n", problem.file.c_str(), problem.line, problem.text.c_str());
  }
  if (!rewritten.problems.empty()) {
    return 1;
  }
  if (line.save_temporaries) {
    write_file(object + ".ii", rewritten.text);
  }
  Words compile = {
      cxx(), "-x", "c++-cpp-output", line.assemble_only ? "-S" : "-c", "-Wno-attributes"};
  for (const std::string& word : line.common) {
    if (word != "-c" && word != "-S" && word != "-save-temps") {
      compile.push_back(word);
    }
  }
  append(compile, {"-", "-o", object});
  return run(compile, rewritten.text, false).exit_code;
}

int compile_kernels(const CommandLine& line, const std::string& root) {
  for (const std::string& source : line.sources) {
    const std::string object =
        line.output.empty() || !line.compile_only ? object_name(source) : line.output;
    if (const int code = compile_kernel(line, source, object, root); code != 0) {
      return code;
    }
  }
  return 0;
}

int pass_through(const CommandLine& line, const std::string& root, const Words& objects) {
  Words command = {has_c_source(line) ? cc() : cxx()};
  append(command, line.preprocess);
  if (line.kernel_language) {
    append(command, language_options(root));
    command.insert(command.end(), {"-x", "c++"});
  }
  append(command, line.common);
  append(command, objects.empty() ? line.sources : objects);
  if (!line.output.empty()) {
    append(command, {"-o", line.output});
  }
  if (line.links()) {
    append(command, runtime_libraries(root));
  }
  return replace_by(command);
}

int main_with(const Words& arguments) {
  const CommandLine line = parse(arguments);
  const std::string root = toolkit_root();
  if (line.print_version) {
    std::printf(
        "bisheng of the simulated CANN, over %s\nclang version 15.0.5 (2026-06-30 shmem-sim)\n",
        cxx().c_str());
    return 0;
  }
  for (const std::string& option : line.unknown) {
    std::fprintf(
        stderr, "bisheng: warning: option '%s' is not known and has no effect\n", option.c_str());
  }
  if (!line.kernel_language || line.preprocess_only || line.sources.empty()) {
    return pass_through(line, root, {});
  }
  if (const int code = compile_kernels(line, root); code != 0 || !line.links()) {
    return code;
  }
  // Compiled and linked in one call: the objects are named after the sources, in the current
  // folder.
  CommandLine link = line;
  link.kernel_language = false;
  Words objects;
  for (const std::string& source : line.sources) {
    objects.push_back(object_name(source));
  }
  return pass_through(link, root, objects);
}

}  // namespace
}  // namespace shmem_sim::kernelc

int main(int count, char** words) {
  return shmem_sim::kernelc::main_with(std::vector<std::string>(words + 1, words + count));
}
