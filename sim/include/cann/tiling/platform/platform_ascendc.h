#pragma once

#include <cstdint>

// What host programs ask about the device they launch on: the unified buffer of a core and the
// number of vector cores (Ascend910B1). Other questions do not compile.

namespace platform_ascendc {

enum class CoreMemType { UB };

class PlatformAscendC {
 public:
  void GetCoreMemSize(const CoreMemType&, uint64_t& bytes) const { bytes = uint64_t{192} << 10; }
  uint32_t GetCoreNumAiv() const { return 48; }
};

class PlatformAscendCManager {
 public:
  static PlatformAscendC* GetInstance() {
    static PlatformAscendC instance;
    return &instance;
  }
};

}  // namespace platform_ascendc
