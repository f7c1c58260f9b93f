#include "sim/core/config.h"

#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace shmem_sim {
namespace {

[[noreturn]] void malformed(const char* variable, const char* value, const char* expected) {
  fmt::print(stderr,
             "shmem-sim: {}=\"{}\" is not {}; unset it or correct it\n",
             variable,
             value,
             expected);
  std::_Exit(2);
}

void read(const char* variable, const char* value, int64_t& member) {
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(value, &end, 10);
  if (errno != 0 || end == value || *end != '\0') {
    malformed(variable, value, "a whole number");
  }
  member = number;
}

void read(const char* variable, const char* value, bool& member) {
  if (std::strcmp(value, "0") != 0 && std::strcmp(value, "1") != 0) {
    malformed(variable, value, "0 or 1");
  }
  member = value[0] == '1';
}

void read(const char*, const char* value, std::string& member) {
  member = value;
}

void check(Config& config) {
  if (config.devices < 1 || config.devices > 32) {
    malformed("SHMEM_SIM_DEVICES", std::to_string(config.devices).c_str(), "between 1 and 32");
  }
  if (config.adversarial()) {
    read("SHMEM_SIM_SEED", config.seed.c_str(), config.seed_number);
  }
  const std::string& order = config.block_order;
  if (!order.empty() && order != "reverse" && order != "random") {
    malformed("SHMEM_SIM_BLOCK_ORDER", order.c_str(), "empty, reverse or random");
  }
  if (order == "random" && !config.adversarial()) {
    malformed("SHMEM_SIM_BLOCK_ORDER", order.c_str(), "possible without SHMEM_SIM_SEED");
  }
}

template <class T>
void read_if_set(const char* variable, T& member) {
  if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') {
    read(variable, value, member);
  }
}

Config read_environment() {
  Config config;
#define SETTING(member, variable, type, fallback, help) read_if_set(variable, config.member);
#include "sim/core/config.def"
#undef SETTING
  check(config);
  return config;
}

std::atomic<const Config*> g_settings{nullptr};

// A launcher may give each forked PE settings of its own.
void forget_settings_in_child() {
  g_settings.store(nullptr);
}

}  // namespace

const Config& config() {
  const Config* settings = g_settings.load(std::memory_order_acquire);
  if (settings == nullptr) {
    static const int registered = pthread_atfork(nullptr, nullptr, &forget_settings_in_child);
    static_cast<void>(registered);
    const auto* fresh = new Config(read_environment());  // read by threads that may outlive main
    if (g_settings.compare_exchange_strong(settings, fresh)) {
      return *fresh;
    }
    delete fresh;
  }
  return *settings;
}

std::string describe_settings() {
  std::string text;
#define SETTING(member, variable, type, fallback, help) \
  text += fmt::format("{:<28} {} (default: {})\n", variable, help, #fallback);
#include "sim/core/config.def"
#undef SETTING
  return text;
}

}  // namespace shmem_sim
