#include "tool/prove/workshop.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tool/base/text.h"
#include "tool/binding/places.h"
#include "tool/binding/plan_tree.h"
#include "tool/build/run.h"
#include "tool/contract/dtype.h"
#include "tool/prove/driver.h"

namespace shmem_bind::prove {
namespace {

using Json = nlohmann::ordered_json;

// One kernel after the other, as many side by side as there are compiles.
constexpr const char* kBuildKernels =
    R"(cd "$1" && export library="$2" && ls | grep '^k' | xargs -P "${JOBS:-2}" -I{} bash -c '
  { cmake -S {} -B {}/build $(command -v ninja >/dev/null && echo "-G Ninja") -DSHMEM_REPO="${SHMEM_REPO}" &&
    { cmake --build {}/build --target "lib/${library}" || cmake --build {}/build; }; } >{}.log 2>&1 || true')";

constexpr const char* kRunPlans = R"(program="$1" python="$2"; shift 2
printf '%s\0' "$@" | xargs -0 -P 2 -n 1 "${python}" -c "${program}")";

contract::Contract independent(contract::Contract contract) {
  contract.build_mode = contract::BuildMode::kIndependentProject;
  return contract;
}

std::vector<std::string> dtype_names(const contract::Contract& contract) {
  std::vector<std::string> names;
  for (const contract::Dtype dtype : contract.dispatch) {
    names.emplace_back(contract::row(dtype).dsl);
  }
  return names.empty() ? std::vector<std::string>{"fixed"} : names;
}

int64_t size_of(const contract::Case& item) {
  int64_t size = 1;
  for (const auto& [name, value] : item.symbols) {
    size *= std::max<int64_t>(value, 1);
  }
  return size;
}

int64_t pe_count(const contract::Contract& contract) {
  for (const int64_t count : {2, 3, 4, 8, 1}) {
    if (contract.pe_counts.allows(count)) {
      return count;
    }
  }
  return contract.pe_counts.min;
}

const char* name_of(Probe probe) {
  switch (probe) {
    case Probe::kRefusals:
      return "refusals";
    case Probe::kStream:
      return "stream";
    case Probe::kGuard:
      return "guard";
    case Probe::kCorrupt:
      return "corrupt";
    default:
      return "plain";
  }
}

std::vector<std::string> cases_of(const contract::Contract& contract, Probe probe) {
  std::vector<const contract::Case*> chosen;
  for (const contract::Case& item : contract.cases) {
    if (probe == Probe::kGuard || item.stress == (probe == Probe::kLarge)) {
      chosen.push_back(&item);
    }
  }
  if (chosen.empty()) {
    chosen.push_back(&contract.cases.front());
  }
  std::stable_sort(chosen.begin(), chosen.end(), [](const auto* a, const auto* b) {
    return size_of(*a) < size_of(*b);
  });
  const bool one = probe != Probe::kWide && probe != Probe::kSeeds && probe != Probe::kLarge &&
                   probe != Probe::kGuard;
  std::vector<std::string> names;
  for (const contract::Case* item : chosen) {
    if (!one || size_of(*item) >= 64 || item == chosen.back()) {
      names.push_back(item->name);
      if (one) {
        break;
      }
    }
  }
  return names;
}

}  // namespace

Workshop::Workshop(const contract::Contract& contract, const Surroundings& around)
    : user_(contract),
      contract_(independent(contract)),
      around_(around),
      folder_(fmt::format("{}/{}/prove", around.tree, binding::places_of(contract).records)),
      files_(binding::plan_tree(contract_, {}).plan) {
  const std::string op = fmt::format("{}/{}", around_.tree, binding::places_of(user_).op);
  for (const char* below : {"src", "."}) {
    for (const std::string& name : around_.files.list(op + "/" + below)) {
      const std::string path = std::string(below) + "/" + name;
      const auto text = name.ends_with(".cpp") ? around_.files.read(op + "/" + path)
                                               : Result<std::string>(Failure{});
      if (kernel_source_.empty() && text.ok() &&
          text.value().find("__global__") != std::string::npos) {
        kernel_source_ = path;
      }
    }
  }
}

std::string Workshop::in_tree(const std::string& path) const {
  return folder_ + "/tree/" + path;
}
std::string Workshop::own_script() const {
  return in_tree(binding::places_of(contract_).test);
}
std::string Workshop::script_of(const std::string& id) const {
  return fmt::format(
      "{}/tests/{}/{}", folder_, id, own_script().substr(own_script().rfind('/') + 1));
}
std::string Workshop::kernel_of(const std::string& id) const {
  return fmt::format("{}/kernels/{}/build/lib/lib{}_kernel.so", folder_, id, user_.op_name);
}

Texts Workshop::texts() const {
  const binding::Places places = binding::places_of(contract_);
  const auto text = [&](const std::string& path) { return files_.at(path).text; };
  Texts texts = {{"class", parts_of(text(places.source)).body},
                 {"header", text(places.binding + "/include/npu_launch.h")},
                 {"launch", text(places.binding + "/src/npu_launch.cpp")},
                 {"manager", parts_of(text(places.binding + "/src/torch_bindings.cpp")).body},
                 {"test", text(places.test)},
                 {"kernel", ""}};
  const std::string op = fmt::format("{}/{}", around_.tree, binding::places_of(user_).op);
  if (const auto kernel = around_.files.read(op + "/" + kernel_source_);
      !kernel_source_.empty() && kernel.ok()) {
    texts["kernel"] = kernel.value();
  }
  return texts;
}

