#include "tool/binding/wrong_mode.h"

#include <fmt/format.h>

#include <cctype>
#include <map>

#include "tool/base/text.h"
#include "tool/binding/cmake_text.h"
#include "tool/binding/file_set.h"
#include "tool/binding/places.h"

namespace shmem_bind::binding {
namespace {

using contract::BuildMode;

// What one mode calls its things.
struct ModeNames {
  std::string_view mode;
  const char* library;
  const char* kernels;
  std::string_view folder;
};

constexpr ModeNames kCustomOps{
    "independent_project", "shmem_custom_ops_torch", "CUSTOM_OPS_KERNEL_TARGETS", "custom-ops/"};
constexpr ModeNames kInTree{
    "in_tree_example", "aclshmem_torch", "ACLSHMEM_ALL_KERNEL_TARGETS", "examples/"};

const ModeNames& names_of(BuildMode mode) {
  return mode == BuildMode::kInTreeExample ? kInTree : kCustomOps;
}
const ModeNames& names_of_other(BuildMode mode) {
  return mode == BuildMode::kInTreeExample ? kCustomOps : kInTree;
}

// Files that only the other mode has: path -> what it is.
std::map<std::string, std::string> foreign_files(BuildMode mode, const std::string& op_name) {
  const Places places = places_of(mode, op_name);
  const std::string product = std::string(names_of_other(mode).library) + ".so";
  const std::string library = fmt::format("a library of build mode {}", names_of_other(mode).mode);
  const std::string source = fmt::format("a file of build mode {}", names_of_other(mode).mode);
  std::map<std::string, std::string> files = {
      {places.op + "/torch_binding/CMakeLists.txt",
       "a Torch project inside the operator belongs to no build mode"},
      {fmt::format("{}/build/lib/{}", places.op, product), library},
      {fmt::format("{}/build/lib/{}", places.binding, product), library}};
  const BuildMode other = mode == BuildMode::kInTreeExample ? BuildMode::kIndependentProject
                                                            : BuildMode::kInTreeExample;
  files[fmt::format(
      "{}/python/{}/__init__.py", places.binding, places_of(other, op_name).package)] = source;
  if (mode == BuildMode::kInTreeExample) {
    files["install/shmem/lib/" + product] = library;
  } else {
    files[places.binding + "/include/shmem_ops_register.h"] = source;
    files[places.binding + "/src/torch_bind_manager.cpp"] = source;
  }
  return files;
}

std::vector<std::string> cmake_files(BuildMode mode, const std::string& op_name) {
  const Places places = places_of(mode, op_name);
  std::vector<std::string> files = {places.binding + "/CMakeLists.txt",
                                    places.op + "/CMakeLists.txt"};
  if (mode == BuildMode::kInTreeExample) {
    files.emplace_back("examples/CMakeLists.txt");
  }
  return files;
}

// Scripts that people write by hand; what we wrote is brought up to date by generate.
std::vector<std::string> scripts(BuildMode mode, const std::string& op_name) {
  const Places places = places_of(mode, op_name);
  return {places.test,
          places.op + "/scripts/build_kernel.sh",
          places.op + "/scripts/run_torch_test.sh"};
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Where `name` stands as a word of its own.
size_t find_word(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return at;
    }
  }
  return std::string_view::npos;
}

class Search {
 public:
  Search(BuildMode mode, const std::string& op_name, const Texts& existing)
      : mode_(mode), op_name_(op_name), existing_(existing) {}

  std::vector<TreeProblem> run() {
    for (const auto& [path, what] : foreign_files(mode_, op_name_)) {
      if (existing_.contains(path)) {
        object(path, 0, what, "remove it: the binding is " + places_of(mode_, op_name_).binding);
      }
    }
    for (const std::string& path : cmake_files(mode_, op_name_)) {
      if (existing_.contains(path)) {
        search_cmake(path);
      }
    }
    for (const std::string& path : scripts(mode_, op_name_)) {
      if (existing_.contains(path)) {
        search_script(path);
      }
    }
    return std::move(problems_);
  }

 private:
  void object(const std::string& path, size_t at, std::string text, std::string way_out) {
    problems_.push_back({path, at, std::move(text), std::move(way_out)});
  }

  void object_name(const std::string& path, size_t at, std::string_view name) {
    object(path,
           at,
           fmt::format("{} belongs to build mode {}", name, names_of_other(mode_).mode),
           fmt::format("here the library is {}, its kernels are {}; or put the operator into {}",
                       names_of(mode_).library,
                       names_of(mode_).kernels,
                       names_of_other(mode_).folder));
  }

  // Arguments of commands, not comments: a comment may speak of the other mode. One place of a
  // name is enough to find the others.
  void search_cmake(const std::string& path) {
    const ModeNames& names = names_of_other(mode_);
    const std::string& file = existing_.at(path);
    if (file.find(names.library) == std::string::npos &&
        file.find(names.kernels) == std::string::npos) {
      return;
    }
    const CMakeText text = parse_cmake(file);
    for (const char* name : {names.library, names.kernels}) {
      if (const CMakeArgument* found = first_with(text, name)) {
        object_name(path, found->begin, name);
      }
    }
  }

  static const CMakeArgument* first_with(const CMakeText& text, std::string_view name) {
    for (const CMakeCommand& command : text.commands) {
      for (const CMakeArgument& argument : command.arguments) {
        if (find_word(argument.value, name) != std::string_view::npos) {
          return &argument;
        }
      }
    }
    return nullptr;
  }

  void search_script(const std::string& path) {
    const std::string& text = existing_.at(path);
    const std::string_view name = names_of_other(mode_).library;
    const size_t at = find_word(text, name);
    if (at != std::string_view::npos && edited_by_hand(text)) {
      object_name(path, at, name);
    } else if (mode_ == BuildMode::kInTreeExample && !path.ends_with(".py")) {
      search_script_of_custom_ops(path, text);
    }
  }

  // generate writes these scripts into custom-ops/ only.
  void search_script_of_custom_ops(const std::string& path, const std::string& text) {
    if (const size_t at = text.find("shmem_runtime_env.sh"); at != std::string::npos) {
      object(path,
             at,
             "a script of build mode independent_project",
             "remove it: scripts/build.sh -python_example builds this tree");
    }
  }

  BuildMode mode_;
  const std::string& op_name_;
  const Texts& existing_;
  std::vector<TreeProblem> problems_;
};

}  // namespace

ModePaths wrong_mode_paths(BuildMode mode, const std::string& op_name) {
  ModePaths paths;
  paths.texts = cmake_files(mode, op_name);
  const std::vector<std::string> more = scripts(mode, op_name);
  paths.texts.insert(paths.texts.end(), more.begin(), more.end());
  for (const auto& [path, what] : foreign_files(mode, op_name)) {
    paths.presences.push_back(path);
  }
  return paths;
}

std::vector<TreeProblem> wrong_mode_problems(BuildMode mode,
                                             const std::string& op_name,
                                             const Texts& existing) {
  return Search(mode, op_name, existing).run();
}

}  // namespace shmem_bind::binding
