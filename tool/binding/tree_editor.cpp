#include "tool/binding/tree_editor.h"

#include "tool/base/text.h"

namespace shmem_bind::binding {

void TreeEditor::object(const std::string& path, size_t at, std::string text, std::string way_out) {
  for (const TreeProblem& known : problems_) {
    if (known.path == path && known.at == at && known.text == text) {
      return;
    }
  }
  problems_.push_back({path, at, std::move(text), std::move(way_out)});
}

std::optional<CMakeText> TreeEditor::parsed(const std::string& path) {
  CMakeText text = parse_cmake(texts_[path]);
  if (text.mistake) {
    object(path, text.mistake->at, text.mistake->text, "correct the file, then run again");
    return std::nullopt;
  }
  return text;
}

CMakeText TreeEditor::foreign(const std::string& path,
                              const std::vector<std::string>& regions) const {
  std::string text = existing_.at(path);
  for (const std::string& region : regions) {
    text = foreign_text(text, {region, "#", 0});
  }
  return parse_cmake(text);
}

size_t TreeEditor::behind(const std::string& path, const CMakeCommand& command) {
  const std::string& text = texts_[path];
  const size_t newline = text.find('\n', command.close);
  return newline == std::string::npos ? text.size() : newline + 1;
}

size_t TreeEditor::in_front(const std::string& path, const CMakeCommand& command) {
  const size_t newline = texts_[path].rfind('\n', command.begin);
  return newline == std::string::npos ? 0 : newline + 1;
}

void TreeEditor::take(const std::string& path, RegionEdit edit) {
  if (edit.is_broken) {
    object(path, 0, edit.obstacle, "restore the marks, or remove the region");
    return;
  }
  if (!edit.obstacle.empty() && obstacles_[path].empty()) {
    obstacles_[path] = edit.obstacle;
  }
  texts_[path] = std::move(edit.text);
}

void TreeEditor::edit(const std::string& path,
                      const RegionPlace& place,
                      const std::vector<std::string>& lines) {
  take(path, with_entry(texts_[path], place, op_, lines));
}

void TreeEditor::edit_cmake(const std::string& path,
                            const RegionPlace& place,
                            const std::vector<std::string>& lines) {
  const std::string without = without_entry(texts_[path], place, op_).text;
  const size_t others = parse_cmake(without).commands.size();
  const size_t own = parse_cmake(joined(lines, "\n")).commands.size();
  edit(path, place, lines);
  const CMakeText after = parse_cmake(texts_[path]);
  if (after.mistake || after.commands.size() != others + own) {
    object(path,
           place.at,
           "no line can be added here",
           "put a line break behind the command in front of it");
  }
}

void TreeEditor::withdraw(const std::string& path, const RegionPlace& place) {
  if (has(path)) {
    take(path, without_entry(texts_[path], place, op_));
  }
}

PlannedFile TreeEditor::planned(const std::string& path) const {
  PlannedFile file;
  file.text = texts_.at(path);
  if (const auto obstacle = obstacles_.find(path); obstacle != obstacles_.end()) {
    file.reason = obstacle->second;
  }
  if (file.text != existing_.at(path)) {
    file.action =
        file.reason.empty() ? PlannedFile::Action::kUpdate : PlannedFile::Action::kConflict;
  }
  return file;
}

}  // namespace shmem_bind::binding