std::vector<std::string> Workshop::compile(std::vector<Variant>& variants,
                                           std::vector<std::string>& problems) {
  const binding::Places places = binding::places_of(contract_);
  const auto text = [&](const std::string& path) { return files_.at(path).text; };
  const MutantSources sources = mutant_sources(variants,
                                               contract_,
                                               text(places.source),
                                               text(places.binding + "/src/torch_bindings.cpp"),
                                               text(places.binding + "/include/npu_launch.h"),
                                               text(places.binding + "/src/npu_launch.cpp"));
  const std::map<std::string, std::string> changed = {
      {places.source, sources.op},
      {places.binding + "/src/torch_bindings.cpp", sources.bindings},
      {places.binding + "/src/npu_launch.cpp", sources.launch}};
  for (const auto& [path, file] : files_) {
    const auto found = changed.find(path);
    const std::string& wanted = found == changed.end() ? file.text : found->second;
    const auto present = around_.files.read(in_tree(path));
    if (!present.ok() || present.value() != wanted) {  // what is the same is not compiled again
      around_.files.write(in_tree(path), wanted, file.executable);
    }
  }
  build::Plan plan = build::plan_build(folder_ + "/tree", contract_, around_.target);
  build::keep_part(plan, build::Part::kBinding);
  const build::BuildReport report =
      build::run_build(plan, contract_, around_.target, around_.files, around_.runner, {});
  if (report.ok()) {
    return {};
  }
  std::vector<std::string> culprits;
  std::string output;
  for (const build::StepReport& step : report.steps) {
    output += step.output;
  }
  for (const std::string_view line : split_lines(output)) {
    for (Variant& variant : variants) {
      if (variant.row.state.empty() && line.find(": error:") != std::string_view::npos &&
          line.find(variant.row.id + ":") != std::string_view::npos) {
        variant.row.state = "invalid";
        variant.row.by = std::string(line);
        culprits.push_back(variant.row.id);
      }
    }
  }
  if (culprits.empty()) {
    problems = report.findings;
    problems.insert(problems.begin(),
                    "the library of the wrong bindings " + std::string(build::name_of(report.end)));
  }
  return culprits;
}

bool Workshop::build_bindings(std::vector<Variant>& variants, std::vector<std::string>& problems) {
  const auto kernel = around_.files.read(
      fmt::format("{}/{}", around_.tree, binding::places_of(user_).kernel_library));
  if (!kernel.ok()) {
    problems.push_back(kernel.failure().text);
    return false;
  }
  around_.files.write(in_tree(binding::places_of(contract_).kernel_library), kernel.value(), true);
  if (contract_.golden && contract_.golden->kind == contract::Golden::Kind::kFile) {
    const std::string& file = contract_.golden->file;
    const auto text = around_.files.read(
        fmt::format("{}/{}/{}", around_.tree, binding::places_of(user_).op, file));
    if (text.ok()) {
      around_.files.write(
          in_tree(binding::places_of(contract_).op + "/" + file), text.value(), false);
    }
  }
  for (int attempt = 0; attempt < 4; ++attempt) {  // again without what does not compile
    if (compile(variants, problems).empty()) {
      return problems.empty();
    }
  }
  problems.emplace_back("too many of the wrong bindings do not compile");
  return false;
}

void Workshop::build_kernels(std::vector<Variant>& variants) {
  const std::string op = fmt::format("{}/{}", around_.tree, binding::places_of(user_).op);
  bool any = false;
  around_.files.remove(folder_ + "/kernels");
  for (const Variant& variant : variants) {
    if (variant.row.kind != "kernel" || !variant.row.state.empty()) {
      continue;
    }
    any = true;
    const std::string copy = folder_ + "/kernels/" + variant.row.id;
    for (const char* below : {"src", "."}) {
      for (const std::string& name : around_.files.list(op + "/" + below)) {
        const std::string path = std::string(below) + "/" + name;
        const auto text = around_.files.read(op + "/" + path);
        if (text.ok() && !around_.files.is_folder(op + "/" + path)) {
          around_.files.write(copy + "/" + path,
                              path == kernel_source_ ? variant.texts.at("kernel") : text.value(),
                              false);
        }
      }
    }
  }
  if (!any) {
    return;
  }
  Command command = build::in_environment(around_.target,
                                          {"bash",
                                           "-c",
                                           kBuildKernels,
                                           "kernels",
                                           folder_ + "/kernels",
                                           fmt::format("lib{}_kernel.so", user_.op_name)});
  command.deadline = std::chrono::minutes(15);
  around_.runner.run(command, {});
  for (Variant& variant : variants) {
    if (variant.row.kind == "kernel" && variant.row.state.empty() &&
        !around_.files.exists(kernel_of(variant.row.id))) {
      variant.row.state = "invalid";
      const auto log =
          around_.files.read(fmt::format("{}/kernels/{}.log", folder_, variant.row.id));
      std::vector<std::string> lines;
      build::classify(log.ok() ? log.value() : "", lines);
      variant.row.by = lines.empty() ? "does not build" : lines.front();
    }
  }
}

