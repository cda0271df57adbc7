#!/bin/bash
# SPDX-License-Identifier: MIT
# PostgreSQL: a server of many processes, with the calls of its lz4 and zlib traced, and pgbench, psql and pg_dump with those of libpq. One of the server's
# processes is killed on the way, and the server goes on as it does bare.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
test -n "$bin" || { echo "Bail out! PostgreSQL is missing; ./scripts/install-packages stacks installs it (postgresql)"; exit 99; }
plan 10

shims pq "$top_srcdir/tests/apps/pq.json" -- -I/usr/include/postgresql
shims lz4 /usr/include/lz4.h
shims zlib "$top_srcdir/gen/apis/zlib.json"

# The server does not run as root.
chmod 711 "$tmp"
as=
if test "$(id -u)" = 0; then
	as="setpriv --reuid postgres --regid postgres --clear-groups"
	chown -R postgres "$tmp/home"
fi

cat >"$tmp/session" <<'END'
set -u
cd "$1" && bin=$2
export PGHOST=$1 PGUSER=postgres PGDATABASE=postgres PGDATA=$1/data PSQLRC=/dev/null
"$bin/initdb" -U postgres -A trust --no-locale -E UTF8 >initdb.out 2>&1
echo "initdb $?"
cat >>data/postgresql.conf <<CONF
listen_addresses = ''
unix_socket_directories = '$1'
default_toast_compression = lz4
wal_compression = lz4
fsync = off
max_parallel_workers_per_gather = 2
log_line_prefix = ''
CONF
"$bin/pg_ctl" -w -t 60 -l log start >/dev/null
echo "start $?"
"$bin/pgbench" -q -i -s 2 >/dev/null 2>&1
echo "pgbench -i $?"
"$bin/pgbench" -n --random-seed=7 -c 1 -t 400 | grep -E 'number of|scaling'
echo "pgbench $?"
"$bin/psql" -qAt <<SQL
SELECT sum(abalance), sum(aid) FROM pgbench_accounts;
SELECT sum(bbalance) FROM pgbench_branches;
SELECT count(*), sum(delta), min(aid), max(aid) FROM pgbench_history;
CREATE TABLE texts AS SELECT i, repeat(md5(i::text), 300) || i AS text FROM generate_series(1, 400) i;
SELECT sum(length(text)), md5(string_agg(text, ',' ORDER BY i)), count(DISTINCT pg_column_compression(text)) FROM texts;
SET force_parallel_mode = on;
SELECT count(*), sum(length(text)) FROM texts WHERE text LIKE '%1';
SELECT 1 / 0;
SELECT count(*) FROM nowhere;
DO \$\$ BEGIN FOR i IN 1..50 LOOP BEGIN PERFORM 1 / (i % 2); EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END \$\$;
COPY (SELECT i, length(text) FROM texts ORDER BY i LIMIT 3) TO STDOUT;
-- The worker of the next query has begun by then, also on a busy machine.
SET statement_timeout = 2000;
SELECT pg_sleep(20);
SQL
echo "psql $?"
"$bin/pgbench" -n -c 4 -j 2 -t 100 | grep -E 'actually processed'
"$bin/pg_dump" -Fc -Z6 -t texts -f dump
echo "pg_dump $?"
"$bin/pg_restore" -l dump | grep -c texts
"$bin/psql" -qAt -c 'DROP TABLE texts'
"$bin/pg_restore" -d postgres dump
"$bin/psql" -qAt -c "SELECT sum(length(text)), md5(string_agg(text, ',' ORDER BY i)) FROM texts"
# The session kills its own process; the server ends the others, recovers, and takes new ones.
"$bin/psql" -qAt -c "SELECT 'about to be killed'" -c 'COPY (SELECT 1) TO PROGRAM $$kill -9 $PPID$$' 2>&1 | head -n 1
for _ in $(seq 100); do "$bin/psql" -qAt -c "SELECT 'again', count(*) FROM texts" 2>/dev/null && break; sleep 0.1; done
"$bin/pg_basebackup" -D backup --compress=server-gzip:1 -Ft -X none 2>&1 | grep -v NOTICE
find backup -type f -size +1M | sed 's/.*backup/backup/'
"$bin/pg_ctl" -w -t 60 -m fast stop >/dev/null
echo "stop $?"
# The log, without times, numbers of processes, and what recovery says of the end of the write-ahead log. The end is
# found by the first record that is not whole, and PostgreSQL says what is wrong with that in one of many ways. Nor what a process says that is
# still about to end, its client gone, when the server stops.
sed -E 's/\(PID [0-9]+\)|process [0-9]+/PID/; /redo starts at/,/redo done at/d; /the database system is|was shut down|was interrupted|checkpoint|redo|last known up|WAL record|invalid record|starting PostgreSQL|stopping at|at log time|HINT|DETAIL|terminating connection due to administrator command|could not send data to client/d' log | sort | uniq -c
rm -rf data backup dump log initdb.out .s*
END
chmod 755 "$tmp/session"

# server NAME: a session in a folder of its own, what it prints in NAME.out.
server()
{
	local folder
	folder=$(mktemp -d /tmp/tracelayer-pg.XXXXXX) || return
	test -z "$as" || chown postgres "$folder"
	$as env "${@:2}" timeout -k 5 200 bash "$tmp/session" "$folder" "$bin" >"$tmp/$1.out" 2>"$tmp/$1.err" </dev/null
	echo "exit code $?" >>"$tmp/$1.out"
	sed -i -E "s,$folder,FOLDER,g" "$tmp/$1.out" "$tmp/$1.err"
	rm -rf "$folder"
}

mkdir "$tmp/traces"
test -z "$as" || chown postgres "$tmp/traces"
server bare
server traced LD_PRELOAD="$preload" TRACELAYER_OUTPUT="$tmp/traces/%e.%p.json"
same "$tmp/bare.out" "$tmp/traced.out" "the server and its clients print the same, and end the same"
same "$tmp/bare.err" "$tmp/traced.err" "also on stderr"
like "$(cat "$tmp/traced.out")" '^again\|400$' "after a process was killed, it takes new sessions"
for name in PQ.*:2000 LZ4_.*:800 '(deflate|crc32|adler32|inflate).*:20'; do
	found=$(slices "${name%:*}")
	ok "$found calls ${name%:*} are in the traces, ${name#*:} or more were made" test "$found" -ge "${name#*:}"
done
ok "the traces are sound" sound_traces
diag "$(ls "$tmp/traces" | sed 's/\.[0-9]*\.json//' | sort | uniq -c | tr '\n' ' ')"
