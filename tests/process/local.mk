# SPDX-License-Identifier: MIT
# tests of layer/process: how processes start, fork, become another program and end; surroundings; tool libraries
check_scripts += %D%/setid.sh %D%/cramped.sh %D%/ends_follow.sh %D%/ends_tools.sh %D%/ends_ways.sh %D%/ends_within.sh %D%/exec_image.sh %D%/start_pages.sh \
	%D%/surroundings.sh %D%/tool_libraries.sh
stress_scripts += %D%/confine.sh %D%/ends_many.sh %D%/ends_signals.sh
test_files += %D%/ends_counts.py %D%/tool_probe.c
