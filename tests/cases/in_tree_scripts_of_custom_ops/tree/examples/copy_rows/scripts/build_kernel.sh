#!/bin/sh
. ../../scripts/shmem_runtime_env.sh
