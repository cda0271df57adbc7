#!/bin/bash
# SPDX-License-Identifier: MIT
# spin searches the models in models/ completely. The algorithms are right, and they fail without the barrier, the order of stores or the
# ownership that each of them needs.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99

command -v spin >/dev/null || skip_all "spin is not on this machine"

# model FILE OPTION...: make its checker; -w: the code that spin writes is not ours. The search of a model in which something is missing
# ends soon, at the first harm: its checker is compiled without optimisation, which takes a third of the time.
model()
{
	local file=$1 level=-O1
	shift
	case "$*" in *-DNO_* | *_LATE* | *_EARLY* | *_PLAIN* | *_LAST*) level=-O0 ;; esac
	(cd "$tmp" && spin "$@" -a "$(cd "$top_srcdir" && pwd)/$file" && ${CC:-cc} $level -w -DSAFETY -DCOLLAPSE $reduce -o pan pan.c)
}

# search OPTION...: what the checker says.
search() { (cd "$tmp" && ./pan -m100000 -w20 "$@"); }

plan 59
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

ok "a thread in the background: the model is made" model models/background.pml
said=$(search)
like "$said" 'errors: 0$' "a thread in the background: nothing is left to do, one at work, and it ends"
unlike "$said" 'Search not completed|search depth too small|out of memory|max search depth' "a thread in the background: nothing is left out of the search"
for variant in NO_BARRIER:"the barrier" NO_LOOK:"a last look"; do
	ok "a thread in the background: a model without ${variant#*:} is made" model models/background.pml "-D${variant%%:*}"
	like "$(search)" 'assertion violated.*noted' "a thread in the background: without ${variant#*:}, something is left to do"
done

ok "help for the writer: the model is made" model models/ahead.pml
said=$(search)
like "$said" 'errors: 0$' "help for the writer: one at a chunk, a place and a memory, in order, and it ends"
unlike "$said" 'Search not completed|search depth too small|out of memory|max search depth' "help for the writer: nothing is left out of the search"
while IFS=: read -r option without harm; do
	ok "help for the writer: a model without $without is made" model models/ahead.pml "-D$option"
	like "$(search)" "assertion violated.*$harm" "help for the writer: without $without, there is harm"
done <<'END'
NO_CLAIM:claims in one step:text.*number
NO_ROOM:room for what is put:chunk.*number
NO_STOP:a stop that waits:back.*number
NO_OFFER:offers:helping==1
END

# What layer/buffers/buffer.c and format/file/trace_file.h rest on, by the option that takes it away: the models that it matters in, and what harm spin finds.
# With processes that interrupt others spin must look at every order.
reduce=-DNOREDUCE
chunks="grow HELP RING"
for variant in $chunks; do
	name="chunks, $variant"
	ok "$name: the model is made" model models/chunks.pml "-D$variant"
	said=$(search)
	like "$said" 'errors: 0$' "$name: no record lost, none twice, none torn, and it ends"
	unlike "$said" 'Search not completed|search depth too small|out of memory|max search depth' "$name: nothing is left out of the search"
done
while IFS=: read -r option variants without; do
	for variant in $variants; do
		name="chunks, $variant: $without"
		if model models/chunks.pml "-D$variant" "-D$option" >"$tmp/.model" 2>&1; then
			like "$(search)" 'assertion violated' "$name"
		else
			fail "$name"
			diag "$(cat "$tmp/.model")"
		fi
	done
done <<'END'
BODY_LATE:grow HELP RING:harm is done where a record's type is stored before the rest of it
TAKEN_EARLY:grow HELP RING:harm is done where .taken is stored before .block
CLEAR_EARLY:grow HELP RING:harm is done where a chunk's counts are cleared before its .lane
FREE_EARLY:grow HELP RING:harm is done where a chunk is freed before its block is in the file
HOLE_PLAIN:grow RING:harm is done where .hole doesn't tell the block that has it since
FREE_UNREAD:RING:harm is done where a chunk is freed of which a record is not finished
NO_OWNER:RING:harm is done where a chunk's owner is not decided by one compare and exchange
NO_TURN:RING:harm is done where a flush takes a chunk that is being reused
LIVE_LAST:RING:harm is done where a snapshot takes the live chunk last
END
