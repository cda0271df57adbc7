# SPDX-License-Identifier: MIT
# tests/lib: what tests share. Headers that C tests include are in those tests' _SOURCES.
test_files += %D%/within %D%/lib.sh %D%/sanitizers.sh %D%/fuzz.sh %D%/whole.sh %D%/stack.sh
test_files += %D%/check_names.py %D%/check_trace.py %D%/device_lanes.py
test_files += %D%/fuzz_records.h %D%/random.h
