#include <fmt/format.h>

#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "sim/acl/check.h"
#include "sim/core/finding.h"

// The old operator path. Descriptors can be made, because torch_npu makes them before it calls; the
// call itself fails and names the operator: it is reached when an aclnn operator is missing.

struct aclTensorDesc {
  aclDataType type;
  aclFormat format;
  std::vector<int64_t> dims;
};
struct aclDataBuffer {
  void* data;
  size_t bytes;
};
struct aclopAttr {};

namespace {

using shmem_sim::acl::require_place;

aclError require_shape(int count, const int64_t* dims, const char* call) {
  return count == 0 || (count > 0 && dims != nullptr)
             ? ACL_SUCCESS
             : shmem_sim::acl::fail(
                   ACL_ERROR_INVALID_PARAM,
                   call,
                   fmt::format("{} dimensions at {}", count, static_cast<const void*>(dims)));
}

aclError refuse(const char* name, const char* call) {
  shmem_sim::acl::trace(call);
  const char* op = name != nullptr ? name : "without a name";
  const std::string text = fmt::format(
      "operator {} is asked for through aclop, which is not modelled: its aclnn form is "
      "missing in the simulated CANN (docs/simulator.md lists the operators)",
      op);
  shmem_sim::report({"missing-operator", text});
  // torch_npu would raise once and compute garbage afterwards: the device fails, and stays failed.
  const int device = shmem_sim::current_device() < 0 ? 0 : shmem_sim::current_device();
  shmem_sim::enqueue(shmem_sim::default_stream(device), call, [text] {
    return shmem_sim::failed(ACL_ERROR_OP_NOT_FOUND, text);
  });
  return shmem_sim::acl::fail(ACL_ERROR_OP_NOT_FOUND, call, text);
}

}  // namespace

extern "C" {

aclTensorDesc* aclCreateTensorDesc(aclDataType type,
                                   int count,
                                   const int64_t* dims,
                                   aclFormat format) {
  if (require_shape(count, dims, __func__) != ACL_SUCCESS) {
    return nullptr;
  }
  return new aclTensorDesc{type, format, std::vector<int64_t>(dims, dims + count)};
}
void aclDestroyTensorDesc(const aclTensorDesc* desc) {
  delete desc;
}
aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
  return desc->type;
}
aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
  return desc->format;
}
size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) {
  return desc->dims.size();
}
aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* size) {
  SHMEM_SIM_ACL_CHECK(require_place(desc, __func__));
  SHMEM_SIM_ACL_CHECK(require_place(size, __func__));
  if (index >= desc->dims.size()) {
    return shmem_sim::acl::fail(ACL_ERROR_INVALID_PARAM,
                                __func__,
                                fmt::format("dimension {} of {}", index, desc->dims.size()));
  }
  *size = desc->dims[index];
  return ACL_SUCCESS;
}
void aclSetTensorDescName(aclTensorDesc*, const char*) {}
aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format) {
  SHMEM_SIM_ACL_CHECK(require_place(desc, __func__));
  desc->format = format;
  return ACL_SUCCESS;
}
aclError aclSetTensorShape(aclTensorDesc* desc, int count, const int64_t* dims) {
  SHMEM_SIM_ACL_CHECK(require_place(desc, __func__));
  SHMEM_SIM_ACL_CHECK(require_shape(count, dims, __func__));
  desc->dims.assign(dims, dims + count);
  return ACL_SUCCESS;
}
aclError aclSetTensorPlaceMent(aclTensorDesc*, aclMemType) {
  return ACL_SUCCESS;
}
aclDataBuffer* aclCreateDataBuffer(void* data, size_t bytes) {
  return new aclDataBuffer{data, bytes};
}
aclError aclDestroyDataBuffer(const aclDataBuffer* buffer) {
  delete buffer;
  return ACL_SUCCESS;
}
aclopAttr* aclopCreateAttr() {
  return new aclopAttr;
}
void aclopDestroyAttr(const aclopAttr* attr) {
  delete attr;
}
aclError aclopSetAttrBool(aclopAttr*, const char*, uint8_t) {
  return ACL_SUCCESS;
}
aclError aclopSetAttrInt(aclopAttr*, const char*, int64_t) {
  return ACL_SUCCESS;
}
aclError aclopSetAttrFloat(aclopAttr*, const char*, float) {
  return ACL_SUCCESS;
}
aclError aclopSetAttrString(aclopAttr*, const char*, const char*) {
  return ACL_SUCCESS;
}
aclError aclopSetAttrDataType(aclopAttr*, const char*, aclDataType) {
  return ACL_SUCCESS;
}
aclError aclopSetAttrListBool(aclopAttr*, const char*, int, const uint8_t*) {
  return ACL_SUCCESS;
}
aclError aclopSetAttrListInt(aclopAttr*, const char*, int, const int64_t*) {
  return ACL_SUCCESS;
}
aclError aclopSetAttrListFloat(aclopAttr*, const char*, int, const float*) {
  return ACL_SUCCESS;
}
aclError aclopSetAttrListString(aclopAttr*, const char*, int, const char**) {
  return ACL_SUCCESS;
}
aclError aclopSetAttrListListInt(aclopAttr*, const char*, int, const int*, const int64_t* const[]) {
  return ACL_SUCCESS;
}

aclError aclopCompileAndExecute(const char* op,
                                int,
                                const aclTensorDesc* const[],
                                const aclDataBuffer* const[],
                                int,
                                const aclTensorDesc* const[],
                                aclDataBuffer* const[],
                                const aclopAttr*,
                                aclopEngineType,
                                aclopCompileType,
                                const char*,
                                aclrtStream) {
  return refuse(op, __func__);
}

aclError aclopCompileAndExecuteV2(const char* op,
                                  int,
                                  aclTensorDesc*[],
                                  aclDataBuffer*[],
                                  int,
                                  aclTensorDesc*[],
                                  aclDataBuffer*[],
                                  aclopAttr*,
                                  aclopEngineType,
                                  aclopCompileType,
                                  const char*,
                                  aclrtStream) {
  return refuse(op, __func__);
}

}  // extern "C"
