#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/base/file_system.h"
#include "tool/base/process.h"
#include "tool/base/result.h"
#include "tool/build/target.h"
#include "tool/contract/contract.h"

// The generated test, run on the tree as it stands: never regenerated here. Eagerly and under
// adversarial seeds, forked, spawned and under torchrun.

namespace shmem_bind::verify {

struct Options {
  std::vector<int64_t> pes;    // empty: 2 and 8, as far as the contract allows
  std::vector<int64_t> seeds;  // adversarial; empty: 1 to 5
  int64_t calls = 6;           // on one operator object
  int64_t deadline_s = 120;    // of one job
  bool launchers = true;       // also spawned, and under torchrun
};

// One run of the test with one setting.
struct Job {
  std::string name;      // "2 PEs, seed 3"
  std::string launcher;  // fork, spawn, torchrun
  int64_t pes = 2;
  int64_t seed = 0;  // of the data
  int64_t calls = 6;
  std::vector<std::string> dtypes;
  std::vector<std::string> cases;
  std::vector<std::pair<std::string, std::string>>
      environment;            // of the simulator; without meaning on a board
  bool mixed = false;         // shapes and dtypes alternate from call to call
  bool side_streams = false;  // each call on another stream, ordered by events
  int64_t objects = 1;        // of the operator's class, used in turns
  int64_t lives = 1;          // SHMEM initialised and finalised so often; they share the calls
};

// What is run, in order. Pure.
std::vector<Job> plan_jobs(const contract::Contract& contract, const Options& options);

struct JobResult {
  Job job;
  bool passed = false;
  int64_t records = 0;  // results that PEs filed, one per call
  double seconds = 0;
  std::vector<std::string> problems;
};

struct Verdict {
  std::string op;
  bool verified = false;
  std::vector<JobResult> jobs;
  std::vector<std::string> findings;  // of the simulator
  std::vector<std::string> problems;  // that belong to no job: a crash, a missing report
  std::vector<std::string> warnings;  // the tree differs from what generate would write
  std::string torch_npu;              // version and path, as the workers reported them
};

using OnLine = std::function<void(std::string_view)>;

// What a verification works on and with.
struct Surroundings {
  std::string tree;  // holds custom-ops/, or examples/
  const build::Target& target;
  FileSystem& files;
  ProcessRunner& runner;
  OnLine on_line;  // every line the test prints
};

// Blocks; everything it starts is ended.
Verdict run_verify(const contract::Contract& contract,
                   const Options& options,
                   const Surroundings& surroundings);

std::string to_json(const Verdict& verdict);
std::string to_text(const Verdict& verdict);

}  // namespace shmem_bind::verify
