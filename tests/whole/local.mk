# SPDX-License-Identifier: MIT
# tests of everything at once: whole programs, viewers, the examples
long_scripts += %D%/viewers.sh %D%/report.sh %D%/examples.sh %D%/job.sh
check_scripts += %D%/driver_calls.sh %D%/sanitized.sh %D%/ze_programs.sh
test_files += %D%/viewers/browser.py %D%/viewers/report.py %D%/viewers/speedscope.py %D%/viewers/tight.py %D%/viewers/touching.py \
	%D%/viewers/tracing.py %D%/viewers/perfetto.py %D%/viewers/trace_processor.mjs %D%/viewers/view.py %D%/viewers/viewer.sh
stress_scripts += %D%/cl_programs.sh %D%/ze_names.sh
deep_stress_scripts += %D%/cl_many_threads.sh %D%/cl_real_programs.sh
test_files += %D%/cl_counter.sh %D%/cl_pyopencl.py %D%/ze_names.py

# Reads a trace as strictly as jansson can.
check_PROGRAMS += strict_json
strict_json_SOURCES = %D%/strict_json.c
strict_json_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
strict_json_LDADD = $(JANSSON_LIBS) $(ZLIB_LIBS)

check_PROGRAMS += ze_names
ze_names_SOURCES = %D%/ze_names.c $(ZE_APP_SOURCES)
ze_names_LDADD = $(ZE_APP_LIBS)

# A layer of OpenCL's own loader, which counts every call.
check_LTLIBRARIES += %D%/cl_counter.la
%C%_cl_counter_la_SOURCES = %D%/cl_counter.c
%C%_cl_counter_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
# The slots of the loader's table, in its order, as the preprocessor sees them.
%D%/cl_slots.h: %D%/local.mk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && echo '#include <CL/cl_icd.h>' | $(CC) -E -DCL_TARGET_OPENCL_VERSION=300 $(CPPFLAGS) -P - | \
		awk '/^} *cl_icd_dispatch/ { inside = 0 } /^typedef struct _cl_icd_dispatch/ { inside = 1; next } \
			inside && $$1 !~ /^(intptr_t|})/ && sub(/;$$/, "") { sub(/^\*/, "", $$NF); print "SLOT(" $$NF ", " n++ + 0 ")" }' >$@.new && mv $@.new $@
%D%/cl_counter.lo: %D%/cl_slots.h
CLEANFILES += %D%/cl_slots.h

# viewers.sh fetches speedscope once for a build folder.
.PHONY: distclean-viewers
distclean-local: distclean-viewers
distclean-viewers:
	rm -rf %D%/viewers/node_modules

# Stacks: large programs that nobody here wrote.
long_stack_scripts += %D%/stack_bench.sh %D%/stack_job_hosts.sh %D%/stack_job_slurm.sh %D%/stack_aarch64.sh %D%/stack_libraries.sh
long_stack_scripts += %D%/stack_portable.sh %D%/stack_gen_sanitized.sh
stack_scripts += %D%/stack_mpi.sh %D%/stack_mpi_handles.sh %D%/stack_everyday.sh %D%/stack_java.sh %D%/stack_postgres.sh
stack_scripts += %D%/stack_chromium.sh %D%/stack_viewers_tracing.sh %D%/stack_viewers_perfetto.sh %D%/stack_clblast.sh %D%/stack_pyopencl.sh
stack_scripts += %D%/stack_luajit.sh %D%/stack_hashcat.sh %D%/stack_john.sh %D%/stack_opencl.sh %D%/stack_fake.sh %D%/stack_tsan.sh
stack_scripts += %D%/stack_any_library.sh %D%/stack_oclgrind.sh %D%/stack_opencv.sh
stack_scripts += %D%/stack_mpi_fortran.sh %D%/stack_job_arrows.sh %D%/stack_job_clocks.sh %D%/stack_job_many.sh %D%/stack_job_mpich.sh %D%/stack_job_questions.sh
stack_scripts += %D%/stack_intel_opencl.sh %D%/stack_tinygrad.sh %D%/stack_darktable.sh %D%/stack_clfft.sh %D%/stack_silx.sh %D%/stack_mpi_opencl.sh %D%/stack_own_loaders.sh
test_files += %D%/job_arrows.py %D%/tinygrad_program.py %D%/mpi_opencl.py %D%/opencv_program.py %D%/lightgbm_program.py %D%/clesperanto_program.py %D%/gdb_counts.py
stack_scripts += %D%/stack_apis.sh
stack_scripts += %D%/stack_apis_mpi.sh
stack_scripts += %D%/stack_apis_vulkan.sh %D%/stack_vulkan_lanes.sh
test_files += %D%/vk_counter.c %D%/vk_lanes.c %D%/vk_passing.c %D%/vk_wgpu.py
stack_scripts += %D%/stack_apis_hip.sh
stack_scripts += %D%/stack_cuda.sh %D%/stack_cuda_lanes.sh %D%/stack_cuda_cupti.sh %D%/stack_cuda_tsan.sh
test_files += %D%/cuda_bindings.py %D%/cuda_numba.py %D%/cuda_warp.py %D%/cuda_tinygrad.py %D%/cuda_lanes.py
