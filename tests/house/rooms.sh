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
	mkdir -p "$tmp/tree/cli"; : >"$tmp/tree/cli/cli.h"
	printf '#include "%s"\n' layer/base/base.h layer/base/base_offer.h layer/buffers/buffers_inside.h >"$tmp/tree/layer/buffers/chunks.c"
	mkdir -p "$(dirname "$tmp/tree/$file")"
	for line in "$@"; do printf '%s\n' "$line"; done >>"$tmp/tree/$file"
}
# said FILE LINE...: what rooms.py says of that house, and its exit code.
said() { tree "$@"; rooms "$tmp/tree"; echo "exit $?"; }

plan 15
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
for room in layer/meters cli/meters xpti/meters meters; do
	is "$(said $room/meter.c)" "$room: no room of the plan: add it to ROWS in tests/house/rooms.py
exit 1" "a folder that the plan does not know is named: $room"
done

# Each house of the tree has a direction: an include against it is found there, too.
# against FILE HEADER: what rooms.py says if FILE of the tree includes HEADER, without the line's number.
copy=$tmp/copy
mkdir "$copy"
for top in annotations callbacks cli common format gen include layer tables xpti; do cp -r "$top_srcdir/$top" "$copy"; done
chmod -R u+w "$copy"
against()
{
	cp "$copy/$1" "$tmp/kept"
	printf '#include "%s"\n' "$2" >>"$copy/$1"
	rooms "$copy" | sed 's/:[0-9]*: /: /' | grep -v '^files include each other'
	cp "$tmp/kept" "$copy/$1"
}
is "$(against layer/buffers/arena.c layer/write/write.h; against layer/device/work.c layer/device/cuda/cuda.h)" \
	"layer/buffers/arena.c: includes layer/write/write.h: layer/buffers may not use layer/write
layer/device/work.c: includes layer/device/cuda/cuda.h: layer/device may not use layer/device/cuda" "layer/ has a direction"
is "$(against cli/read/inflater.c cli/summary/summary.h; against cli/run/launch.c layer/base/base.h)" \
	"cli/read/inflater.c: includes cli/summary/summary.h: cli/read may not use cli/summary
cli/run/launch.c: includes layer/base/base.h: cli/run may not use layer/base" "so has cli/, which never uses layer/"
is "$(against common/text.c format/args/args.h; against format/args/args_visit.c format/encode/encode.h)" \
	"common/text.c: includes format/args/args.h: common may not use format/args
format/args/args_visit.c: includes format/encode/encode.h: format/args may not use format/encode" "so have format/ and common/"
is "$(against gen/check.c cli/basics/basics.h; against xpti/dispatcher/pins.c xpti/timeline/timeline.h)" \
	"gen/check.c: includes cli/basics/basics.h: gen may not use cli/basics
xpti/dispatcher/pins.c: includes xpti/timeline/timeline.h: xpti/dispatcher may not use xpti/timeline" "so have gen/ and xpti/"
