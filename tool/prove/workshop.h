#pragma once

#include <map>
#include <string>
#include <vector>

#include "tool/binding/file_set.h"
#include "tool/build/run.h"
#include "tool/prove/judge_variant.h"
#include "tool/prove/probes.h"
#include "tool/prove/prove.h"
#include "tool/prove/variants.h"

// The folder prove/: the libraries and tests of all variants, and the jobs that run on them. The
// binding lies there as an independent project, whatever the tree is.

namespace shmem_bind::prove {

// One job with one variant.
struct Run {
  std::string key;  // of its end
  std::string variant;
  verify::Job job;
  std::string script;   // the test
  std::string binding;  // which of the variants in the library; empty: the unchanged one
  std::string kernel;   // which of the kernels; empty: the tree's own
  int64_t wait_ms = 20000;
  int64_t deadline_s = 60;

  std::vector<std::string> announces() const;  // what its libraries say that they are
};
using Ends = std::map<std::string, End>;

class Workshop {
 public:
  Workshop(const contract::Contract& contract, const Surroundings& around);

  Texts texts() const;  // what variants are made of
  // Builds; what does not compile becomes invalid. False after saying why.
  bool build_bindings(std::vector<Variant>& variants, std::vector<std::string>& problems);
  void build_kernels(std::vector<Variant>& variants);
  // The unchanged test, and those of the variants.
  void write_tests(const std::vector<Variant>& variants);

  // All runs: those of one list one behind the other in one process, two lists side by side. A
  // problem is what went wrong with a process.
  Ends run(const std::vector<std::vector<Run>>& lists, std::vector<std::string>& problems);
  bool interrupted() const { return interrupted_; }

  std::string script_of(const std::string& variant) const;  // empty: the unchanged test
  // How the test of a variant differs from what generate would write, in one line.
  std::string drift_of(const std::string& variant) const;

 private:
  std::string plan_text(const std::vector<Run>& runs) const;
  void read_ends(const std::string& name, const std::vector<Run>& runs, Ends& ends) const;
  std::string in_tree(const std::string& path) const { return folder_ + "/tree/" + path; }
  std::string kernel_folder(const std::string& id) const;
  bool copy_into_tree(std::vector<std::string>& problems);
  std::vector<std::string> compile(std::vector<Variant>& variants,
                                   std::vector<std::string>& problems);
  void write_sources(const std::vector<Variant>& variants);
  void write_kernel(const Variant& variant);
  std::string text_of(const std::string& path) const;

  const contract::Contract& user_;
  contract::Contract contract_;  // as an independent project
  const Surroundings& around_;
  std::string folder_;
  std::string op_folder_;      // of the user
  std::string kernel_source_;  // path of the file with the kernel, below the operator's folder
  binding::Plan files_;        // what generate would write
  int round_ = 0;
  bool interrupted_ = false;
};

}  // namespace shmem_bind::prove
