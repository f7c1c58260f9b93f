#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/cli/command.h"
#include "tool/contract/draft.h"
#include "tool/contract/naming.h"

namespace shmem_bind::cli {
namespace {

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

void refuse(Outcome& outcome, int exit_code, std::string what, std::string_view way_out) {
  outcome.exit_code = exit_code;
  outcome.messages += fmt::format("shmem-bind: {}\n    way out: {}\n", what, way_out);
  outcome.json.add("failure", std::move(what));
}

// The folder's name becomes the operator's, and its place must be the one the build mode has.
bool is_operator_folder(const std::string& folder, bool in_tree, Outcome& outcome) {
  const std::string op = name_of(folder);
  if (!contract::is_op_name(op)) {
    refuse(outcome,
           kExitUsage,
           fmt::format("the folder's name '{}' cannot be the operator's", op),
           "lower case snake_case, a letter first, no keyword of C++ or Python");
    return false;
  }
  const std::string wanted = in_tree ? "examples" : "custom-ops";
  const std::string above = name_of(folder_of(folder));
  if (above == wanted) {
    return true;
  }
  refuse(outcome,
         kExitUsage,
         fmt::format("{} does not lie in {}/, as an operator of build_mode {} does",
                     folder,
                     wanted,
                     in_tree ? "in_tree_example" : "independent_project"),
         !in_tree && above == "examples"
             ? "--in-tree, when this is the examples/ of a SHMEM source tree"
             : fmt::format("shmem-bind init {}/{}/{}{}",
                           folder_of(folder),
                           wanted,
                           op,
                           in_tree ? " --in-tree" : ""));
  return false;
}

// The header that --header names, else src/<op>_kernel.h, else the only *_kernel.h; empty when
// there is none.
std::string find_header(const Args& args, const std::string& folder, FileSystem& files) {
  if (!args.header.empty()) {
    return args.header;
  }
  std::string usual = fmt::format("{}/src/{}_kernel.h", folder, name_of(folder));
  if (files.exists(usual)) {
    return usual;
  }
  std::vector<std::string> kernels;
  for (const std::string& name : files.list(folder + "/src")) {
    if (name.ends_with("_kernel.h")) {
      kernels.push_back(folder + "/src/" + name);
    }
  }
  return kernels.size() == 1 ? kernels[0] : "";
}

// The header, with those beside it, which it may include. Nothing, and said, when it cannot be
// read.
std::optional<contract::KernelHeader> read_header(const std::string& path,
                                                  FileSystem& files,
                                                  Outcome& outcome) {
  SourceTexts texts;
  std::vector<std::string> names = {path};
  for (const std::string& name : files.list(folder_of(path))) {
    if (name.ends_with(".h") && name != name_of(path)) {
      names.push_back(folder_of(path) + "/" + name);
    }
  }
  for (const std::string& name : names) {
    auto text = files.read(name);
    if (!text.ok()) {
      fail(outcome, text.failure());
      return std::nullopt;
    }
    texts.add(name, std::move(text.value()));
  }
  std::vector<contract::HeaderText> headers;
  for (size_t i = 0; i < names.size(); ++i) {
    const int source = static_cast<int>(i);
    headers.push_back({texts.name(source), texts.text(source), source});
  }
  return contract::read_kernel_header(headers[0], std::span(headers).subspan(1));
}

void tell(const contract::Draft& draft,
          const std::string& header,
          const std::string& folder,
          Outcome& outcome) {
  outcome.messages +=
      header.empty() ? fmt::format("no kernel header in {}/src: everything is asked for\n", folder)
                     : fmt::format("read {}\n", header);
  for (const std::string& remark : draft.remarks) {
    outcome.messages += fmt::format("{}: {}\n", header, remark);
  }
  const std::string place = folder + "/src";
  if (!header.empty() && absolute_path(folder_of(header)) != absolute_path(place)) {
    outcome.messages += fmt::format("check looks for the header in {}; copy it there\n", place);
  }
}

}  // namespace

Outcome command_init(Environment& environment) {
  Outcome outcome;
  const Args& args = environment.args;
  FileSystem& files = environment.files;
  std::string folder = args.path;
  while (folder.size() > 1 && folder.back() == '/') {
    folder.pop_back();
  }
  const std::string design = folder + "/docs/design.md";
  if (!is_operator_folder(absolute_path(folder), args.in_tree, outcome)) {
    return outcome;
  }
  if (files.exists(design)) {
    refuse(outcome,
           kExitDiffers,
           fmt::format("{} is there already, and init never overwrites", design),
           fmt::format("shmem-bind check {}, or move the file away", folder));
    return outcome;
  }
  const std::string header = find_header(args, folder, files);
  std::optional<contract::KernelHeader> kernel;
  if (!header.empty()) {
    kernel = read_header(header, files, outcome);
    if (!kernel) {
      return outcome;
    }
  }
  const auto mode =
      args.in_tree ? contract::BuildMode::kInTreeExample : contract::BuildMode::kIndependentProject;
  const contract::Draft draft =
      contract::draft_contract(name_of(absolute_path(folder)), mode, kernel ? &*kernel : nullptr);
  tell(draft, header, folder, outcome);
  outcome.json.add("path", design).add("header", header).add("questions", draft.questions);
  outcome.json.add("text", draft.text).add("written", !args.dry_run);
  if (args.dry_run) {
    outcome.text = draft.text;
    return outcome;
  }
  if (const auto written = files.write(design, draft.text, false); !written.ok()) {
    fail(outcome, written.failure());
    return outcome;
  }
  outcome.text = fmt::format(
      "wrote {}, {} questions\nnext: answer every <...> in it, then shmem-bind check {}\n",
      design,
      draft.questions,
      folder);
  return outcome;
}

}  // namespace shmem_bind::cli
