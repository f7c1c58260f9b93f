# What crosses modules. Unit tests lie beside their source; module.cmake adds those.
add_test(NAME layout.layers
         COMMAND ${Python3_EXECUTABLE} tests/layout/check_layers.py
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
if(NOT BUILD_TESTING)
  return()
endif()

add_library(test_support STATIC tests/support/pe_group.cpp)
target_link_libraries(test_support PUBLIC sim_core PRIVATE project_flags)

# Programs of several PEs: they fork, so each test is a process of its own.
foreach(name job shmem device)
  if(EXISTS ${PROJECT_SOURCE_DIR}/tests/pes/${name}_test.cpp)
    add_executable(pes_${name}_test tests/pes/${name}_test.cpp)
    target_link_libraries(pes_${name}_test PRIVATE test_support sim_shmem sim_acl fmt::fmt project_flags GTest::gtest_main)
    gtest_discover_tests(pes_${name}_test TEST_PREFIX "pes." DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "sim")
  endif()
endforeach()

# The part the thread sanitizer is run on.
add_custom_target(sim_tests)
foreach(target sim_core_test sim_ascendc_test sim_shmem_test sim_kernelc_test sim_acl_test pes_job_test pes_shmem_test pes_device_test)
  if(TARGET ${target})
    add_dependencies(sim_tests ${target})
  endif()
endforeach()

# The real torch_npu on the toolkit of this build.
if(TARGET sim_opapi AND NOT SHMEM_BIND_SANITIZE)
  set(cann ${PROJECT_BINARY_DIR}/cann)
  set(torch_environment ASCEND_HOME_PATH=${cann} ASCEND_OPP_PATH=${cann}/opp LD_LIBRARY_PATH=${cann}/lib64
      TORCH_NPU_DISABLED_WARNING=1 SHMEM_BIND_BUILD=${PROJECT_BINARY_DIR})
  function(add_torch_test name script)
    add_test(NAME torch.${name} COMMAND ${SHMEM_BIND_PYTHON} ${PROJECT_SOURCE_DIR}/${script} -v)
    set_tests_properties(torch.${name} PROPERTIES LABELS torch TIMEOUT 120 ENVIRONMENT "${torch_environment};${ARGN}")
  endfunction()

  foreach(queue 0 1 2)
    add_torch_test(operators_queue_${queue} tests/torch/test_operators.py TASK_QUEUE_ENABLE=${queue})
  endforeach()
  foreach(queue 1 2)
    add_torch_test(operators_950_queue_${queue} tests/torch/test_operators.py TASK_QUEUE_ENABLE=${queue}
                   SHMEM_SIM_SOC=Ascend950PR_9599)
  endforeach()
  add_torch_test(operator_coverage tests/torch/test_operator_coverage.py)  # asks both profiles itself
  foreach(name device failures)
    if(EXISTS ${PROJECT_SOURCE_DIR}/tests/torch/test_${name}.py)
      add_torch_test(${name} tests/torch/test_${name}.py)
      add_torch_test(${name}_950 tests/torch/test_${name}.py SHMEM_SIM_SOC=Ascend950PR_9599)
    endif()
  endforeach()
  add_test(NAME e2e.broken_trees_are_current
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/e2e/make_broken.py --check)
  function(add_e2e_test name script)
    add_test(NAME e2e.${name} COMMAND ${SHMEM_BIND_PYTHON} ${PROJECT_SOURCE_DIR}/tests/e2e/${script} -v ${ARGN})
    set_tests_properties(e2e.${name} PROPERTIES LABELS e2e TIMEOUT 600 ENVIRONMENT SHMEM_BIND_BUILD=${PROJECT_BINARY_DIR})
  endfunction()
  add_e2e_test(Overtake test_overtake.py)
  add_e2e_test(ByHand test_by_hand.py)
  add_e2e_test(ExitCodes test_exit_codes.py)
  add_e2e_test(Prove test_prove.py)
  add_e2e_test(Faults test_faults.py Classified Ending Faults)
  add_e2e_test(FaultsUnderTorchrun test_faults.py Torchrun)
  add_test(NAME e2e.Soak COMMAND ${SHMEM_BIND_PYTHON} ${PROJECT_SOURCE_DIR}/tests/e2e/soak.py 6)
  set_tests_properties(e2e.Soak PROPERTIES LABELS e2e TIMEOUT 600 ENVIRONMENT SHMEM_BIND_BUILD=${PROJECT_BINARY_DIR})
  add_e2e_test(Examples test_examples.py)
  add_e2e_test(Goldens test_goldens.py)
  add_e2e_test(Full test_full.py)
  add_e2e_test(Reduction test_reduction.py)
  add_e2e_test(InTree test_in_tree.py)
  add_e2e_test(KnownBugs test_known_bugs.py)
  add_e2e_test(KnownBugsBuild test_known_bugs_build.py)
  add_e2e_test(AllGather test_all_gather.py AllGather)
  add_e2e_test(Broken test_all_gather.py Broken.test_a_signal_before_its_data Broken.test_a_stale_epoch_accepted
               Broken.test_the_storage_base_used Broken.test_the_default_stream_used)
  add_e2e_test(BrokenBindings test_all_gather.py Broken.test_the_epoch_not_passed Broken.test_the_stream_of_construction_used
               Broken.test_bl_30_the_state_shared_by_objects Broken.test_bl_04_permuted_memory_taken_as_it_lies
               Broken.test_bl_05_the_copy_dropped)
  # Those that use one operator of one built tree, one after the other; so with the tree of the broken ones.
  foreach(name Full KnownBugs KnownBugsBuild AllGather Faults FaultsUnderTorchrun Soak ExitCodes)
    set_tests_properties(e2e.${name} PROPERTIES RESOURCE_LOCK example_tree)
  endforeach()
  foreach(name ByHand Prove Full FaultsUnderTorchrun ExitCodes Reduction KnownBugs KnownBugsBuild InTree Soak BrokenBindings)
    set_tests_properties(e2e.${name} PROPERTIES LABELS "e2e;long")  # minutes: scripts/test.sh long
  endforeach()
  set_tests_properties(e2e.ExitCodes PROPERTIES RESOURCE_LOCK "example_tree;broken_tree")
  set_tests_properties(e2e.Broken e2e.BrokenBindings PROPERTIES RESOURCE_LOCK broken_tree)
  set_tests_properties(e2e.Overtake PROPERTIES RUN_SERIAL ON)  # it holds a queue and measures who is first
endif()
