#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs of every day with the calls of libraries that they use: git, curl and sqlite3 with zlib, libcurl and SQLite, under valgrind, under a seccomp filter
# that allows what programs usually do, and a shell that forks a thousand times.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
for command in git curl sqlite3 valgrind; do need $command $command; done
plan 25

shims zlib "$top_srcdir/gen/apis/zlib.json"
shims sqlite3 "$top_srcdir/gen/apis/sqlite3.json"
shims curl "$top_srcdir/tests/apps/curl.json"

# git: objects are packed, by several processes; by one thread, as what several make of it differs from run to run.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
cat >"$tmp/git" <<'END'
git init -q -b main . && git config gc.auto 0 && git config pack.threads 1 || exit
for i in $(seq 40); do seq $((i * 50)) >"file$((i % 7))" && git add . && git commit -qm "commit $i"; done
git checkout -qb other HEAD~10 && seq 5 >new && git add new && git commit -qm new && git merge -q -m merged main
git gc -q --prune=now && git fsck --full 2>&1 && git log --oneline | wc -l && git rev-parse HEAD && git clone -q . copy && git -C copy status -s
rm -rf copy/.git/config copy/.git/index .git/index copy/.git/hooks .git/hooks .git/logs copy/.git/logs
END
foreign "git" "1000 (deflate|inflate|crc32|adler32).*" sh "$tmp/git"

cat >"$tmp/sql" <<'END'
CREATE TABLE t(i INTEGER PRIMARY KEY, x REAL, s TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO t SELECT i, i * 0.5, printf('%08d', i * 7919 % 20011) FROM n;
CREATE INDEX by_s ON t(s);
SELECT count(*), sum(x), min(s), max(s) FROM t;
BEGIN; DELETE FROM t WHERE i % 3 = 0; ROLLBACK;
UPDATE t SET s = upper(hex(i)) WHERE i % 5 = 0;
SELECT s, count(*) FROM t GROUP BY substr(s, 1, 2) ORDER BY 2 DESC, 1 LIMIT 5;
SELECT nothing;
.dump t
PRAGMA integrity_check;
END
# The shell of SQLite ends with 1 for the query that fails.
foreign "sqlite3" "5000 sqlite3_.*" sh -c "sqlite3 data.db <'$tmp/sql' | sha256sum"

# curl: of files, and of a server that is not there.
seq 100000 >"$tmp/numbers"
normalise() { sed -E 's/after [0-9]+ ms/after N ms/'; }
foreign "curl" "20 curl_.*" sh -c "curl -sS file://$tmp/numbers -o got; curl -sS http://127.0.0.1:1/ ; echo \$?; curl -sS --no-progress-meter --parallel file://$tmp/numbers file://$tmp/sql -o a -o b 2>/dev/null; cat a b | sha256sum"

normalise() { cat; }

# A shell that makes no traced call, and its thousand children, some of which do.
foreign "a shell that forks" "100 (deflate|inflate|crc32|adler32).*" bash -c 'for i in $(seq 400); do (exit $((i % 7))); n=$((n + $?)); done; echo $n
	git init -q; rm -r .git/hooks; for i in $(seq 25); do seq $i 3000 >f; git hash-object -w --stdin <f 2>&1 | head -c 4; done; x=$(seq 10 | while read -r l; do echo "$l" | cat; done | wc -l); echo "$x"; kill -TERM $$'

# Under valgrind, whose threads take turns, and whose system calls are checked; it finds what it finds bare.
normalise() { sed -E 's/==[0-9]+==/==/; /Command:|total heap usage|in use at exit|still reachable|Parent PID/d'; }
foreign "valgrind" "3 sqlite3_.*" valgrind -q --error-exitcode=9 sqlite3 :memory: "CREATE TABLE t(i); INSERT INTO t VALUES (1), (2); SELECT sum(i) FROM t;"
foreign "valgrind's helgrind" "3 sqlite3_.*" valgrind -q --tool=helgrind --error-exitcode=9 sqlite3 :memory: "SELECT 3;"
normalise() { cat; }

# Filters: what they refuse is refused with an error, as containers have it.
ok "a program that filters system calls is built" ${CC:-cc} -O1 -o "$tmp/filtered" "$top_srcdir/tests/apps/filtered.c" -lseccomp
foreign "sqlite3 with a filter" "5000 sqlite3_.*" "$tmp/filtered" sh -c "sqlite3 data.db <'$tmp/sql' | sha256sum"
