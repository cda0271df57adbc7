# SPDX-License-Identifier: MIT
# tests of layer/doors
check_scripts += %D%/loader_layers.sh %D%/zel_layer.sh %D%/zel_loaders.sh %D%/zel_preload.sh
test_files += %D%/zel_doors.sh
