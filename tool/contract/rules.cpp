#include "tool/contract/rules.h"

#include <array>

#include "tool/contract/errors.h"

namespace shmem_bind::contract {
namespace {

// tests/layout/check_rules.py compares this list with errors.h.
constexpr std::array kAllRules = {
    &kEncoding,
    &kNoBlock,
    &kTwoBlocks,
    &kBadYaml,
    &kDuplicateKey,
    &kUnknownKey,
    &kNoVersion,
    &kBadVersion,
    &kWrongForm,
    &kMissing,
    &kPlaceholder,
    &kDisagree,
    &kBadName,
    &kUnknownDtype,
    &kBadExpression,
    &kUnknownName,
    &kUnboundSymbol,
    &kBadPeCounts,
    &kDuplicateTensor,
    &kUnboundShape,
    &kKeywordName,
    &kBuildModePlace,
    &kNotYet,
    &kBadCase,
    &kNoDesign,
    &kLookAlike,
    &kOpenFence,
    &kReservedName,
    &kManyDtypes,
    &kNoHeader,
    &kHeaderError,
    &kNoEntry,
    &kSeveralEntries,
    &kUnplacedArgument,
    &kUnusedTensor,
    &kBadArgument,
    &kNoEpoch,
    &kTemplateDispatch,
    &kNoStateSize,
    &kUnusedState,
    &kNoStream,
    &kReturnType,
    &kTemplateParameters,
    &kDeviceFunction,
    &kParameterType,
    &kNarrowing,
    &kNoValue,
    &kBadValue,
    &kCaseRefused,
    &kNoGolden,
    &kUnknownGolden,
    &kGoldenMisfit,
    &kLooseTolerance,
};

}  // namespace

std::span<const Rule* const> all_rules() {
  return kAllRules;
}

}  // namespace shmem_bind::contract
