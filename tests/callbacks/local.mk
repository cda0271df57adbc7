# SPDX-License-Identifier: MIT
# tests of callbacks: the tool libraries that come with tracelayer
stress_scripts += %D%/tools_threads.sh
check_scripts += %D%/summary_live.sh %D%/tools.sh
test_files += %D%/tools_threads.c
