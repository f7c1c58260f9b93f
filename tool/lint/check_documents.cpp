#include <algorithm>
#include <array>
#include <sstream>

#include "tool/base/text.h"
#include "tool/lint/checks.h"
#include "tool/lint/errors.h"

namespace shmem_bind::lint {
namespace {

constexpr std::array<std::string_view, 4> kScripts = {
    "build_torch.sh", "build_kernel.sh", "scripts/build.sh", "shmem-bind "};

bool is_shell(const std::string& language) {
  constexpr std::array<std::string_view, 5> kShells = {"", "sh", "bash", "shell", "console"};
  return std::find(kShells.begin(), kShells.end(), language) != kShells.end();
}

bool names_script(std::string_view text) {
  return std::any_of(kScripts.begin(), kScripts.end(), [&](std::string_view script) {
    return text.find(script) != std::string_view::npos;
  });
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(std::move(word));
  }
  return words;
}

// One command: prompts and settings in front of it stay out. cmake --build and the like configure
// nothing.
bool configures(std::string_view command) {
  const std::vector<std::string> words = words_of(command);
  size_t at = 0;
  while (at < words.size() && (words[at] == "$" || words[at] == ">" || words[at] == "sudo" ||
                               words[at].find('=') != std::string::npos)) {
    ++at;
  }
  if (at + 1 >= words.size() || words[at] != "cmake") {
    return false;
  }
  constexpr std::array<std::string_view, 8> kOthers = {
      "--build", "--install", "--version", "--help", "--workflow", "-E", "-P", "--list-presets"};
  return std::none_of(
      words.begin() + static_cast<std::ptrdiff_t>(at), words.end(), [&](const std::string& word) {
        return std::find(kOthers.begin(), kOthers.end(), word) != kOthers.end();
      });
}

bool is_about_bindings(std::string_view text) {
  return text.find("torch_binding") != std::string_view::npos ||
         text.find("custom-ops") != std::string_view::npos;
}

// A line that configures an operator or the binding with cmake itself.
bool is_bare_cmake(std::string_view line, std::string_view around) {
  if (!is_about_bindings(around) || trimmed(line).starts_with("#")) {
    return false;
  }
  size_t begin = 0;
  for (size_t at = 0; at <= line.size(); ++at) {
    if (at == line.size() || line[at] == '&' || line[at] == ';' || line[at] == '|') {
      if (configures(line.substr(begin, at - begin))) {
        return true;
      }
      begin = at + 1;
    }
  }
  return false;
}

struct Piece {
  std::string_view text;
  Span span;
};

bool is_in_a_block(const File<Document>& file, size_t at) {
  return std::any_of(file.facts.blocks.begin(), file.facts.blocks.end(), [&](const auto& block) {
    return at >= block.span.begin &&
           at <= block.span.begin + block.text.size() + block.info.size() + 8;
  });
}

// Code outside of fences: `in a line`, and lines that four blanks begin.
std::vector<Piece> inline_code(const File<Document>& file) {
  std::vector<Piece> pieces;
  const std::string& text = file.facts.text;
  for (const std::string_view line : split_lines(text)) {
    const auto begin = static_cast<size_t>(line.data() - text.data());
    if (is_in_a_block(file, begin)) {
      continue;
    }
    if (line.starts_with("    ") || line.starts_with("\t")) {
      pieces.push_back({line, file.span(begin, begin + line.size())});
      continue;
    }
    size_t open = line.find('`');
    while (open != std::string_view::npos) {
      const size_t close = line.find('`', open + 1);
      if (close == std::string_view::npos) {
        break;
      }
      pieces.push_back(
          {line.substr(open + 1, close - open - 1), file.span(begin + open + 1, begin + close)});
      open = line.find('`', close + 1);
    }
  }
  return pieces;
}

void check_blocks(const File<Document>& file, Diagnostics& diagnostics) {
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

// What scripts print is a message, too.
void check_messages(const Tree& tree, Diagnostics& diagnostics) {
  const auto offers = [](const std::string& text) {
    const size_t at = text.find("cmake -");
    return at != std::string::npos && !names_script(text) && is_about_bindings(text) &&
           configures(std::string_view(text).substr(at));
  };
  for (const File<PythonFile>& script : tree.python) {
    for (const PythonName& text : script.facts.strings) {
      if (offers(text.text)) {
        diagnostics.add(kBareCMake, script.span(text.place.begin, text.place.end));
      }
    }
  }
  for (const File<ShellFile>& script : tree.shell) {
    for (const ShellWord& word : script.facts.words) {
      if (word.text.find(' ') != std::string::npos && offers(word.text)) {
        diagnostics.add(kBareCMake, script.span(word.begin, word.end));
      }
    }
  }
}

}  // namespace

// The first thing a document says of building decides.
void check_documents(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<Document>& file : tree.documents) {
    check_blocks(file, diagnostics);
    for (const Piece& piece : inline_code(file)) {
      const bool is_late =
          names_script(std::string_view(file.facts.text).substr(0, piece.span.begin));
      if (!is_late && is_bare_cmake(piece.text, piece.text)) {
        diagnostics.add(kBareCMake, piece.span);
      }
    }
  }
  check_messages(tree, diagnostics);
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
