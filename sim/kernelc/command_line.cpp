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

// Reads one option after the other into a CommandLine. Each take_… looks at the option at hand,
// takes what belongs to it and says whether it was one of its kind.
class Parser {
 public:
  explicit Parser(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  CommandLine parse() {
    line_.print_version = arguments_.size() == 1 && arguments_[0] == "-v";
    for (; at_ < arguments_.size(); ++at_) {
      if (!take_language() && !take_vendor() && !take_with_value()) {
        take_plain();
      }
    }
    return line_;
  }

 private:
  const std::string& text() const { return arguments_[at_]; }
  bool has_next() const { return at_ + 1 < arguments_.size(); }

  bool take_language() {
    const bool two_words = text() == "-x" && has_next() &&
                           (arguments_[at_ + 1] == "asc" || arguments_[at_ + 1] == "cce");
    if (!two_words && text() != "-xasc" && text() != "-xcce") {
      return false;
    }
    line_.kernel_language = true;
    at_ += two_words ? 1 : 0;
    return true;
  }

  // Options of bisheng that the compiler behind does not know.
  bool take_vendor() {
    if (text() == "-Xhost-start") {
      while (at_ < arguments_.size() && arguments_[at_] != "-Xhost-end") {
        line_.ignored.push_back(arguments_[at_++]);
      }
    } else if (text() == "-mllvm") {
      at_ += has_next() ? 1 : 0;
    } else if (is_known_vendor_option(text())) {
      line_.vector_only = line_.vector_only || ends_with(text(), "-vec");
      line_.ignored.push_back(text());
    } else if (starts_with(text(), "-use_cxx11_abi")) {
      line_.preprocess.push_back(std::string("-D_GLIBCXX_USE_CXX11_ABI=") +
                                 (ends_with(text(), "0") ? "0" : "1"));
    } else if (starts_with(text(), "--cce") || starts_with(text(), "--npu")) {
      line_.unknown.push_back(text());
    } else {
      return false;
    }
    return true;
  }

  bool take_with_value() {
    if (!has_next()) {
      return false;
    }
    if (text() == "-o") {
      line_.output = arguments_[++at_];
      return true;
    }
    if (takes_value(text())) {
      line_.preprocess.push_back(text());
      line_.preprocess.push_back(arguments_[++at_]);
      return true;
    }
    return false;
  }

  void take_plain() {
    if (is_preprocessor_option(text())) {
      line_.preprocess.push_back(text());
    } else if (is_source(text())) {
      line_.kernel_language =
          line_.kernel_language || ends_with(text(), ".asc") || ends_with(text(), ".cce");
      line_.sources.push_back(text());
    } else {
      take_mode();
      line_.common.push_back(text());
    }
  }

  void take_mode() {
    line_.compile_only = line_.compile_only || text() == "-c";
    line_.assemble_only = line_.assemble_only || text() == "-S";
    line_.preprocess_only =
        line_.preprocess_only || text() == "-E" || text() == "-M" || text() == "-MM";
    line_.save_temporaries = line_.save_temporaries || text() == "-save-temps";
  }

  const std::vector<std::string>& arguments_;
  size_t at_ = 0;
  CommandLine line_;
};

}  // namespace

CommandLine parse(const std::vector<std::string>& arguments) {
  return Parser(arguments).parse();
}

}  // namespace shmem_sim::kernelc
