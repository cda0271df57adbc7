# SPDX-License-Identifier: MIT
# The built-in APIs: those whose shims are in libtracelayer.so. This is the only list of them.
#
# To add one, put its descriptor into gen/apis/ and its prefix ("prefix" in the descriptor) here, behind "apis/".
BUILTIN_APIS = apis/ze apis/cl apis/roctx

# Drivers and loaders of other APIs. Where a program made no traced call but has one of these, its user learns
# that tracegen makes shims for it.
OTHER_DRIVERS = libcuda.so libnvcuvid.so libamdhip64.so libhsa-runtime64.so libvulkan.so libmusa.so libascendcl.so \
	libcnrt.so libOpenVX.so

# Descriptor and headers become a model, and the model becomes code, in apis/ of the build folder.
apisdir = $(pkgdatadir)/apis
dist_apis_DATA = $(wildcard $(srcdir)/gen/apis/*.json $(srcdir)/gen/apis/*.h)
nodist_apis_DATA = $(BUILTIN_APIS:=_model.json)
nodist_pkginclude_HEADERS = $(BUILTIN_APIS:=_callbacks.h)

# Tables for tests.
check_LTLIBRARIES += libtl_tables.la
nodist_libtl_tables_la_SOURCES = $(BUILTIN_APIS:=_tables.c)
libtl_tables_la_SOURCES =
libtl_tables_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden

# Tables and shims for the layer, which fills in their pointers itself (layer/resolve/late_relocation.h).
noinst_LTLIBRARIES += libtl_late.la
apis_late = $(BUILTIN_APIS:=_tables.s) $(BUILTIN_APIS:=_shims.s) apis/ze_tracing.s
nodist_libtl_late_la_SOURCES = $(apis_late)
libtl_late_la_SOURCES =
libtl_late_la_CCASFLAGS =
# gcc takes a seventh of its time for shims to note where each variable is at each instruction; the machine code is the same without.
late_compile = $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) -std=gnu11 $(TL_WARNINGS) $(CFLAGS) -O2 -fexceptions \
	-fvisibility=hidden -fno-stack-protector -fno-var-tracking -fPIC -fno-lto -S -MMD -MP -MT $@ -MF $@.d
# by_copies VARIABLE: compiles $< into $@.all by the command in this variable. Without -g, four of five shims are copies of others: see gen/copies.awk.
copies = $(if $(filter -g% -flto% -fsanitize%,$(SANITIZE) $(CPPFLAGS) $(CFLAGS)),,-DTL_COPIES)
by_copies = { test -n '$(copies)' && $($(1)) $(copies) -o $@.tmp $< && LC_ALL=C $(AWK) -f $(srcdir)/gen/copies.awk $@.tmp >$@.all; } || \
	$($(1)) -o $@.all $<
# Makes $@ of $@.all.
by_late = LC_ALL=C $(AWK) -f $(srcdir)/gen/late_relocation.awk $@.all >$@.late && mv $@.late $@ && rm -f $@.all
$(apis_late): %.s: %.c gen/late_relocation.awk gen/copies.awk
	$(AM_V_CC){ $(call by_copies,late_compile); } && $(by_late) && rm -f $@.tmp
-include $(apis_late:=.d)
CLEANFILES += $(apis_late) $(apis_late:=.d)
EXTRA_DIST += gen/late_relocation.awk gen/copies.awk

# What loaders' layers and zelTracer's functions are made of, for APIs whose descriptors ask for these.
apis_for_doors = apis/ze_layer.c apis/ze_tracing.c apis/ze_tracing.exports apis/cl_layer.c

apis_exports = $(BUILTIN_APIS:=.exports)
apis_tables = $(BUILTIN_APIS:=_tables.c)
apis_shims = $(BUILTIN_APIS:=_shims.c)
apis_callbacks = $(BUILTIN_APIS:=_callbacks.h)
apis_emitted = $(apis_tables) $(apis_shims) $(apis_callbacks) $(apis_for_doors)
BUILT_SOURCES += $(apis_emitted) apis/builtin_apis.c
CLEANFILES += $(nodist_apis_DATA) $(apis_emitted) $(apis_exports) apis/builtin_apis.c

# And of MPI, see below.
mpi_emitted = apis/mpi_words_shims.c apis/mpi_words_tables.c apis/mpi_words_callbacks.h
# The tables once more, as MPICH's handles and statuses are, and as Open MPI's are.
mpi_tables = apis/mpi_mpich_tables.c apis/mpi_openmpi_tables.c
mpi_made = apis/mpi_words_model.json apis/mpi_words.exports $(mpi_emitted) $(mpi_tables)
# All that tracegen makes.
apis_made = $(nodist_apis_DATA) $(apis_exports) $(apis_emitted) $(mpi_made)

if HAVE_TRACEGEN
headers_of_apis = $(top_builddir)/apis/include

# The descriptor in gen/apis/ with this prefix.
descriptor_of = $(shell grep -lE '"prefix": *"$(1)"' $(srcdir)/gen/apis/*.json)
$(foreach api,$(BUILTIN_APIS),$(eval $(api)_model.json: $(call descriptor_of,$(notdir $(api)))))

# level-zero.json says level_zero/ze_api.h; --with-level-zero-headers may name a folder that is called otherwise.
apis/include/level_zero/ze_api.h:
	$(AM_V_GEN)$(MKDIR_P) apis/include && rm -f apis/include/level_zero && $(LN_S) '$(ZE_HEADERS)' apis/include/level_zero
apis/ze_model.json: apis/include/level_zero/ze_api.h

$(nodist_apis_DATA): apis/%_model.json: tracegen$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) apis && ./tracegen$(EXEEXT) model --api $(call descriptor_of,$*) -o $@ -- -Iapis/include -I$(top_srcdir)/include

# One run writes all files of an API. The exports come last and stand for all.
$(apis_exports): apis/%.exports: apis/%_model.json
	$(AM_V_GEN)./tracegen$(EXEEXT) emit --model $< -o apis
$(apis_tables): apis/%_tables.c: apis/%.exports
$(apis_shims): apis/%_shims.c: apis/%.exports
$(apis_callbacks): apis/%_callbacks.h: apis/%.exports
apis/ze_layer.c apis/ze_tracing.c apis/ze_tracing.exports: apis/ze.exports
apis/cl_layer.c: apis/cl.exports
$(mpi_emitted): apis/mpi_words.exports
$(apis_emitted) $(mpi_emitted):
	@test -f $@ || { rm -f $< && $(MAKE) $(AM_MAKEFLAGS) $<; }
	@touch $@

apis/mpi_words_model.json: gen/apis/mpi_words.json gen/apis/mpi_words.h gen/apis/mpi_constants.h tracegen$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) apis && ./tracegen$(EXEEXT) model --api $(srcdir)/gen/apis/mpi_words.json -o $@ -- -I$(srcdir)/gen/apis
apis/mpi_words.exports: apis/mpi_words_model.json
	$(AM_V_GEN)./tracegen$(EXEEXT) emit --model $< -o apis
$(mpi_tables): apis/mpi_%_tables.c: gen/apis/mpi_words.json gen/apis/mpi_words.h gen/apis/mpi_constants.h tracegen$(EXEEXT)
	$(AM_V_GEN)rm -rf apis/mpi_$*.made && $(MKDIR_P) apis/mpi_$*.made && \
		sed 's/"prefix": "mpi_words"/"prefix": "mpi_$*"/' $(srcdir)/gen/apis/mpi_words.json >apis/mpi_$*.made/descriptor.json && \
		./tracegen$(EXEEXT) emit --api apis/mpi_$*.made/descriptor.json -o apis/mpi_$*.made -- -I$(srcdir)/gen/apis \
			-DTL_MPI_`echo $* | tr a-z A-Z` && \
		mv apis/mpi_$*.made/mpi_$*_tables.c $@ && rm -rf apis/mpi_$*.made
else
# A release's tarball has it in gen/made, and in gen/made/include the headers that it was made from, by which the shims are compiled.
headers_of_apis = $(top_srcdir)/gen/made/include
$(apis_made): apis/%: $(srcdir)/gen/made/%
	$(AM_V_GEN)$(MKDIR_P) apis && cp -f $< $@
endif

# What `tracelayer run --mpi` preloads: shims for Open MPI and MPICH alike, of a header of their own.
mpi_library = .libs/libtracelayer-mpi.so
mpi_compile = $(CC) $(SANITIZE) -std=gnu11 $(CFLAGS) -O2 -fexceptions -fno-stack-protector -fno-var-tracking -fPIC -fno-lto -DTL_SHIM_LIBRARY \
	-I$(top_srcdir)/include -I$(srcdir)/gen/apis -Iapis -S
apis/mpi_words_shims.s: apis/mpi_words_shims.c gen/copies.awk
	$(AM_V_CC){ $(call by_copies,mpi_compile); } && mv $@.all $@ && rm -f $@.tmp
apis/mpi_words_tables.s: apis/mpi_words_tables.c
	$(AM_V_CC)$(mpi_compile) -o $@ $<
# Most processes need neither: the dynamic linker has nothing to do for them.
mpi_late = $(mpi_tables:.c=.s)
$(mpi_late): %.s: %.c gen/late_relocation.awk
	$(AM_V_CC)$(filter-out -fsanitize%,$(mpi_compile)) -o $@.all $< && $(by_late)
apis/mpi_tables_given.s: layer/doors/mpi_tables_given.c layer/resolve/mpi_tables.h
	$(AM_V_CC)$(MKDIR_P) apis && $(mpi_compile) -I$(srcdir) -o $@ $(srcdir)/layer/doors/mpi_tables_given.c
mpi_assembled = apis/mpi_words_shims.s apis/mpi_words_tables.s $(mpi_late) apis/mpi_tables_given.s
EXTRA_DIST += layer/doors/mpi_tables_given.c
CLEANFILES += $(mpi_assembled)
$(mpi_library): $(mpi_assembled) libtracelayer.la
	$(AM_V_CCLD)$(CC) -o $@ -shared -fPIC $(SANITIZE) $(CFLAGS) $(LDFLAGS) -static-libgcc -Wl,-soname,$(@F) \
		$(mpi_assembled) -L.libs -ltracelayer \
		-Wl,-rpath,'$$ORIGIN' -Wl,--enable-new-dtags -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,defs $(TL_PORTABLE_LIBS)
CLEANFILES += $(mpi_library) $(mpi_made)
all-local: $(mpi_library)
install-exec-local: install-mpi
uninstall-local: uninstall-mpi
.PHONY: install-mpi uninstall-mpi
install-mpi: $(mpi_library)
	$(MKDIR_P) "$(DESTDIR)$(libdir)"
	$(INSTALL_PROGRAM) $(mpi_library) "$(DESTDIR)$(libdir)/libtracelayer-mpi.so"
uninstall-mpi:
	rm -f "$(DESTDIR)$(libdir)/libtracelayer-mpi.so"

# make dist: gen/made for the tarball. Headers of OpenCL are where the compiler finds them.
dist-hook: $(apis_made)
	$(MKDIR_P) "$(distdir)/gen/made/include/CL" "$(distdir)/gen/made/include/level_zero"
	cp $(apis_made) "$(distdir)/gen/made/"
	cl=`echo '#include <CL/cl.h>' | $(CC) $(CPPFLAGS) -isystem $(headers_of_apis) -M -x c - | tr ' ' '\n' | sed -n 's,/cl\.h$$,,p' | head -n 1` && \
		cp "$$cl"/cl*.h "$$cl"/opencl.h "$(distdir)/gen/made/include/CL/"
	cp -RL $(headers_of_apis)/level_zero/. "$(distdir)/gen/made/include/level_zero/"
	chmod -R u+w "$(distdir)/gen/made"

# In the build folder, too, all descriptors and their headers lie where the models are, so that `tracelayer apis` finds them.
apis/descriptors.stamp: $(dist_apis_DATA)
	$(AM_V_GEN)$(MKDIR_P) apis && for file in $(abspath $(dist_apis_DATA)); do $(LN_S) -f "$$file" apis/ || exit; done && touch $@
BUILT_SOURCES += apis/descriptors.stamp

# The table that the layer finds them by.
apis/builtin_apis.c: Makefile
	$(AM_V_GEN)$(MKDIR_P) apis && { \
		echo '/* builtin_apis.c: the APIs whose shims libtracelayer.so has, by the list in gen/apis.mk. */'; \
		echo 'struct tl_shim_library;'; \
		for api in $(BUILTIN_APIS:apis/%=%); do echo "extern struct tl_shim_library tl_library_$$api;"; done; \
		echo 'extern struct tl_shim_library *const tl_api_builtin[];'; \
		echo 'struct tl_shim_library *const tl_api_builtin[] = {'; \
		for api in $(BUILTIN_APIS:apis/%=%); do echo "	&tl_library_$$api,"; done; \
		echo '	0,'; echo '};'; \
		echo 'extern const char *const tl_api_other_drivers[];'; \
		echo 'const char *const tl_api_other_drivers[] = {'; \
		for driver in $(OTHER_DRIVERS); do echo "	\"$$driver\","; done; \
		echo '	0,'; echo '};'; \
	} >$@.tmp && mv $@.tmp $@

clean-local: clean-apis
.PHONY: clean-apis
clean-apis:
	rm -rf apis/include apis/descriptors.stamp $(addprefix apis/,$(notdir $(dist_apis_DATA)))
