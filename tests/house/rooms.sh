#!/bin/bash
# SPDX-License-Identifier: MIT
# Which room uses which: the sources' own includes keep to the plan of doc/internals.md (rooms.py); and rooms.py finds what does not.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99

rooms() { "$python" -B "$top_srcdir/tests/house/rooms.py" "$1"; }

# tree FILE LINE...: a small house, sound but for what the file gets in addition.
tree()
{
	local file=$1 room
	shift
	rm -rf "$tmp/tree"
	for room in base buffers write; do
		mkdir -p "$tmp/tree/layer/$room"
		echo "#include \"layer/$room/${room}_offer.h\"" >"$tmp/tree/layer/$room/$room.h"
		: >"$tmp/tree/layer/$room/${room}_offer.h"
		: >"$tmp/tree/layer/$room/${room}_inside.h"
	done
	printf '#include "%s"\n' layer/base/base.h layer/base/base_offer.h layer/buffers/buffers_inside.h >"$tmp/tree/layer/buffers/chunks.c"
	mkdir -p "$(dirname "$tmp/tree/$file")"
	for line in "$@"; do printf '%s\n' "$line"; done >>"$tmp/tree/$file"
}
# said FILE LINE...: what rooms.py says of that house, and its exit code.
said() { tree "$@"; rooms "$tmp/tree"; echo "exit $?"; }

plan 7
ok "the tree keeps to the plan" rooms "$top_srcdir"
is "$(said layer/buffers/chunks.c)" "exit 0" "so does a small house: contracts, what they include, and a room's own inside"
is "$(said layer/buffers/chunks.c '' '#include "layer/write/write.h"')" \
	"layer/buffers/chunks.c:5: includes layer/write/write.h: layer/buffers may not use layer/write
exit 1" "an include against the direction is named with its line"
is "$(said layer/write/blocks.c '#include "layer/base/base_inside.h"')" \
	"layer/write/blocks.c:1: includes layer/base/base_inside.h: inside of layer/base; its contract does not include it
exit 1" "so is one of another room's inside"
is "$(said layer/write/chunks.c)" "two files have one name: layer/buffers/chunks.c, layer/write/chunks.c
exit 1" "two files of one name are named"
is "$(said layer/base/base_inside.h '#include "layer/base/base_offer.h"')" "exit 0" "files of one room may include each other"
tree layer/base/base_inside.h '#include "layer/base/base.h"'
echo '#include "layer/base/base_inside.h"' >>"$tmp/tree/layer/base/base_offer.h"
is "$(rooms "$tmp/tree"; echo "exit $?")" "files include each other: layer/base/base.h, layer/base/base_inside.h, layer/base/base_offer.h
exit 1" "but not in a circle"
