# Where the torch and torch_npu wheels lie. The ACL headers of torch_npu are needed in every preset
# (sim/acl is compiled against them); torch itself only where SHMEM_BIND_TORCH says so.
set(SHMEM_BIND_PYTHON ${PROJECT_SOURCE_DIR}/.venv/bin/python CACHE FILEPATH
    "The interpreter that has torch and torch_npu (scripts/setup.sh makes it)")

execute_process(
  COMMAND ${SHMEM_BIND_PYTHON} -c "import sysconfig; print(sysconfig.get_paths()['purelib'], end='')"
  OUTPUT_VARIABLE SHMEM_BIND_SITE_PACKAGES ERROR_QUIET)
set(torch_npu_dir ${SHMEM_BIND_SITE_PACKAGES}/torch_npu)
if(NOT EXISTS ${torch_npu_dir}/include/third_party/acl/inc/acl/acl.h)
  message(FATAL_ERROR "torch_npu's ACL headers not found under '${torch_npu_dir}'.\n"
                      "Run scripts/setup.sh, or set SHMEM_BIND_PYTHON to an interpreter that has them.")
endif()

# The vendor's ACL headers, as the wheel carries them: on the include path, never copied into the tree.
add_library(acl_headers INTERFACE)
target_include_directories(acl_headers SYSTEM INTERFACE ${torch_npu_dir}/include/third_party/acl/inc)

set(torch_found OFF)
if(NOT SHMEM_BIND_TORCH STREQUAL "OFF" AND EXISTS ${SHMEM_BIND_SITE_PACKAGES}/torch/lib/libtorch_cpu.so)
  set(torch_found ON)
endif()
if(SHMEM_BIND_TORCH STREQUAL "ON" AND NOT torch_found)
  message(FATAL_ERROR "SHMEM_BIND_TORCH is ON but torch is not in '${SHMEM_BIND_SITE_PACKAGES}': run scripts/setup.sh")
endif()
# Torch's CPU libraries for our own code (sim/opapi): no find_package(Torch), whose targets add flags.
if(torch_found)
  add_library(torch_cpu INTERFACE)
  target_include_directories(torch_cpu SYSTEM INTERFACE
    ${SHMEM_BIND_SITE_PACKAGES}/torch/include
    ${SHMEM_BIND_SITE_PACKAGES}/torch/include/torch/csrc/api/include)
  target_link_libraries(torch_cpu INTERFACE
    ${SHMEM_BIND_SITE_PACKAGES}/torch/lib/libtorch_cpu.so ${SHMEM_BIND_SITE_PACKAGES}/torch/lib/libc10.so)
endif()
