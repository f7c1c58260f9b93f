#include "tool/contract/collective.h"

#include <gtest/gtest.h>

#include "tool/contract/testing.h"

namespace shmem_bind::contract {
namespace {

TEST(Golden, OfACollectiveFitsTheShapes) {
  const auto codes = [](const char* golden, const char* input, const char* output) {
    return read(with_golden(golden, input, output)).codes();
  };
  constexpr const char* kPart = "[rows, cols]";
  for (const char* whole : {"[n_pes, rows, cols]", "[n_pes * rows, cols]"}) {
    EXPECT_EQ(codes("all_gather", kPart, whole), "") << whole;
    for (const char* golden : {"reduce_scatter", "reduce_scatter_max", "reduce_scatter_min"}) {
      EXPECT_EQ(codes(golden, kPart, whole), "G003") << golden << whole;
    }
    EXPECT_EQ(codes("all_reduce", kPart, whole), "G003") << whole;
    EXPECT_EQ(codes("all_to_all", kPart, whole), "G003") << whole;
  }
  EXPECT_EQ(codes("all_gather", "[n_pes, rows, cols]", kPart), "G003");
  EXPECT_EQ(codes("reduce_scatter", "[n_pes, rows, cols]", kPart), "");
  EXPECT_EQ(codes("reduce_scatter_sum", kPart, "[rows / n_pes, cols]"), "");
  EXPECT_EQ(codes("reduce_scatter", kPart, kPart), "G003");
  for (const char* golden : {"all_reduce", "all_reduce_sum", "all_reduce_max", "all_reduce_min"}) {
    EXPECT_EQ(codes(golden, kPart, kPart), "") << golden;
  }
  EXPECT_EQ(codes("all_reduce", kPart, "[rows + 1, cols]"), "G003");
  EXPECT_EQ(codes("all_gather", "[rows]", "[rows, n_pes]"), "G003") << "the other way round";
}

TEST(Golden, OfACollectiveLeavesOutSizesThatNobodyDeclared) {
  const std::string design = with_golden("all_to_all", "[rows, cols]", "[rows, cols]");
  const Read found = read(design);
  ASSERT_TRUE(found.contract.has_value()) << found.text();
  const Contract& contract = *found.contract;
  ASSERT_EQ(contract.cases.size(), 1u) << "7 and 129 rows are no parts for 2 PEs";
  EXPECT_EQ(contract.cases[0].name, "size64");
  const Read declared = read(changed(design,
                                     "oracle: all_to_all\n",
                                     "oracle: all_to_all\n  case_matrix:\n"
                                     "    - {case: even, shape: \"[64, 3]\"}\n"
                                     "    - {case: odd, shape: \"[7, 3]\"}\n"
                                     "    - {case: other, shape: \"[9, 3]\"}\n"));
  EXPECT_EQ(declared.codes(), "G003") << "once";
  EXPECT_NE(declared.text().find("its rows divide by n_pes; here output is [7, 3] and input is "
                                 "[7, 3] (case odd, 2 PEs"),
            std::string::npos)
      << declared.text();
}

TEST(Golden, OfAReductionAsksForArithmetic) {
  const std::string design = with_golden("all_reduce_max", "[rows, cols]", "[rows, cols]");
  EXPECT_EQ(read(design).codes(), "");
  for (const char* dtype : {"bool", "fp8_e4m3fn", "fp8_e5m2"}) {
    const Read found =
        read(changed(design, "[int32, fp16]", std::string("[int32, ") + dtype + "]"));
    EXPECT_EQ(found.codes(), "G003") << dtype;
    EXPECT_NE(found.text().find(std::string("no arithmetic on ") + dtype), std::string::npos);
  }
  EXPECT_EQ(read(changed(kGoodDesign, "[int32, fp16]", "[int32, bool]")).codes(), "") << "moved";
}

TEST(Golden, OfAPermutationHasATable) {
  const std::string header = changed(kGoodHeader, "uint8_t* gva", "int64_t* sources, uint8_t* gva");
  const std::string plain = with_golden("permute", "[rows, cols]", "[rows, cols]");
  EXPECT_EQ(read(plain).codes(), "G003");
  const auto with_table = [&](const std::string& table, const std::string& shared) {
    return read(changed(changed(plain, "  outputs:\n", table + "  outputs:\n"),
                        "  block_dim",
                        shared + "  block_dim"),
                header)
        .codes();
  };
  const std::string table = "    - {name: sources, dtype: int64, shape: \"[n_pes]\"}\n";
  EXPECT_EQ(with_table(table, "  shared: [sources]\n"), "");
  EXPECT_EQ(with_table(table, ""), "G003") << "each PE might have another";
  EXPECT_EQ(with_table(changed(table, "[n_pes]", "[n_pes, n_pes]"), "  shared: [sources]\n"),
            "G003");
}

}  // namespace
}  // namespace shmem_bind::contract
