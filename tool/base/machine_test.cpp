#include "tool/base/machine.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

namespace shmem_bind {
namespace {

TEST(Machine, GivesAPortThatCanBeBound) {
  const auto port = free_port();
  ASSERT_TRUE(port.ok()) << port.failure().text;
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port.value()));
  EXPECT_EQ(bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  close(file);
}

TEST(Machine, ListsTheEnvironment) {
  setenv("SHMEM_BIND_TEST_VARIABLE", "a=b", 1);
  EXPECT_EQ(whole_environment()["SHMEM_BIND_TEST_VARIABLE"], "a=b");
  unsetenv("SHMEM_BIND_TEST_VARIABLE");
}

TEST(Machine, ReadsTheMemoryThatIsAvailable) {
  MemoryFileSystem files;
  EXPECT_FALSE(available_memory_mib(files));
  files.files["/proc/meminfo"] = "MemTotal: 999999 kB\nMemAvailable:    4194304 kB\n";
  EXPECT_EQ(available_memory_mib(files), 4096);
}

TEST(Machine, StaysBelowTheLimitOfTheControlGroup) {
  MemoryFileSystem files;
  files.files["/proc/meminfo"] = "MemAvailable: 4194304 kB\n";
  files.files["/sys/fs/cgroup/memory.max"] = "max\n";
  files.files["/sys/fs/cgroup/memory.current"] = "1073741824\n";
  EXPECT_EQ(available_memory_mib(files), 4096);
  files.files["/sys/fs/cgroup/memory.max"] = "2147483648\n";
  EXPECT_EQ(available_memory_mib(files), 1024);
}

TEST(Machine, ReadsTheRealFiles) {
  RealFileSystem files;
  EXPECT_GT(available_memory_mib(files).value_or(0), 0);
}

}  // namespace
}  // namespace shmem_bind
