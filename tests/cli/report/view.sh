#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer view: a page in a folder of its own, and a browser that gets its path; without a browser, a message says what to do.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
apps=$(cd "$top_builddir/tests/apps" && pwd)
need_command
need_library
need_chromium
plan 13

unset DISPLAY WAYLAND_DISPLAY BROWSER
export TMPDIR=$tmp/here HOME=$tmp/home
mkdir "$TMPDIR" "$HOME"
cd "$tmp" || exit 99
timeout 60 "$tracelayer" run -o t.tlt -- "$apps/cl_vector_add" >/dev/null 2>&1
"$tracelayer" report t.tlt -o t.html
view() { "$tracelayer" view "$@" >out 2>err; }
page() { sed -n 's/^tracelayer: page: //p' err; }

view t.tlt
is "$? $(cat out)" "0 " "without a display a page is made"
sed 's/nonce[-=]"*[0-9a-f]*//g' "$(page)" >viewed
sed 's/nonce[-=]"*[0-9a-f]*//g' t.html >reported
same viewed reported "which is that of tracelayer report"
is "$(stat -c %a "$(dirname "$(page)")") $(stat -c %a "$(page)")" "700 600" "nobody else can read it"
is "$(sed -n 2p err)" "tracelayer: there is no display here; copy the page to where a browser is, and open it there" "and what to do is said"
view t.tlt --browser="echo <%s> and"
is "$? $(cat out)" "0 <$(page)> and" "a browser gets the page where %s stands" || cat out err
view t.tlt -b echo
is "$? $(cat out)" "0 $(page)" "or as its last argument"
BROWSER="false:no-such-program:echo second %s:echo third" view t.tlt
is "$? $(cat out) $(wc -l <err)" "0 second $(page) 1" "of \$BROWSER's commands the first one that works"
view t.tlt -b no-such-program
is "$? $(sed -n 2p err)" "0 tracelayer: no-such-program did not open it; give another --browser, or open the page by hand" "a browser that isn't there"
DISPLAY=:99 PATH=$tmp/home view t.tlt
is "$? $(sed -n 2p err)" "0 tracelayer: no browser was found; name one with --browser, or open the page by hand" "a display, and no browser"
view t.tlt -b "timeout 60 $chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update --disable-sync --user-data-dir=$tmp/home/chromium --virtual-time-budget=3000 --dump-dom"
like "$(cat out)" 'clEnqueueNDRangeKernel' "Chromium shows it"
find "$TMPDIR" -mindepth 1 -maxdepth 1 | wc -l >before
view no-such-file
is "$? $(wc -l <err) $(find "$TMPDIR" -mindepth 1 -maxdepth 1 | wc -l)" "1 1 $(cat before)" "a trace that isn't there: one line, and nothing is left"
view
is $? 2 "no trace: usage"
TMPDIR=$tmp/nowhere view t.tlt
is "$? $(cat err)" "1 tracelayer: $tmp/nowhere: No such file or directory; set TMPDIR to a folder where files can be made" "no place for the page"
