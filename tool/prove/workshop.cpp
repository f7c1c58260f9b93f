#include "tool/prove/workshop.h"

#include <fmt/format.h>

#include "tool/binding/places.h"
#include "tool/binding/plan_tree.h"
#include "tool/verify/drift.h"

namespace shmem_bind::prove {
namespace {

contract::Contract independent(contract::Contract contract) {
  contract.build_mode = contract::BuildMode::kIndependentProject;
  return contract;
}

}  // namespace

std::string proof_folder(const contract::Contract& contract, const std::string& tree) {
  return fmt::format("{}/{}/prove", tree, binding::places_of(contract).records);
}

Workshop::Workshop(const contract::Contract& contract, const Surroundings& around)
    : user_(contract),
      contract_(independent(contract)),
      around_(around),
      folder_(proof_folder(contract, around.tree)),
      op_folder_(around.tree + "/" + binding::places_of(contract).op),
      files_(binding::plan_tree(contract_, {}).plan) {
  for (const char* below : {"src/", ""}) {
    for (const std::string& name : around_.files.list(op_folder_ + "/" + below)) {
      if (!name.ends_with(".cpp")) {
        continue;
      }
      const auto text = around_.files.read(op_folder_ + "/" + below + name);
      if (kernel_source_.empty() && text.ok() &&
          text.value().find("__global__") != std::string::npos) {
        kernel_source_ = below + name;
      }
    }
  }
}

std::string Workshop::text_of(const std::string& path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? "" : found->second.text;
}

std::string Workshop::script_of(const std::string& variant) const {
  return fmt::format("{}/tests/{}/{}",
                     folder_,
                     variant.empty() ? "unchanged" : variant,
                     binding::places_of(contract_).test);
}

std::string Workshop::kernel_folder(const std::string& id) const {
  const std::string library = in_tree(binding::places_of(contract_).kernel_library);
  return id.empty() ? library.substr(0, library.rfind('/'))
                    : fmt::format("{}/kernels/{}/build/lib", folder_, id);
}

Texts Workshop::texts() const {
  const binding::Places places = binding::places_of(contract_);
  Texts texts = {{"class", parts_of(text_of(places.source)).body},
                 {"header", text_of(places.binding + "/include/npu_launch.h")},
                 {"launch", text_of(places.binding + "/src/npu_launch.cpp")},
                 {"checks", text_of(places.binding + "/src/npu_launch_checks.cpp")},
                 {"manager", parts_of(text_of(places.binding + "/src/torch_bindings.cpp")).body},
                 {"test", text_of(places.test)},
                 {"pe", text_of(places.scripts + "/multi_pe_test.py")},
                 {"parent", text_of(places.scripts + "/multi_pe_launch.py")},
                 {"kernel", ""}};
  const auto kernel = around_.files.read(op_folder_ + "/" + kernel_source_);
  if (!kernel_source_.empty() && kernel.ok()) {
    texts["kernel"] = kernel.value();
  }
  return texts;
}

void Workshop::write_tests(const std::vector<Variant>& variants) {
  const binding::Places places = binding::places_of(contract_);
  const std::map<std::string, std::string> names = {
      {places.test, "test"},
      {places.scripts + "/multi_pe_test.py", "pe"},
      {places.scripts + "/multi_pe_launch.py", "parent"}};
  std::vector<const Variant*> wanted = {nullptr};
  for (const Variant& variant : variants) {
    if (variant.row.kind == "test" && variant.row.state.empty()) {
      wanted.push_back(&variant);
    }
  }
  around_.files.remove(folder_ + "/tests");
  for (const Variant* variant : wanted) {
    const std::string folder =
        fmt::format("{}/tests/{}/", folder_, variant == nullptr ? "unchanged" : variant->row.id);
    for (const auto& [path, file] : files_) {
      if (!path.ends_with(".py") || path.starts_with(places.binding + "/")) {
        continue;
      }
      const auto name = names.find(path);
      const bool changed =
          variant != nullptr && name != names.end() && variant->texts.contains(name->second);
      around_.files.write(
          folder + path, changed ? variant->texts.at(name->second) : file.text, file.executable);
    }
    if (contract_.golden && contract_.golden->kind == contract::Golden::Kind::kFile) {
      const std::string& golden = contract_.golden->file;
      const auto text = around_.files.read(op_folder_ + "/" + golden);
      around_.files.write(folder + places.op + "/" + golden, text.ok() ? text.value() : "", false);
    }
  }
}

std::string Workshop::drift_of(const std::string& variant) const {
  const auto drift = [&](const std::string& id) {
    return verify::drift_of(contract_, fmt::format("{}/tests/{}", folder_, id), around_.files);
  };
  const std::vector<std::string> usual = drift("unchanged");
  for (const std::string& line : drift(variant)) {
    if (std::find(usual.begin(), usual.end(), line) == usual.end()) {
      return line;
    }
  }
  return "";
}

}  // namespace shmem_bind::prove
