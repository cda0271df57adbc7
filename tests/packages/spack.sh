#!/bin/bash
# SPDX-License-Identifier: MIT
# Spack's recipe: a release's tarball is built by Spack in a root where it finds some libraries in folders of their own, as those that it builds itself;
# used for debian/tests/quickstart, and uninstalled, without a trace. SPACK_ROOT names Spack's folder; for Spack 1.0 and newer, SPACK_BUILTIN names
# repos/spack_repo/builtin of spack-packages. Nothing is downloaded but clingo, which Spack needs to run.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/root.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
need_group=packages
test -x "${SPACK_ROOT-}/bin/spack" || skip_all "this machine has no Spack: SPACK_ROOT names no folder with bin/spack"
: "${SPACK_BUILTIN:=$SPACK_ROOT/var/spack/repos/builtin}"
test -f "$SPACK_BUILTIN/repo.yaml" || skip_all "this machine has no $SPACK_BUILTIN/repo.yaml; SPACK_BUILTIN names the folder of Spack's own recipes"
venv=$(kept_venv "$kept" clingo-5.8.0 clingo==5.8.0) || skip_all "$venv"
# What Spack itself needs, what it is told to take from Debian, and what the first trace needs.
root_make spack bzip2 clpeak file gcc g++ libc6-dev libclang-14-dev libdw-dev libelf-dev libjansson-dev libxxhash-dev libze-dev make opencl-c-headers patch perl \
	pkgconf pocl-opencl-icd python3 unzip xz-utils zlib1g-dev
plan 13

# in_folder_of_its_own NAME VERSION FILE…: files of Debian's packages are moved to a folder like those that Spack installs to, where no compiler looks for them.
# What programs load stays, too: binutils needs jansson.
in_folder_of_its_own()
{
	local name=$1 to=$root/opt/$1 version=$2 file; shift 2
	mkdir -p "$to/include" "$to/lib/pkgconfig"
	for file; do
		case $file in
		*.pc) sed "s,^prefix=.*,prefix=/opt/$name,; s,^libdir=.*,libdir=/opt/$name/lib,; s,^includedir=.*,includedir=/opt/$name/include," "$file" >"$to/lib/pkgconfig/${file##*/}" ;;
		*/include/*) cp -R "$file" "$to/include/" ;;
		*) cp -P "$file" "$to/lib/" ;;
		esac
		case $file in *.so.*) ;; *) rm -r "$file" ;; esac
	done
	external "$name" "$version" "/opt/$name"
}
# external SPEC VERSION PREFIX
external() { printf '  %s:\n    buildable: false\n    externals:\n    - spec: "%s@%s%s"\n      prefix: %s\n' "${1%% *}" "${1%% *}" "$2" "${1#"${1%% *}"}" "$3" >>"$tmp/packages.yaml"; }
make_spack() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" spack </dev/null >"$tmp/make.log" 2>&1 || { diag "$(tail -n 5 "$tmp/make.log")"; false; }; }
version_of() { with_root chroot "$root" dpkg-query -W -f '${Version}' "$1" | sed 's/^[0-9]*://; s/[-+~].*//; s/\.dfsg//'; }

echo packages: >"$tmp/packages.yaml"
libraries=$root/usr/lib/$(with_root chroot "$root" gcc -print-multiarch)
in_folder_of_its_own jansson "$(version_of libjansson-dev)" "$root"/usr/include/jansson*.h "$libraries"/libjansson.* "$libraries"/pkgconfig/jansson.pc
in_folder_of_its_own xxhash "$(version_of libxxhash-dev)" "$root"/usr/include/xx*.h "$libraries"/libxxhash.* "$libraries"/pkgconfig/libxxhash.pc
in_folder_of_its_own opencl-c-headers 2022.01.04 "$root/usr/include/CL"
in_folder_of_its_own oneapi-level-zero "$(version_of libze-dev)" "$root/usr/include/level_zero"
external zlib "$(version_of zlib1g-dev)" /usr
external "elfutils ~debuginfod" "$(version_of libdw-dev)" /usr
external "llvm +clang" "$(version_of libclang-14-dev)" /usr/lib/llvm-14
external gmake "$(version_of make)" /usr
external pkgconf "$(version_of pkgconf)" /usr
external perl "$(version_of perl)" /usr
gcc=$(with_root chroot "$root" gcc -dumpfullversion)
external "gcc languages=c,c++" "$gcc" /usr
printf '      extra_attributes:\n        compilers:\n          c: /usr/bin/gcc\n          cxx: /usr/bin/g++\n  all:\n    providers:\n      zlib-api: [zlib]\n      pkgconfig: [pkgconf]\n' >>"$tmp/packages.yaml"

