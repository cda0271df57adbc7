#!/bin/bash
# SPDX-License-Identifier: MIT
# The descriptors that are installed, on programs that nobody here wrote: they print the same and end the same, each call is in the trace as often as a
# counting preload says, arguments are as a user of that library wants them, failed calls are counted, and the leaks tool knows what makes and ends objects.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/count_calls.sh"
need curl curl
need sqlite3 sqlite3
need h5dump hdf5-tools
need fftw-wisdom libfftw3-bin
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
test -n "$bin" || { echo "Bail out! PostgreSQL is missing; ./scripts/install-packages stacks installs it (postgresql)"; exit 99; }
test "$(uname -m)" = x86_64 || skip_all "the counting preload is for x86-64: not on this machine"
plan 114
cd "$tmp" || exit 99
libraries=/usr/lib/x86_64-linux-gnu

# api NAME EXCEPT LIBRARIES COMMAND…: three results. Calls whose names match EXCEPT differ from run to run. Its log is left in $tmp/log, what the leaks
# tool says in $tmp/leaks, the trace in $tmp/traces.
api()
{
	local name=$1 except=$2 what bare got; shift 2
	local list=$1; shift
	what="$name, $(basename "$1") ${2-}"
	rm -rf traces log leaks counts made; mkdir traces
	# shellcheck disable=SC2086
	test -e "$tmp/count-$name.so" || TOGETHER=1 counter "$tmp/count-$name.so" $list
	"$@" >bare.out 2>bare.err </dev/null; bare=$?
	rm -rf made
	LD_PRELOAD=$tmp/count-$name.so COUNT_CALLS=$tmp/counts "$@" >/dev/null 2>&1 </dev/null
	rm -rf made
	"$tracelayer" run --api "$name" -o traces/t.json --tool=log=file="$tmp/log" --tool=leaks=file="$tmp/leaks" -- "$@" >got.out 2>got.err </dev/null; got=$?
	grep -av '^tracelayer: ' got.err >got.others
	# curl says how long it has tried
	sed -E -i 's/after [0-9]+ ms/after a while/' bare.err got.others
	is "$got$(cat got.out got.others | sha256sum)" "$bare$(cat bare.out bare.err | sha256sum)" "$what: says the same and ends the same ($bare)"
	ok "its trace is sound" "$python" "$check_trace" traces/*.json
	"$python" "$check_trace" --names traces/*.json 2>/dev/null | grep -vE "^($except) " | sort >seen
	grep -vE "^($except) " counts | sort >want
	same want seen "with the calls that the preload counted: $(awk '{ n += $2 } END { print n + 0 }' want) of $(wc -l <want) functions"
}

# says REGEX DESCRIPTION: a line of the log
says() { like "$(grep -aE -m 1 -e "$1" log || head -n 30 log)" "$1" "$2"; }
# failed FUNCTION: how many of its calls failed, as the summary has it
failed() { "$tracelayer" summary --format=csv traces/*.json | awk -F, -v name="$1" '$1 == name { print $3 }'; }
# none_left, left WHAT: what the leaks tool says
none_left() { like "$(head -n 1 leaks)" 'leaks: 0 objects never destroyed, 0 wrong calls' "$1"; }
left() { like "$(cat leaks)" "$1" "$2"; }
# leaky API CODE: Python, which calls the library by ctypes
leaky()
{
	rm -f leaks
	"$tracelayer" run --api "$1" -o leaky.json --tool=leaks=file=leaks -- "$python" -c "from ctypes import *
$2" >/dev/null 2>&1
}

# --- libcurl
cat >server.py <<'PYTHON'
import http.server, os, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_GET(self):
        found = self.path != "/missing"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(b"hello\n" if found else b"nothing\n")

server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open("port.new", "w") as file:
    file.write(str(server.server_address[1]))
os.rename("port.new", "port")
server.serve_forever()
PYTHON
"$python" server.py &
server=$!
trap 'kill $server; rm -rf "$tmp"' EXIT
for _ in $(seq 100); do test -s port && break; sleep 0.1; done
url=http://127.0.0.1:$(cat port)
api curl 'curl_easy_getinfo' "$libraries/libcurl.so.4" curl -s -H 'X-Test: tracelayer' --max-time 30 -w '%{http_code} %{content_type}\n' "$url/here"
says 'curl_easy_setopt\(curl=0x[0-9a-f]+, (tag|option)=CURLOPT_URL, arg="http://127' "options by name, texts as such"
says 'curl_easy_setopt\(.*=CURLOPT_TIMEOUT_MS, arg=30000\)' "and numbers"
says 'curl_easy_setopt\(.*=CURLOPT_WRITEFUNCTION, arg="?0x[0-9a-f]+"?\) = CURLE_OK' "and addresses"
says 'curl_slist_append\(list=0x0, (data|string|append)="X-Test: tracelayer"\)' "lists"
says 'curl_easy_getinfo\(.*=CURLINFO_RESPONSE_CODE, arg=200\) = CURLE_OK' "numbers that come out"
says 'curl_global_init\(flags=CURL_GLOBAL_' "flags"
none_left "all handles, shares, lists and urls are destroyed"
api curl 'curl_easy_getinfo' "$libraries/libcurl.so.4" curl -sS --fail "$url/missing"
is "$(failed curl_easy_perform)" 1 "a page that is missing is a call that failed"
says 'curl_easy_perform\(curl=0x[0-9a-f]+\) = CURLE_HTTP_RETURNED_ERROR' "with its error"
api curl 'curl_easy_getinfo' "$libraries/libcurl.so.4" curl -sS http://127.0.0.1:1/
says 'curl_easy_perform\(.*\) = CURLE_COULDNT_CONNECT' "so is a connection that is refused"
"$tracelayer" run --api curl --level=none --tool=faults=curl_easy_perform=CURLE_OPERATION_TIMEDOUT,quiet -- curl -s "$url/here" >/dev/null 2>&1
is $? 28 "a fault has curl end as if time had run out"
leaky curl 'c = CDLL("libcurl.so.4"); c.curl_easy_init.restype = c_void_p; c.curl_easy_init()'
left '1 CURL \* created by curl_easy_init' "a handle that is not cleaned up is a leak"

# --- zlib
cat >zlib.py <<'PYTHON'
import zlib
packed = zlib.compress(b"abc" * 1000)
print(len(packed), len(zlib.decompress(packed)))
try:
    zlib.decompress(b"no stream")
except zlib.error as error:
    print(error)
PYTHON
api zlib 'none' "$libraries/libz.so.1" "$python" zlib.py
says 'deflate\(strm=\{.*\}, flush=Z_FINISH.*\) = Z_STREAM_END' "flush and result by name"
says 'inflate\(.*msg="incorrect header check".*\) = Z_DATA_ERROR' "streams with their message"
is "$(failed inflate)" 1 "the broken stream is a call that failed"
none_left "all streams are ended"
api zlib 'none' "$libraries/libz.so.1" git -C "$top_srcdir" --no-pager log --stat -2
none_left "git ends all streams"
leaky zlib 'z = CDLL("libz.so.1"); s = create_string_buffer(112); z.deflateInit_(s, 6, b"1.2.13", 112)'
left '1 memory created by deflateInit_' "a stream that is not ended is a leak"

# --- SQLite. Some Debian's shell has the library in itself: then Python does what the shell would.
cat >sqlite.py <<'PYTHON'
import ctypes, sqlite3, sys
base = sqlite3.connect(sys.argv[1], isolation_level=None)
try:
    for statement in sys.argv[2].split(";"):
        for row in base.execute(statement):
            print(*row, sep="|", flush=True)
except sqlite3.Error as error:
    print(error, flush=True)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(base))  # it stays open, as the shell leaves it
    sys.exit(1)
base.close()
PYTHON
sqlite=(sqlite3)
ldd "$(command -v sqlite3)" | grep -q libsqlite3 || sqlite=("$python" sqlite.py)
api sqlite3 'none' "$libraries/libsqlite3.so.0" "${sqlite[@]}" made "create table t(a text unique); insert into t values ('x'), ('y'); select a, length(a) from t"
says 'sqlite3_open_v2\(filename="made", ppDb=0x[0-9a-f]+, flags=SQLITE_OPEN_READWRITE\|SQLITE_OPEN_CREATE' "flags, and the handle that comes out"
says 'sqlite3_prepare_v2\(.*zSql="(create table| ?insert| ?select)' "statements"
says 'sqlite3_step\(.*\) = SQLITE_ROW' "results"
says 'sqlite3_column_type\(.*\) = SQLITE_TEXT' "types of columns"
none_left "all is closed"
api sqlite3 'none' "$libraries/libsqlite3.so.0" "${sqlite[@]}" made "create table t(a text unique); insert into t values ('x'), ('x')"
says 'sqlite3_(step|exec)\(.*\) = SQLITE_CONSTRAINT' "a constraint that is broken"
test "$(failed sqlite3_step)" -ge 1; is $? 0 "is a call that failed"
left '1 sqlite3 \* created by sqlite3_open_v2' "which leaves the database open"

# --- HDF5
cat >h5.py <<'PYTHON'
import h5py, numpy, sys
with h5py.File(sys.argv[1], "w") as file:
    data = file.create_dataset("group/data", data=numpy.arange(24.0).reshape(4, 6), chunks=(2, 3), compression="gzip")
    data.attrs["unit"] = "m"
try:
    h5py.File("nowhere.h5", "r")
except OSError:
    print("there is no such file")
print(h5py.File(sys.argv[1], "r")["group/data"][1, 2])
PYTHON
hdf5="$libraries/$(linked libhdf5_serial.so) $libraries/$(linked libhdf5_serial_hl.so)"
api hdf5 'H5_get_option' "$hdf5" "$python" h5.py made
says 'H5Screate_simple\(rank=2, dims=\[4, 6\], maxdims=0x0\)' "dimensions"
says 'H5Fcreate\(filename="made", flags=H5F_ACC_TRUNC' "flags"
says 'H5Pset_chunk\(plist_id=0x[0-9a-f]+, (ndims)=2, dim=\[2, 3\]\)' "chunks"
says 'H5Dcreate2\(loc_id=0x[0-9a-f]+, name="data"' "names"
is "$(failed H5Fopen)" 1 "a file that is not there is a call that failed"
like "$(head -n 1 leaks)" ', 0 wrong calls' "h5py asks of handles that are gone, which is no use of them"
unlike "$(cat leaks)" 'created by H5(F|D|A|G)' "it closes all files, data sets, attributes and groups"
"$python" h5.py kept.h5 >/dev/null
api hdf5 'H5_get_option' "$hdf5" h5dump kept.h5
says 'H5Fopen\(filename="kept.h5", flags=H5F_ACC_RDONLY' "h5dump opens the file to read it"
# That of HDF5 1.14 keeps one.
lists=$(awk '$1 ~ /^H5(Pcreate|[A-Z]get_create_plist)$/ { n += $2 } $1 == "H5Pclose" { n -= $2 } END { print n + 0 }' counts)
like "$(head -n 1 leaks)" "leaks: $lists objects? never destroyed, 0 wrong calls" "h5dump closes all, but the property lists that the preload saw no H5Pclose of"
api hdf5 'H5_get_option' "$hdf5" h5ls -r kept.h5
api hdf5 'H5_get_option' "$hdf5" h5repack -f NONE kept.h5 made
says 'H5(P|O|D)' "h5repack copies data sets"
leaky hdf5 'h = CDLL("'"$(linked libhdf5_serial.so)"'"); h.H5open(); h.H5Pcopy.restype = h.H5Screate.restype = c_int64; h.H5Screate(1)'
left '1 hid_t created by H5Screate' "a data space that is not closed is a leak"

# --- FFTW
cat >fft.py <<'PYTHON'
import numpy, pyfftw
a = pyfftw.empty_aligned((4, 8), dtype="complex128")
b = pyfftw.empty_aligned((4, 8), dtype="complex128")
plan = pyfftw.FFTW(a, b, axes=(0, 1), flags=("FFTW_ESTIMATE",))
a[:] = numpy.arange(32).reshape(4, 8)
print(plan()[0, 0])
c = pyfftw.empty_aligned(16, dtype="float32")
real = pyfftw.FFTW(c, pyfftw.empty_aligned(9, dtype="complex64"), flags=("FFTW_ESTIMATE",))
c[:] = 1
print(real()[0], pyfftw.import_wisdom((b"no wisdom", b"", b"")))
PYTHON
fftw=$(ls "$libraries"/libfftw3*.so.3)
if "$python" -c 'import pyfftw' 2>/dev/null; then
	api fftw 'none' "$fftw" "$python" fft.py
	says 'fftw_plan_guru_dft\(rank=2, dims=\[\{n=4, is=8, os=8\}, \{n=8, is=1, os=1\}\].*sign=FFTW_FORWARD, flags=[A-Z_|]*FFTW_ESTIMATE' "dimensions, signs and flags"
	says 'fftwf_execute_dft_r2c\(' "other precisions"
	is "$(failed fftw_import_wisdom_from_string)" 1 "wisdom that is none is a call that failed"
	none_left "all plans are destroyed"
else
	skip 7 "this machine has no python3-pyfftw, as Debian 13 has none"
fi
api fftw 'none' "$fftw" fftw-wisdom -e -n c8 rof16
says 'fftw_plan_dft_1d\(n=8, .*FFTW_ESTIMATE\)' "sizes"
leaky fftw 'f = CDLL("libfftw3.so.3"); b = create_string_buffer(256); f.fftw_plan_dft_1d(8, b, b, -1, 64)'
left '1 fftw_plan created by fftw_plan_dft_1d' "a plan that is not destroyed is a leak"

# --- BLAS: OpenBLAS, and the reference, which is Fortran
cat >blas.py <<'PYTHON'
import numpy
a = numpy.arange(6.0).reshape(2, 3)
b = numpy.ones((3, 2))
print(a @ b, numpy.dot(a[0], b[:, 0]), ((a + 1j) @ (b - 1j))[0])
print(numpy.linalg.solve(numpy.array([[3.0, 1], [1, 2]]), numpy.array([9.0, 8])).round(6))
print(numpy.linalg.svd(a)[1].round(6), numpy.linalg.norm(numpy.ones(100)))
PYTHON
for folder in openblas-pthread blas; do
	export LD_LIBRARY_PATH=$libraries/$folder OPENBLAS_NUM_THREADS=1
	rm -f count-blas.so
	api blas '(lsame|xerbla)_' \
		"$LD_LIBRARY_PATH/libblas.so.3" "$python" blas.py
	says 'cblas_dgemm\(order=CblasRowMajor, transa=CblasNoTrans, transb=CblasNoTrans, m=2, n=2, k=3, alpha=1, a=0x[0-9a-f]+, lda=3' "$folder: CBLAS"
	says 'cblas_zgemm\(.*alpha=\{re=1, im=0\}' "complex numbers"
	says 'dgemm_\(transa="[NT]", transb="[NT]", m=[0-9]+, n=[0-9]+, k=[0-9]+, alpha=-?1, ' "Fortran's interface, called by LAPACK: numbers in place of their addresses"
	says 'cblas_ddot\(n=3, .*\) = 3' "results"
done
unset LD_LIBRARY_PATH OPENBLAS_NUM_THREADS

# --- libpq: a server, psql and pgbench
chmod 755 "$tmp"
as=
if test "$(id -u)" = 0; then
	as="setpriv --reuid postgres --regid postgres --clear-groups"
fi
data=$(mktemp -d /tmp/tracelayer-pg.XXXXXX) || exit 99
test -z "$as" || chown postgres "$data"
trap 'kill $server; $as "$bin/pg_ctl" -D "$data/db" -m immediate stop >/dev/null 2>&1; rm -rf "$data" "$tmp"' EXIT
(cd "$data" && $as "$bin/initdb" -D "$data/db" -U postgres -A trust --no-locale -E UTF8 >"$tmp/initdb.out" 2>&1 &&
	$as "$bin/pg_ctl" -D "$data/db" -w -t 60 -l "$data/log" -o "-c listen_addresses= -c unix_socket_directories=$data -c fsync=off" start >/dev/null)
export PGHOST=$data PGUSER=postgres PGDATABASE=postgres PSQLRC=/dev/null
# libpq's texts that grow are in no public header. How often a client asks whether there is more depends on the time.
waits='PQ(consumeInput|isBusy|socket|flush|getCopyData|connectPoll|status)|.*PQExpBuffer.*'
api libpq "$waits" "$libraries/libpq.so.5" "$bin/psql" -qAt -c 'CREATE TEMP TABLE t(a int)' -c "INSERT INTO t VALUES (1), (2)" -c 'SELECT a, a + 1 FROM t' -c 'SELECT 1 / 0'
says 'PQconnectdbParams\(keywords=\["host",.*"fallback_application_name"' "keywords of a connection"
says 'PQ(send|exec)[A-Za-z]*\((conn)=0x[0-9a-f]+, query="SELECT a, a \+ 1 FROM t"\)' "queries"
says 'PQresultStatus\(res=0x[0-9a-f]+\) = PGRES_FATAL_ERROR' "statuses"
test "$(failed PQresultStatus)" -ge 1; is $? 0 "a query that fails is counted"
says 'PQgetvalue\(res=0x[0-9a-f]+, tup_num=0, field_num=1\)' "rows and columns"
left '1 objects? never destroyed, 0 wrong calls' "psql frees all results and connections, but the last error, which it keeps"
api libpq "$waits" "$libraries/libpq.so.5" bash -c "'$bin/pgbench' -q -i -s 1 2>/dev/null"
says 'PQ(putCopyData|putline)' "pgbench copies rows"
api libpq "$waits" "$libraries/libpq.so.5" bash -c "'$bin/pgbench' -n -S -M prepared --random-seed=7 -c 1 -t 50 | grep -E 'processed'"
says 'PQsendQueryPrepared\(.*stmtName="P_?[0-9_]+", nParams=1, paramValues=\["[0-9]+"\]' "parameters of prepared statements"
leaky libpq 'p = CDLL("libpq.so.5"); p.PQexec.restype = p.PQconnectdb.restype = c_void_p; c = p.PQconnectdb(b""); p.PQexec(c_void_p(c), b"SELECT 1"); p.PQfinish(c_void_p(c))'
left '1 PGresult \* created by PQexec' "a result that is not cleared is a leak"
