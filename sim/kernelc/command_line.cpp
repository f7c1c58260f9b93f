#include "sim/kernelc/command_line.h"

#include <array>
#include <string_view>

namespace shmem_sim::kernelc {
namespace {

bool starts_with(const std::string& text, std::string_view prefix) {
  return text.rfind(prefix, 0) == 0;
}

bool ends_with(const std::string& text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

bool is_source(const std::string& text) {
  for (const std::string_view suffix : {".cpp", ".cc", ".cxx", ".asc", ".cce"}) {
    if (ends_with(text, suffix)) {
      return true;
    }
  }
  return false;
}

// Options of the preprocessor that take a value as the next argument.
bool takes_value(const std::string& text) {
  static constexpr std::array kOptions = {
      "-D", "-U", "-I", "-include", "-isystem", "-iquote", "-idirafter", "-MF", "-MT", "-MQ"};
  for (const char* option : kOptions) {
    if (text == option) {
      return true;
    }
  }
  return false;
}

bool is_preprocessor_option(const std::string& text) {
  static constexpr std::array kPrefixes = {"-D",
                                           "-U",
                                           "-I",
                                           "-isystem",
                                           "-iquote",
                                           "-idirafter",
                                           "-include",
                                           "-MD",
                                           "-MMD",
                                           "-MP",
                                           "-MF",
                                           "-MT",
                                           "-MQ"};
  for (const char* prefix : kPrefixes) {
    if (starts_with(text, prefix)) {
      return true;
    }
  }
  return false;
}

// Options of the vendor's compiler that choose an architecture, fat objects or code generation:
// nothing here depends on them.
bool is_known_vendor_option(const std::string& text) {
  static constexpr std::array kPrefixes = {"--npu-arch=",
                                           "--cce-aicore-arch=",
                                           "--cce-auto-",
                                           "--cce-fatobj-link",
                                           "--cce-aicore-",
                                           "--cce-disable",
                                           "--cce-enable",
                                           "--cce-host-only",
                                           "-cce-"};
  for (const char* prefix : kPrefixes) {
    if (starts_with(text, prefix)) {
      return true;
    }
  }
  return false;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-cognitive-complexity): one branch per kind of option
CommandLine parse(const std::vector<std::string>& arguments) {
  CommandLine line;
  line.print_version = arguments.size() == 1 && arguments[0] == "-v";
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& text = arguments[i];
    const bool has_next = i + 1 < arguments.size();
    if (text == "-xasc" || text == "-xcce") {
      line.kernel_language = true;
    } else if (text == "-x" && has_next &&
               (arguments[i + 1] == "asc" || arguments[i + 1] == "cce")) {
      line.kernel_language = true;
      ++i;
    } else if (text == "-Xhost-start") {
      while (i < arguments.size() && arguments[i] != "-Xhost-end") {
        line.ignored.push_back(arguments[i++]);
      }
    } else if (text == "-mllvm") {
      i += has_next ? 1 : 0;
    } else if (is_known_vendor_option(text)) {
      line.vector_only = line.vector_only || ends_with(text, "-vec");
      line.ignored.push_back(text);
    } else if (starts_with(text, "-use_cxx11_abi")) {
      line.preprocess.push_back(std::string("-D_GLIBCXX_USE_CXX11_ABI=") +
                                (ends_with(text, "0") ? "0" : "1"));
    } else if (starts_with(text, "--cce") || starts_with(text, "--npu")) {
      line.unknown.push_back(text);
    } else if (text == "-o" && has_next) {
      line.output = arguments[++i];
    } else if (takes_value(text) && has_next) {
      line.preprocess.push_back(text);
      line.preprocess.push_back(arguments[++i]);
    } else if (is_preprocessor_option(text)) {
      line.preprocess.push_back(text);
    } else if (is_source(text)) {
      line.kernel_language =
          line.kernel_language || ends_with(text, ".asc") || ends_with(text, ".cce");
      line.sources.push_back(text);
    } else {
      line.compile_only = line.compile_only || text == "-c";
      line.assemble_only = line.assemble_only || text == "-S";
      line.preprocess_only = line.preprocess_only || text == "-E" || text == "-M" || text == "-MM";
      line.save_temporaries = line.save_temporaries || text == "-save-temps";
      line.common.push_back(text);
    }
  }
  return line;
}

}  // namespace shmem_sim::kernelc
