#pragma once

namespace shmem_sim {

// Who listens to SIGUSR1 when the first kernel starts (a test that asks where a process stands)
// also gets the device's view: a flag is set, and whoever leads the blocks writes all parked waits
// to stderr; the thread that got the signal writes its native stack there. Nobody listening: the
// signal keeps its meaning. Internal to sim/core.
void install_stand_signal();

// True once for each time it was asked. Any thread.
bool stand_is_asked();

}  // namespace shmem_sim
