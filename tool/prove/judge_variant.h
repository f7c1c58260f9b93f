#pragma once

#include <string>
#include <vector>

#include "tool/verify/verify.h"

// What a run shows of a variant. Only something that was found kills one: a crash of what runs the
// jobs, or a machine that was too slow, shows nothing. Pure.

namespace shmem_bind::prove {

struct End {
  bool reported = false;  // the test says something of this job
  verify::JobResult result;
  std::vector<std::string> findings;   // of the simulator: "rule: what was found"
  std::vector<std::string> announced;  // by the libraries that were loaded
};

enum class Shown { kNothingWrong, kFound, kUnclear };

struct Judgement {
  Shown shown = Shown::kUnclear;
  std::string why;  // in one line
};

// `expected`: what has to announce itself in the run.
Judgement judge_end(const End& end, const std::vector<std::string>& expected);

}  // namespace shmem_bind::prove