void Workshop::write_tests(std::vector<Variant>& variants) {
  for (const Variant& variant : variants) {
    if (variant.row.kind == "test" && variant.row.state.empty()) {
      around_.files.write(script_of(variant.row.id), variant.texts.at("test"), true);
    }
  }
}

std::vector<Job> Workshop::jobs_of(const Variant& variant, Probe probe) const {
  std::vector<Job> jobs;
  const bool is_kernel = variant.row.kind == "kernel";
  const int64_t seeds = probe == Probe::kSeeds ? 5 : 1;
  for (int64_t seed = 1; seed <= seeds; ++seed) {
    const int64_t used = probe == Probe::kSeeds ? seed : 0;
    jobs.push_back({variant.row.id,
                    probe,
                    used,
                    fmt::format("{}_{}_{}",
                                variant.row.id.empty() ? "unchanged" : variant.row.id,
                                static_cast<int>(probe),
                                used),
                    is_kernel ? kernel_of(variant.row.id) : ""});
  }
  return jobs;
}

std::string Workshop::plan_text(const std::vector<std::pair<Job, std::string>>& jobs,
                                const std::string& name) const {
  const std::vector<std::string> dtypes = dtype_names(user_);
  const int64_t pes = pe_count(user_);
  const binding::Places places = binding::places_of(contract_);
  Json list = Json::array();
  for (const auto& [job, script] : jobs) {
    Json environment = {
        {"SHMEM_SIM_FINDINGS", fmt::format("{}/runs/{}.findings", folder_, job.key)},
        {"SHMEM_SIM_WAIT_TIMEOUT_MS", "2000"},
        {"SHMEM_BIND_MUTANT", job.variant}};
    if (job.probe == Probe::kSeeds) {
      environment["SHMEM_SIM_SEED"] = std::to_string(job.seed);
      environment["SHMEM_SIM_SLOW_PE"] = std::to_string(job.seed % pes);
    }
    std::vector<std::string> some = {dtypes.front()};
    if (dtypes.size() > 1 && job.probe != Probe::kLarge) {
      some.push_back(dtypes.back());
    }
    const std::string kernel = in_tree(places.kernel_library);
    list.push_back({{"key", job.key},
                    {"name", job.key},
                    {"probe", name_of(job.probe)},
                    {"pes", pes},
                    {"dtypes", job.probe == Probe::kSmall ? dtypes : some},
                    {"cases", cases_of(user_, job.probe)},
                    {"seed", job.seed},
                    {"calls", 6},
                    {"launcher", "fork"},
                    {"deadline", 10},
                    {"environment", environment},
                    {"libraries",
                     {{places.product, in_tree(places.binding_library)},
                      {fmt::format("lib{}_kernel.so", user_.op_name),
                       job.kernel.empty() ? kernel : job.kernel}}}});
  }
  const Json plan = {{"test", jobs.front().second},
                     {"results", fmt::format("{}/runs/{}.jsonl", folder_, name)},
                     {"jobs", list}};
  return plan.dump(1);
}

std::map<std::string, JobEnd> Workshop::run(
    const std::vector<std::vector<std::pair<Job, std::string>>>& plans) {
  std::vector<std::string> words = {
      "bash", "-c", kRunPlans, "plans", driver_program(), around_.target.python};
  std::vector<std::string> results;
  size_t count = 0;
  ++round_;
  if (round_ == 1) {
    around_.files.remove(folder_ + "/runs");
  }
  for (size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].empty()) {
      continue;
    }
    const std::string name = fmt::format("plan_{}_{}", round_, i);
    const std::string path = fmt::format("{}/runs/{}.json", folder_, name);
    around_.files.write(path, plan_text(plans[i], name), false);
    words.push_back(path);
    results.push_back(fmt::format("{}/runs/{}.jsonl", folder_, name));
    count += plans[i].size();
  }
  if (results.empty()) {
    return {};
  }
  Command command = build::in_environment(around_.target, words);
  command.deadline = std::chrono::seconds(60 + 15 * static_cast<int64_t>(count));
  std::string tail;
  around_.runner.run(command, [&](std::string_view line) {
    if (!line.starts_with("job ")) {
      tail += std::string(line) + "\n";
    }
    around_.progress(line);
  });
  std::map<std::string, JobEnd> ends;
  for (const std::string& path : results) {
    const auto text = around_.files.read(path);
    const std::string lines = text.ok() ? text.value() : "";
    for (const std::string_view line : split_lines(lines)) {
      const Json item = Json::parse(line, nullptr, false);
      if (item.is_object()) {
        ends[item.value("key", "")] = {true,
                                       item.value("passed", false),
                                       item.value("problem", ""),
                                       item.value("seconds", 0.0)};
      }
    }
  }
  return ends;
}

}  // namespace shmem_bind::prove
