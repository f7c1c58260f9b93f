#include "tool/doctor/python.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tool/doctor/testing.h"

namespace shmem_bind::doctor {
namespace {

constexpr const char* kGood =
    "python=3.11.7\nexecutable=/v/bin/python\ntorch=2.13.0+cpu\ntorch_path=/v/torch\n"
    "torch_npu=2.13.0\ntorch_npu_path=/v/torch_npu\nabi SHMEM=1\nabi torch=1\nabi torch_npu=1\n"
    "devices=8\n";

std::string with(std::string from, const std::string& to) {
  std::string text = kGood;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Finding named(const std::string& name, const std::string& output, bool is_complete = true) {
  build::Target target;
  target.cann = "/sim/cann";
  target.shmem = "/sim/shmem";
  target.python = "/v/bin/python";
  FakeRunner runner{{output, 0}};
  const Findings findings = look_at_python(target, is_complete, "1", runner);
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.name == name;
  });
  EXPECT_NE(found, findings.end()) << name;
  return found == findings.end() ? Finding() : *found;
}

TEST(Python, IsInOrderWhenTorchNpuStarts) {
  EXPECT_EQ(named("python", kGood).found, "3.11.7 at /v/bin/python");
  EXPECT_EQ(named("torch", kGood).found, "2.13.0+cpu at /v/torch");
  EXPECT_EQ(named("torch_npu", kGood).found, "2.13.0 at /v/torch_npu, starts and sees 8 devices");
  EXPECT_EQ(named("C++11 ABI", kGood).found, "torch 1, torch_npu 1, SHMEM 1, compiler 1");
}

TEST(Python, ThatCannotBeStartedIsRed) {
  const Finding finding = named("python", "cannot start /v/bin/python: No such file\n");
  EXPECT_EQ(finding.health, Health::kRed);
  EXPECT_EQ(finding.fix, "scripts/setup.sh");
}

TEST(Python, WithoutTorchNpuIsRed) {
  const std::string output = with("torch_npu=2.13.0\ntorch_npu_path=/v/torch_npu\n",
                                  "torch_npu_error=PackageNotFoundError: torch_npu\n");
  EXPECT_EQ(named("torch_npu", output).health, Health::kRed);
  EXPECT_EQ(named("torch_npu", output, false).health, Health::kRed);
}

TEST(Python, WithTwoVersionsNamesTheOneToInstall) {
  const Finding finding = named("torch_npu", with("torch=2.13.0+cpu", "torch=2.9.0+cpu"));
  EXPECT_EQ(finding.health, Health::kRed);
  EXPECT_EQ(finding.fix, "/v/bin/python -m pip install torch_npu==2.9.0");
}

TEST(Python, TellsWhyTorchNpuDoesNotStart) {
  const Finding finding =
      named("torch_npu", with("devices=8", "import_error=ImportError: libhccl.so"));
  EXPECT_EQ(finding.health, Health::kRed);
  EXPECT_EQ(finding.found, "2.13.0 does not start: ImportError: libhccl.so");
}

TEST(Python, ThatDiesWhileTorchNpuStartsIsRed) {
  EXPECT_EQ(named("torch_npu", with("devices=8\n", "")).found,
            "2.13.0 does not start: exit code 0");
}

TEST(Python, DoesNotStartTorchNpuWithoutCann) {
  EXPECT_EQ(named("torch_npu", with("devices=8\n", ""), false).health, Health::kYellow);
}

TEST(Python, WithLibrariesOfTwoAbisIsRed) {
  const Finding finding = named("C++11 ABI", with("abi SHMEM=1", "abi SHMEM=0"));
  EXPECT_EQ(finding.health, Health::kRed);
  EXPECT_EQ(finding.found,
            "torch 1, torch_npu 1, SHMEM 0: SHMEM differs from torch, its std::string is another "
            "type");
}

TEST(Python, AllowsACompilerWhoseDefaultIsTheOtherAbi) {
  const Finding finding =
      named("C++11 ABI",
            with("abi SHMEM=1\nabi torch=1\nabi torch_npu=1", "abi torch=0\nabi torch_npu=0"));
  EXPECT_EQ(finding.health, Health::kGreen);
  EXPECT_EQ(finding.found,
            "torch 0, torch_npu 0; the compiler's default is 1, bindings set torch's");
}

}  // namespace
}  // namespace shmem_bind::doctor
