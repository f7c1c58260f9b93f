#include <cstdint>

#include "sim/acl/error.h"

// What torch_npu's libraries need at load time, or look up by name, and what the simulator does not
// model. Each names itself and fails. No vendor header here: only the names matter, the arguments
// are not looked at.

#define UNMODELLED(name)                        \
  int32_t name() {                              \
    return ::shmem_sim::acl::unmodelled(#name); \
  }
#define UNMODELLED_POINTER(name)         \
  void* name() {                         \
    ::shmem_sim::acl::unmodelled(#name); \
    return nullptr;                      \
  }
// Profiling data has nowhere to go; being asked to record some is not an error of the program.
#define DROPPED(name) \
  uint64_t name() {   \
    return 0;         \
  }

extern "C" {

UNMODELLED(aclmdlInitDump)
UNMODELLED(aclmdlSetDump)
UNMODELLED(aclmdlFinalizeDump)
UNMODELLED(aclrtBinaryGetFunction)
UNMODELLED(aclrtBinaryLoadFromData)
UNMODELLED(aclrtFreePhysical)
UNMODELLED(aclrtGetFunctionAddr)
UNMODELLED(aclrtMallocPhysical)
UNMODELLED(aclrtMapMem)
UNMODELLED(aclrtMemExportToShareableHandle)
UNMODELLED(aclrtMemImportFromShareableHandle)
UNMODELLED(aclrtMemMapSelectedLink)
UNMODELLED(aclrtMemSetPidToShareableHandle)
UNMODELLED(aclrtReleaseMemAddress)
UNMODELLED(aclrtReserveMemAddress)
UNMODELLED(aclrtUnmapMem)
UNMODELLED(rtDevBinaryRegister)
UNMODELLED(rtFunctionRegister)
UNMODELLED(rtGetC2cCtrlAddr)
UNMODELLED(rtKernelLaunch)
UNMODELLED(aclrtIpcGetEventHandle)
UNMODELLED(aclrtIpcOpenEventHandle)
UNMODELLED(aclrtIpcMemGetExportKey)
UNMODELLED(aclrtIpcMemSetImportPid)
UNMODELLED(aclrtIpcMemImportByKey)
UNMODELLED(aclrtIpcMemClose)
UNMODELLED(aclrtSetStreamOverflowSwitch)
UNMODELLED(aclrtGetStreamOverflowSwitch)
UNMODELLED(aclrtGetDeviceUtilizationRate)
UNMODELLED(aclrtCmoAsync)
UNMODELLED(aclrtMemcpyBatch)
UNMODELLED(aclrtMemcpyBatchAsync)
UNMODELLED(aclrtSetDeviceResLimit)
UNMODELLED(aclrtResetDeviceResLimit)
UNMODELLED(aclrtSetStreamResLimit)
UNMODELLED(aclrtResetStreamResLimit)
UNMODELLED(aclrtUseStreamResInCurrentThread)
UNMODELLED(aclrtUnuseStreamResInCurrentThread)
UNMODELLED(aclrtSetStreamAttribute)
UNMODELLED(aclrtValueWait)
UNMODELLED(aclrtValueWrite)
UNMODELLED(aclrtRepairError)
UNMODELLED(aclrtWaitAndResetNotify)
UNMODELLED(aclmdlRICaptureBegin)
UNMODELLED(aclmdlRICaptureEnd)
UNMODELLED(aclmdlRIExecuteAsync)
UNMODELLED(aclmdlRIDestroy)
UNMODELLED(aclmdlRIDebugPrint)
UNMODELLED(aclmdlRICaptureTaskGrpBegin)
UNMODELLED(aclmdlRICaptureTaskGrpEnd)
UNMODELLED(aclmdlRICaptureTaskUpdateBegin)
UNMODELLED(aclmdlRICaptureTaskUpdateEnd)
UNMODELLED(aclmdlRICaptureThreadExchangeMode)
UNMODELLED(aclGenGraphAndDumpForOp)
UNMODELLED(aclDestroyGraphDumpOpt)
UNMODELLED_POINTER(aclCreateGraphDumpOpt)

DROPPED(MsprofGetHashId)
DROPPED(MsprofRegisterCallback)
DROPPED(MsprofReportAdditionalInfo)
DROPPED(MsprofReportApi)
DROPPED(MsprofReportCompactInfo)
DROPPED(MsprofSysCycleTime)

}  // extern "C"
