#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer run --mpi: a program opens the library of MPI's standard ABI by itself, as mpi4py does, and its calls are in the trace.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
need_library
cd "$tmp" || exit 99
plan 2

cat >mpi.c <<'END'
int MPI_Init(int *argc, char ***argv) { return 0 & (argc == (void *)argv); }
int MPI_Barrier(void *comm) { return comm != (void *)0x101; }
int MPI_Finalize(void) { return 0; }
END
cat >opens.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *mpi = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
	int (*init)(int *, char ***), (*barrier)(void *), (*finalize)(void);

	if (!mpi)
		return 9;
	*(void **)&init = dlsym(mpi, "MPI_Init");
	*(void **)&barrier = dlsym(mpi, "MPI_Barrier");
	*(void **)&finalize = dlsym(mpi, "MPI_Finalize");
	return init(&argc, &argv) + barrier((void *)0x101) + barrier((void *)0x101) + finalize();
}
END
${CC:-cc} -O1 -o opens opens.c -ldl || exit 99
for version in 0 1; do
	name=libmpi_abi.so.$version
	${CC:-cc} -O1 -shared -fPIC -Wl,-soname,$name -o $name mpi.c || exit 99
	"$tracelayer" run --quiet --mpi -o $version.json -- ./opens ./$name 2>said
	is "$? $("$python" "$top_srcdir/tests/lib/check_trace.py" --names $version.json 2>&1 | grep '^MPI_' | sort | tr '\n' ' ')" "0 MPI_Barrier 2 MPI_Finalize 1 MPI_Init 1 " "$name"
done
