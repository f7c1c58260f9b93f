#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tool/binding/file_set.h"
#include "tool/prove/prove.h"
#include "tool/prove/variants.h"

// The folder prove/: the libraries of all variants, and the jobs that run on them.

namespace shmem_bind::prove {

struct Job {
  std::string variant;  // empty: nothing is changed
  Probe probe = Probe::kSmall;
  int64_t seed = 0;
  std::string key;     // of its result
  std::string kernel;  // path of another kernel library
};

struct JobEnd {
  bool ran = false;
  bool passed = false;
  std::string problem;
  double seconds = 0;
};

class Workshop {
 public:
  Workshop(const contract::Contract& contract, const Surroundings& surroundings);

  Texts texts() const;  // what variants are made of
  // Builds; what does not compile becomes invalid. False after saying why.
  bool build_bindings(std::vector<Variant>& variants, std::vector<std::string>& problems);
  void build_kernels(std::vector<Variant>& variants);
  void write_tests(std::vector<Variant>& variants);

  // All jobs of a round, two processes side by side. `scripts`: the test of each variant of a test.
  std::map<std::string, JobEnd> run(
      const std::vector<std::vector<std::pair<Job, std::string>>>& plans);
  std::vector<Job> jobs_of(const Variant& variant, Probe probe) const;
  std::string own_script() const;
  std::string script_of(const std::string& id) const;
  std::string kernel_of(const std::string& id) const;

 private:
  std::string plan_text(const std::vector<std::pair<Job, std::string>>& jobs,
                        const std::string& name) const;
  std::string in_tree(const std::string& path) const;
  std::vector<std::string> compile(std::vector<Variant>& variants,
                                   std::vector<std::string>& problems);

  const contract::Contract& user_;
  contract::Contract contract_;  // as an independent project, whatever the tree is
  const Surroundings& around_;
  std::string folder_;
  std::string kernel_source_;  // path of the file with the kernel, below the operator's folder
  binding::Plan files_;
  int round_ = 0;
};

}  // namespace shmem_bind::prove
