#include "tool/lint/tree.h"

#include <algorithm>

namespace shmem_bind::lint {

std::string parent_folder(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string folder_name(const std::string& path) {
  const std::string folder = parent_folder(path);
  return folder.substr(folder.rfind('/') + 1);
}

bool is_binding_source(const std::string& path, const CppFile& file) {
  const auto is_torch = [](const std::string& name) {
    return name.starts_with("torch/") || name.starts_with("torch_npu/") ||
           name.starts_with("ATen/");
  };
  return path.find("/torch_binding/") != std::string::npos ||
         std::any_of(file.includes.begin(), file.includes.end(), is_torch);
}

std::string bound_operator(const std::string& file_name) {
  constexpr std::string_view kBegin = "torch_bind_";
  constexpr std::string_view kEnd = ".cpp";
  const bool fits = file_name.starts_with(kBegin) && file_name.ends_with(kEnd) &&
                    file_name.size() > kBegin.size() + kEnd.size();
  return fits ? file_name.substr(kBegin.size(), file_name.size() - kBegin.size() - kEnd.size())
              : "";
}

// An operator's folder has a contract, or a kernel in src/.
bool is_own_project(const std::string& folder, const Tree& tree) {
  if (folder.substr(folder.rfind('/') + 1) != "torch_binding") {
    return false;
  }
  const std::string above = parent_folder(folder);
  return folder_name(above) == "custom-ops" ||
         std::any_of(tree.operators.begin(), tree.operators.end(), [&](const OperatorFacts& op) {
           return op.folder == above;
         });
}

}  // namespace shmem_bind::lint
