# SPDX-License-Identifier: MIT
# tests of the tree and of what is built and installed as a whole
deep_scripts += %D%/models.sh
check_scripts += %D%/docs.sh %D%/install.sh %D%/library.sh %D%/listed.sh %D%/litmus.sh %D%/rooms.sh %D%/names.sh %D%/setup.sh %D%/symbols.sh %D%/version.sh %D%/find_package.sh %D%/man.sh %D%/musl.sh %D%/portable.sh %D%/bundled.sh %D%/same_tarball.sh
test_files += %D%/litmus.py %D%/rooms.py %D%/names.py
test_files += models/ahead.pml models/background.pml models/chunks.pml models/tracer.pml
test_files += models/background_first.litmus models/background_last.litmus models/background_middle.litmus models/clock_horizon.litmus \
	models/clock_points.litmus models/chunk_ended.litmus models/chunk_free.litmus models/chunk_give_back.litmus models/chunk_live.litmus models/chunk_reuse.litmus \
	models/chunk_seal.litmus models/chunk_take.litmus models/chunk_wake.litmus models/pin_first.litmus models/pin_last.litmus models/pin_late.litmus models/pin_middle.litmus models/record.litmus \
	models/unpin.litmus
test_files += %D%/stability/libtracelayer.so.0 %D%/stability/libxptifw.so %D%/stability/0.9.0.tlt.gz