# Spack, told to take nothing from elsewhere and to leave nothing outside of /try/spack.
mkdir -p "$root/try/spack" "$root/try/spack_repo/builtin" "$root/try/clingo" "$root/try/config" "$root/try/recipes/packages/tracelayer"
(cd "$SPACK_ROOT" && tar -cf - --exclude=./.git --exclude=./opt --exclude=./var/spack/cache .) | tar -xf - -C "$root/try/spack" --no-same-owner
cp -R "$SPACK_BUILTIN/." "$root/try/spack_repo/builtin/"
cp -R "$venv"/lib/python3*/site-packages/. "$root/try/clingo/"
cp "$tmp/packages.yaml" "$root/try/config/"
printf 'bootstrap:\n  enable: false\n' >"$root/try/config/bootstrap.yaml"
printf 'config:\n  build_jobs: 2\n  build_stage: /try/stage\n  test_stage: /try/test\n  source_cache: /try/cache\n  misc_cache: /try/misc\n' >"$root/try/config/config.yaml"
echo 'mirrors:: {}' >"$root/try/config/mirrors.yaml"
printf 'repos::\n- /try/recipes\n- /try/spack_repo/builtin\n' >"$root/try/config/repos.yaml"
# The recipe with its tarball's sum, which Spack checks. What a release's recipe has besides is where the tarball is.
name=$(distribution_name)
ok "make spack" make_spack || exit 1
cp "$top_builddir/$name.tar.gz" "$root/try/"
printf 'repo:\n  namespace: recipes\n' >"$root/try/recipes/repo.yaml"
sed "s,https://example.org/tracelayer/,file:///try/," "$top_builddir/spack/package.py" >"$root/try/recipes/packages/tracelayer/package.py"

# spack COMMAND…
spack() { inside "export PYTHONPATH=/try/clingo SPACK_PYTHON=/usr/bin/python3 SPACK_DISABLE_LOCAL_CONFIG=1 SPACK_USER_CACHE_PATH=/try/user TMPDIR=/try; /try/spack/bin/spack -C /try/config $1"; }
like "$(spack --version 2>&1)" '^(0\.2[3-9]|[1-9])\.' "Spack runs" || exit 1

ok "its audit finds nothing" spack 'audit packages tracelayer' || exit 1
root_state >"$tmp/before"
spack 'install --fail-fast tracelayer' >"$tmp/log" 2>&1
is $? 0 "spack install" || { diag "$(tail -n 40 "$tmp/log")"; exit 1; }
prefix=$(spack 'location -i tracelayer')
for command in tracelayer tracegen; do
	like "$(inside "ldd $prefix/bin/$command")" 'libjansson\.so\.4 => /opt/jansson/lib/' "$command finds the libraries that it was built with"
done
is "$(inside "readelf -dW $prefix/lib/libtracelayer.so.0" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^ld-linux')" libc.so.6 "the library needs libc alone"
mkdir "$root/try/sources" "$root/try/traces" && cp -R "$top_srcdir"/{debian,include,layer,format,common,gen,tests} "$root/try/sources/"
spack 'load --sh tracelayer' >"$root/try/load.sh"
unlike "$(cat "$root/try/load.sh")" '^export (CC|CXX|LD_LIBRARY_PATH)=' "who loads it keeps compilers and libraries"
inside '. ./load.sh; cd sources && CPATH=/opt/oneapi-level-zero/include AUTOPKGTEST_TMP=/try/traces sh debian/tests/quickstart' >"$tmp/log" 2>&1
is $? 0 "the first trace" || diag "$(tail -n 20 "$tmp/log")"
like "$(cat "$tmp/log")" '^clEnqueueNDRangeKernel ' "its summary has OpenCL's calls"
inside '. ./load.sh; tracelayer run --lib libjansson.so.4 --header jansson.h --cflags=-I/opt/jansson/include -o j.json -- tracelayer summary traces/ze.json' >"$tmp/log" 2>&1
like "$(inside '. ./load.sh; tracelayer summary j.json')" '^json_' "tracegen reads a library's header" || diag "$(tail -n 5 "$tmp/log")"
ok "spack uninstall" spack 'uninstall -y tracelayer'
root_state >"$tmp/after"
is "$(diff "$tmp/before" "$tmp/after"; find "$root/try/spack/opt" -name '*tracelayer*')" "" "nothing is left of it"
