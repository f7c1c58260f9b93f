# The other libraries that torch_npu and vendor-style projects link by name. Most are empty: the symbols they would
# carry live in libascendcl, which each of them needs, so that a lookup through their handle finds them.
function(add_vendor_library name)
  add_library(vendor_${name} SHARED ${ARGN})
  set_target_properties(vendor_${name} PROPERTIES OUTPUT_NAME ${name})
  target_link_libraries(vendor_${name} PRIVATE sim_acl project_flags)
  target_link_options(vendor_${name} PRIVATE -Wl,--no-as-needed)
  target_compile_options(vendor_${name} PRIVATE -fvisibility=default)
  set_property(GLOBAL APPEND PROPERTY SHMEM_SIM_VENDOR_LIBRARIES vendor_${name})
endfunction()

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/empty.cpp CONTENT "// A library without symbols of its own.\n")  # kept when equal
set(empty ${PROJECT_BINARY_DIR}/generated/empty.cpp)
add_vendor_library(hccl sim/acl/hccl.cpp)
foreach(name acl_op_compiler ge_runner graph acl_tdt_channel runtime tiling_api platform register nnopbase)
  add_vendor_library(${name} ${empty})
endforeach()
target_include_directories(vendor_hccl PRIVATE ${PROJECT_SOURCE_DIR})
if(TARGET sim_acl_test)
  target_link_libraries(sim_acl_test PRIVATE vendor_hccl)  # its table is tested with that of libascendcl
endif()
