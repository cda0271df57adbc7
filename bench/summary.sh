# SPDX-License-Identifier: MIT
# summary.sh: what `tracelayer summary` takes for an event, beside `uftrace report` and babeltrace2 on files with as many calls. A part
# of bench/bench.

summary_calls=100000000 summary_peer_calls=5000000 summary_json_calls=10000000
test "$(df --output=avail -k "$work" | tail -n 1)" -gt 8000000 || summary_calls=10000000
test -z "$short" || summary_calls=200000 summary_peer_calls=20000 summary_json_calls=20000

# A trace in the Common Trace Format with one event for each call: when it began, how long it took, and of what function.
summary_make_ctf()
{
	mkdir -p "$work/ctf"
	cat >"$work/ctf/metadata" <<-'END'
		/* CTF 1.8 */
		typealias integer { size = 32; align = 8; signed = false; } := u32;
		typealias integer { size = 64; align = 8; signed = false; } := u64;
		trace { major = 1; minor = 8; byte_order = le; };
		clock { name = c; freq = 1000000000; };
		typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := stamp;
		stream { event.header := struct { u32 id; stamp timestamp; }; };
		event { name = "call"; id = 0; fields := struct { u64 duration; u32 function; }; };
	END
	python3 -c 'import struct, sys
for i in range(int(sys.argv[1])): sys.stdout.buffer.write(struct.pack("<IQQI", 0, i * 20, 11, 1))' "$1" >"$work/ctf/stream"
}

# summary_peer TEXT COMMAND...: a command that reads a file with summary_peer_calls calls.
summary_peer()
{
	local text=$1 theirs ours
	shift
	for _ in 1 2 3; do
		theirs=$(spent "$@") ours=$(spent "$top_builddir/tracelayer" summary "$work/peer.tlt")
		echo "${theirs% *} ${ours% *} $summary_peer_calls" | awk '{ print $1 / $3, $2 / $3 }'
	done >"$work/rows"
	ratio_row "$text" "$work/rows" "ns a call, ${theirs#* } KB; ours ${ours#* } KB; $summary_peer_calls calls"
}

section "tracelayer summary of .tlt: ns for an event, wanted: 50 or less on two cores (20 million events/s), and 64 MB"
output=$work/many.tlt traced "$top_builddir/bench_call" none 1 "$summary_calls" >/dev/null
for _ in 1 2 3; do
	summary_spent=$(spent "$top_builddir/tracelayer" summary "$work/many.tlt")
	echo "${summary_spent% *} $summary_calls"
done >"$work/rows"
ratio_row "a call" "$work/rows" "ns; $summary_calls calls, ${summary_spent#* } KB"
rm -f "$work/many.tlt"
section "tracelayer summary of JSON ÷ gzip -dc trace.json.gz | wc, wanted: 3 or less, and 256 MB"
output=$work/json.tlt traced "$top_builddir/bench_call" none 1 "$summary_json_calls" >/dev/null
for format in json.gz json; do
	"$top_builddir/tracelayer" export "$work/json.tlt" -f -o "$work/trace.$format" >/dev/null 2>&1
	for _ in 1 2 3; do
		summary_spent=$(spent "$top_builddir/tracelayer" summary "$work/trace.$format")
		echo "${summary_spent% *} $(spent sh -c "gzip -dc '$work/trace.json.gz' | wc")" | cut -d ' ' -f 1,2
	done >"$work/rows"
	ratio_row ".$format" "$work/rows" "ns; $summary_json_calls calls, ${summary_spent#* } KB"
done
rm -f "$work/json.tlt" "$work/trace.json" "$work/trace.json.gz"
section "Other tools' summaries ÷ ours, for a call"
output=$work/peer.tlt traced "$top_builddir/bench_call" none 1 "$summary_peer_calls" >/dev/null
if command -v uftrace >/dev/null && plt_call_build; then
	uftrace record --force --no-event --no-pager -d "$work/report.data" "$work/plt_call" none 1 "$summary_peer_calls" >/dev/null 2>&1
	summary_peer "uftrace report" uftrace report --no-pager -d "$work/report.data"
	rm -rf "$work/report.data"
else
	note "uftrace is not here: apt-get install uftrace"
fi
if command -v babeltrace2 >/dev/null; then
	summary_make_ctf "$summary_peer_calls"
	summary_peer "babeltrace2, which counts only (sink.utils.counter)" babeltrace2 "$work/ctf" -c sink.utils.counter
	rm -rf "$work/ctf"
else
	note "babeltrace2 is not here: apt-get install babeltrace2"
fi
rm -f "$work/peer.tlt"
