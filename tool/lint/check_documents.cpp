#include <algorithm>
#include <array>

#include "tool/base/text.h"
#include "tool/lint/checks.h"
#include "tool/lint/errors.h"

namespace shmem_bind::lint {
namespace {

constexpr std::array<std::string_view, 4> kScripts = {
    "build_torch.sh", "build_kernel.sh", "scripts/build.sh", "shmem-bind"};

bool is_shell(const std::string& language) {
  constexpr std::array<std::string_view, 5> kShells = {"", "sh", "bash", "shell", "console"};
  return std::find(kShells.begin(), kShells.end(), language) != kShells.end();
}

bool names_script(std::string_view text) {
  return std::any_of(kScripts.begin(), kScripts.end(), [&](std::string_view script) {
    return text.find(script) != std::string_view::npos;
  });
}

// A line that configures an operator or the binding with cmake itself. Prompts stay out.
bool is_bare_cmake(std::string_view line, std::string_view block) {
  std::string_view command = trimmed(line);
  command = command.starts_with("$ ") ? trimmed(command.substr(2)) : command;
  const bool configures = command.starts_with("cmake -S") || command.starts_with("cmake -B") ||
                          command.starts_with("cmake ..");
  return configures && (block.find("torch_binding") != std::string_view::npos ||
                        block.find("custom-ops") != std::string_view::npos);
}

}  // namespace

// The first thing a document says of building decides.
void check_documents(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<Document>& file : tree.documents) {
    for (const contract::FencedBlock& block : file.facts.blocks) {
      const bool is_late =
          names_script(std::string_view(file.facts.text).substr(0, block.span.begin));
      if (is_late || !is_shell(block.language())) {
        continue;
      }
      for (const std::string_view line : split_lines(block.text)) {
        if (names_script(line) && !trimmed(line).starts_with("#")) {
          break;
        }
        if (is_bare_cmake(line, block.text)) {
          const auto at = static_cast<size_t>(line.data() - block.text.data());
          diagnostics.add(kBareCMake, block.places.span(at, at + line.size()));
          break;
        }
      }
    }
  }
}

void check_syntax(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<PythonFile>& file : tree.python) {
    if (!file.facts.mistake.empty()) {
      diagnostics.add(kNotRead,
                      file.span(file.facts.mistake_at.begin, file.facts.mistake_at.end),
                      file.facts.mistake);
    }
  }
  for (const File<binding::CMakeText>& file : tree.cmake) {
    if (file.facts.mistake) {
      diagnostics.add(kNotRead,
                      file.span(file.facts.mistake->at, file.facts.mistake->at + 1),
                      file.facts.mistake->text);
    }
  }
}

}  // namespace shmem_bind::lint
