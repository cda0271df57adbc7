# SPDX-License-Identifier: MIT
# tests of cli: each command's are in a folder named like its own
long_scripts += %D%/run/run.sh
check_scripts += %D%/apis/apis.sh
check_scripts += %D%/run/signals.sh %D%/run/preloaded_shims.sh
check_scripts += %D%/summary/summary.sh %D%/summary/summary_device.sh
check_scripts += %D%/export/export.sh %D%/export/systrace.sh
check_scripts += %D%/recover/recover.sh
check_scripts += %D%/profile/profile.sh
stress_scripts += %D%/phases/phases.sh %D%/phases/phases_fuzz.sh
test_files += %D%/summary/summary_device.py %D%/export/systrace.py %D%/profile/profile.py
test_files += %D%/phases/fuzz_phases.c %D%/phases/phases_calls.py %D%/phases/phases_inputs.py %D%/phases/phases_memory.py \
	%D%/phases/phases_model.py %D%/phases/phases_progress.py %D%/phases/nnapi
