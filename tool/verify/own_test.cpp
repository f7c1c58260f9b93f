#include "tool/verify/own_test.h"

#include "tool/binding/emit.h"
#include "tool/binding/places.h"

namespace shmem_bind::verify {
namespace {

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

// The generated Python files that lie outside the Torch project: the test and what it imports.
binding::FileSet test_files(const contract::Contract& contract) {
  binding::FileSet files = contract.build_mode == contract::BuildMode::kInTreeExample
                               ? binding::emit_in_tree(contract, true)
                               : binding::emit(contract);
  const std::string project = binding::places_of(contract).binding + "/";
  std::erase_if(files, [&](const auto& file) {
    return !file.first.ends_with(".py") || file.first.starts_with(project);
  });
  return files;
}

}  // namespace

Result<TestScript> test_to_run(const contract::Contract& contract,
                               const std::string& tree,
                               const std::string& folder,
                               FileSystem& files) {
  const binding::Places places = binding::places_of(contract);
  const std::string script = tree + "/" + places.test;
  const auto text = files.read(script);
  if (text.ok() && binding::is_stamped(text.value())) {
    return TestScript{script, false, ""};
  }
  binding::FileSet own = test_files(contract);
  if (contract.golden && contract.golden->kind == contract::Golden::Kind::kFile) {
    const std::string golden = places.op + "/" + contract.golden->file;
    auto code = files.read(tree + "/" + golden);
    if (!code.ok()) {
      return code.failure();
    }
    own[golden].text = std::move(code.value());
  }
  for (const auto& [path, file] : own) {
    if (auto written = files.write(folder + "/" + path, file.text, false); !written.ok()) {
      return written.failure();
    }
  }
  return TestScript{folder + "/" + places.test,
                    true,
                    tree + "/" + folder_of(places.binding_library) + ":" + tree + "/" +
                        folder_of(places.kernel_library)};
}

}  // namespace shmem_bind::verify
