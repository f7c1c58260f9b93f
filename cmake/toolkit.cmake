# out/<preset>/cann and out/<preset>/shmem: the simulated CANN laid out as a toolkit, SHMEM laid out as its repository with
# an install folder. Copied, not linked, so that the folder may be moved; only what changed is copied.
set(cann ${PROJECT_BINARY_DIR}/cann)
set(shmem ${PROJECT_BINARY_DIR}/shmem)
get_property(vendor_libraries GLOBAL PROPERTY SHMEM_SIM_VENDOR_LIBRARIES)
set(toolkit_libraries sim_core sim_ascendc sim_acl sim_shmem ${vendor_libraries})
if(TARGET sim_opapi)
  list(APPEND toolkit_libraries sim_opapi)
endif()

set(stamps "")
foreach(target ${toolkit_libraries})
  set(stamp ${PROJECT_BINARY_DIR}/toolkit/${target}.stamp)
  set(more "")
  if(target STREQUAL sim_shmem)
    set(more COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:${target}> ${shmem}/install/shmem/lib/)
  endif()
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${cann}/lib64 ${shmem}/install/shmem/lib ${PROJECT_BINARY_DIR}/toolkit
    COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:${target}> ${cann}/lib64/
    ${more}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${target} VERBATIM)
  list(APPEND stamps ${stamp})
endforeach()

set(stamp ${PROJECT_BINARY_DIR}/toolkit/bisheng.stamp)
add_custom_command(OUTPUT ${stamp}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${cann}/compiler/bin ${cann}/bin
  COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:bisheng> ${cann}/compiler/bin/
  COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:bisheng> ${cann}/bin/
  COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
  DEPENDS bisheng VERBATIM)
list(APPEND stamps ${stamp})

file(GLOB_RECURSE toolkit_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sim/include/*.h)
file(GLOB toolkit_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sim/toolkit/*)
set(stamp ${PROJECT_BINARY_DIR}/toolkit/files.stamp)
add_custom_command(OUTPUT ${stamp}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DCANN=${cann} -DSHMEM=${shmem}
          -DACL=${torch_npu_dir}/include/third_party/acl/inc -DVERSION=${PROJECT_VERSION}
          -P ${PROJECT_SOURCE_DIR}/cmake/assemble_toolkit.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
  DEPENDS ${toolkit_headers} ${toolkit_files} ${PROJECT_SOURCE_DIR}/cmake/assemble_toolkit.cmake
          ${PROJECT_SOURCE_DIR}/sim/core/config.def ${PROJECT_SOURCE_DIR}/sim/kernelc/main.cpp VERBATIM)
list(APPEND stamps ${stamp})

add_custom_target(toolkit ALL DEPENDS ${stamps})
