#pragma once

namespace shmem_bind::prove {

// The Python program that runs the jobs of one plan: `python -c … plan.json`. It takes the test
// from the path in the plan, gives each job its libraries, and writes one line of JSON per job.
const char* driver_program();

}  // namespace shmem_bind::prove
