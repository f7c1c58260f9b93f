#include "tool/build/artifact.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <sstream>

namespace shmem_bind::build {
namespace {

using contract::Argument;
using contract::Contract;
using contract::Dtype;

Contract all_gather() {
  Contract contract;
  contract.op_name = "all_gather";
  contract.dispatch = {Dtype::kInt8, Dtype::kFp16};
  contract.entry.qualified_name = "ShmemKernel::aclshmem_all_gather";
  contract.entry.is_template = true;
  for (const char* type :
       {"unsigned int", "void *", "const unsigned char *", "type-parameter-0-0 *", "long"}) {
    Argument argument;
    argument.canonical_type = type;
    contract.entry.arguments.push_back(argument);
  }
  return contract;
}

const char* const kInt8 =
    "void ShmemKernel::aclshmem_all_gather<signed char>(unsigned int, void*, unsigned char const*, "
    "signed char*, long)";
const char* const kFp16 =
    "void ShmemKernel::aclshmem_all_gather<op::fp16_t>(unsigned int, void*, unsigned char const*, "
    "op::fp16_t*, long)";

TEST(Artifact, AsksForOneInstantiationPerDtype) {
  const auto needed = needed_functions(all_gather());
  ASSERT_EQ(needed.size(), 2u);
  EXPECT_EQ(needed[0].dtype, "int8");
  EXPECT_EQ("void " + needed[0].name + needed[0].parameters, kInt8);
  EXPECT_EQ(needed[1].dtype, "fp16");
  EXPECT_EQ("void " + needed[1].name + needed[1].parameters, kFp16);
}

TEST(Artifact, FindsNothingWhenAllAreThere) {
  EXPECT_TRUE(artifact_findings(needed_functions(all_gather()), {kFp16, kInt8, "main"}).empty());
}

TEST(Artifact, NamesTheMissingInstantiationByItsDtype) {
  const auto findings = artifact_findings(needed_functions(all_gather()), {kInt8});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0],
            "fp16: ShmemKernel::aclshmem_all_gather<op::fp16_t> is not in the library");
}

TEST(Artifact, NamesParametersThatDifferFromTheHeader) {
  const std::string drifted =
      "void ShmemKernel::aclshmem_all_gather<signed char>(unsigned int, void*, unsigned char "
      "const*, signed char*, int)";
  const auto findings = artifact_findings(needed_functions(all_gather()), {drifted, kFp16});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].find("signed char*, int), the header declares"), std::string::npos)
      << findings[0];
}

TEST(Artifact, DoesNotTakeALongerNameForTheFunction) {
  Contract contract = all_gather();
  contract.entry.is_template = false;
  contract.entry.qualified_name = "gather_demo";
  contract.entry.arguments.resize(2);
  EXPECT_EQ(artifact_findings(
                needed_functions(contract),
                {"my_gather_demo(unsigned int, void*)", "gather_demo_v2(unsigned int, void*)"})
                .size(),
            1u);
  EXPECT_TRUE(
      artifact_findings(needed_functions(contract), {"gather_demo(unsigned int, void*)"}).empty());
  EXPECT_TRUE(artifact_findings(needed_functions(contract), {"gather_demo"}).empty())
      << "a C function";
}

TEST(Artifact, ReadsTheFunctionsOfARealLibrary) {
  Dl_info info;
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&std::set_terminate), &info), 0);
  std::ifstream file(info.dli_fname, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  const auto functions = exported_functions(bytes.str());
  ASSERT_TRUE(functions.ok()) << functions.failure().text;
  const auto& names = functions.value();
  EXPECT_TRUE(std::binary_search(names.begin(), names.end(), "std::set_terminate(void (*)())"));
  EXPECT_FALSE(std::binary_search(names.begin(), names.end(), "malloc")) << "only what it defines";
}

TEST(Artifact, RefusesWhatIsNoLibrary) {
  EXPECT_FALSE(exported_functions("").ok());
  EXPECT_FALSE(exported_functions("#!/bin/sh\n").ok());
  EXPECT_FALSE(exported_functions(std::string("\x7f"
                                              "ELF\x02\x01\x01") +
                                  std::string(200, '\0'))
                   .ok());
}

}  // namespace
}  // namespace shmem_bind::build
