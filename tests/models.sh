#!/bin/bash
# The models in models/, searched completely by spin: the algorithm holds, and without its barrier it does not.
. "${top_srcdir:-.}/tests/lib.sh"

command -v spin >/dev/null || skip_all "spin is not on this machine"

# model FILE OPTION...: make its checker; -w: the code that spin writes is not ours.
model()
{
	local file=$1
	shift
	(cd "$tmp" && spin "$@" -a "$(cd "$top_srcdir" && pwd)/$file" && ${CC:-cc} -O1 -w -DSAFETY -DCOLLAPSE -o pan pan.c)
}

# search OPTION...: what the checker says.
search() { (cd "$tmp" && ./pan -m100000 -w20 "$@"); }

plan 14
for variant in "" -DNESTED; do
	name="tracers${variant:+, nested calls and the end of a thread}"
	# shellcheck disable=SC2086
	ok "$name: the model is made" model models/tracer.pml $variant
	said=$(search)
	like "$said" 'errors: 0$' "$name: pairs, no use after free, drain, and destroy ends"
	unlike "$said" 'Search not completed|search depth too small|out of memory|max search depth' "$name: nothing is left out of the search"
	# shellcheck disable=SC2086
	ok "$name: a model without the barrier is made" model models/tracer.pml $variant -DNO_BARRIER
	said=$(search)
	like "$said" 'invalid end state' "$name: without the barrier, destroy may sleep for ever"
	said=$(search -E)
	like "$said" 'assertion violated.*freed' "$name: without the barrier, a table is used after it was freed"
	nok "$name: without the barrier, nobody says that all is well" grep -q 'errors: 0$' <<<"$said"
done
