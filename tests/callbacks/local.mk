# SPDX-License-Identifier: MIT
# tests of callbacks: the tool libraries that come with tracelayer
check_scripts += %D%/summary_live.sh %D%/tools.sh %D%/tools_threads.sh
test_files += %D%/tools_threads.c
