# SPDX-License-Identifier: MIT
# tests of annotations: programs that are annotated with NVTX, ITT and ROCTX
check_scripts += %D%/annotations.sh
stack_scripts += %D%/stack_nvtx.sh %D%/stack_itt.sh
test_files += %D%/nvtx_program.c %D%/nvtx_each.py %D%/nvtx_python.py
test_files += %D%/roctx_library.c %D%/roctx_program.c
test_files += %D%/itt_client.h %D%/itt_program.c %D%/itt_each.py %D%/itt_python.py %D%/itt_pairs.c %D%/itt_pairs.py
