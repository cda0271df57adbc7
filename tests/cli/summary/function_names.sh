#!/bin/bash
# SPDX-License-Identifier: MIT
# Functions of C++ and Rust have the names of their source in all that reads a trace, of whatever format it is, and those of the compiler with
# --no-demangle; either selects. On a narrow terminal the names stay apart.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
: "${CXX:=g++}"
case $tracelayer in /*) ;; *) tracelayer=$PWD/$tracelayer ;; esac
export XDG_CACHE_HOME=$tmp/cache
cd "$tmp" || exit 99
rust=$(grep -c 'HAVE_LIBIBERTY 1' "$top_builddir/config.h" 2>/dev/null)
plan 44

cat >shapes.h <<'END'
#include <string>
#include <vector>
namespace shapes {
struct Circle {
	double radius;
	Circle(double);
	Circle(int);
	~Circle();
	double area() const;
	Circle &operator+=(const Circle &);
	bool operator|(const Circle &) const;
	int operator[](int) const;
	int operator()(int, const char *);
};
void draw(int);
void draw(const char *);
void draw(const std::vector<std::string> &);
void linger(const char *);
template <class T> T twice(T);
extern template int twice<int>(int);
extern template double twice<double>(double);
long operator"" _mm(unsigned long long);
}
extern "C" {
int plain(int);
int newer(int) __asm__("_RNvCs1234_7mycrate5newer");
int older(int) __asm__("_ZN7mycrate5older17h0123456789abcdefE");
int zebra(int) __asm__("_Zebra");
}
END
cat >shapes.cc <<'END'
#include "shapes.h"
#include <unistd.h>
namespace shapes {
Circle::Circle(double size) : radius(size) {}
Circle::Circle(int size) : radius(size) {}
Circle::~Circle() {}
double Circle::area() const { return radius; }
Circle &Circle::operator+=(const Circle &other) { radius += other.radius; return *this; }
bool Circle::operator|(const Circle &) const { return true; }
int Circle::operator[](int at) const { return at; }
int Circle::operator()(int at, const char *) { return at; }
void draw(int) {}
void draw(const char *) {}
void draw(const std::vector<std::string> &) {}
void linger(const char *) { usleep(1000); }
template <class T> T twice(T x) { return x + x; }
template int twice<int>(int);
template double twice<double>(double);
long operator"" _mm(unsigned long long size) { return (long)size; }
}
int plain(int a) { return a; }
int newer(int a) { return a; }
int older(int a) { return a; }
int zebra(int a) { return a; }
END
cat >app.cc <<'END'
#include "shapes.h"
using namespace shapes;
int main()
{
	Circle a(1.5), b(2);
	a += b;
	bool any = a | b;
	a(a[1], "");
	a.area();
	draw(1);
	draw(2);
	draw("x");
	draw(std::vector<std::string>());
	twice(1);
	twice(1.0);
	return (int)5_mm - 5 + plain(0) + newer(0) + older(0) + zebra(0) + !any;
}
END
$CXX -O0 -w -shared -fPIC -o libshapes.so shapes.cc && $CXX -O0 -w -o app app.cc -L. -lshapes -Wl,-rpath,"$tmp" || exit 99
cat >want <<'END'
1 _Zebra
1 double shapes::twice<double>(double)
1 int shapes::twice<int>(int)
1 mycrate::newer
1 mycrate::older
1 plain
1 shapes::Circle::Circle(double)
1 shapes::Circle::Circle(int)
1 shapes::Circle::area() const
1 shapes::Circle::operator()(int, char const*)
1 shapes::Circle::operator+=(shapes::Circle const&)
1 shapes::Circle::operator[](int) const
1 shapes::Circle::operator|(shapes::Circle const&) const
1 shapes::draw(char const*)
1 shapes::draw(std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, std::allocator<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > > > const&)
1 shapes::operator"" _mm(unsigned long long)
2 shapes::Circle::~Circle()
2 shapes::draw(int)
END
# Without libiberty: as libstdc++ has it.
test "${rust:-0}" -gt 0 || sed -i 's/mycrate::newer/_RNvCs1234_7mycrate5newer/; s/mycrate::older/mycrate::older::h0123456789abcdef/' want
LC_ALL=C sort -o want want
cat >calls.py <<'END'
import json, sys
rows = json.load(sys.stdin)["tables"][0]["rows"]
print("\n".join(sorted(f'{row["calls"]} {row["function"]}' for row in rows)))
END
# calls [OPTION…] FILE…: the table of calls, a line for each function.
calls() { "$tracelayer" summary --json "$@" 2>err | "$python" calls.py; }
for format in tlt json pftrace; do
	"$tracelayer" run --quiet --lib "$tmp/libshapes.so" -o t.$format -- ./app >out 2>&1
	calls t.$format >names
	same names want "summary of a .$format has the names of the source" || diag "$(cat out err)"
done
made="1 _RNvCs1234_7mycrate5newer
1 _ZN6shapes4drawEPKc
1 _ZN6shapes4drawERKSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS6_EE
1 _ZN6shapes5twiceIdEET_S1_
1 _ZN6shapes5twiceIiEET_S1_
1 _ZN6shapes6CircleC1Ed
1 _ZN6shapes6CircleC1Ei
1 _ZN6shapes6CircleclEiPKc
1 _ZN6shapes6CirclepLERKS0_
1 _ZN6shapesli3_mmEy
1 _ZN7mycrate5older17h0123456789abcdefE
1 _ZNK6shapes6Circle4areaEv
1 _ZNK6shapes6CircleixEi
1 _ZNK6shapes6CircleorERKS0_
1 _Zebra
1 plain
2 _ZN6shapes4drawEi
2 _ZN6shapes6CircleD1Ev"
for format in tlt json pftrace; do
	is "$(calls --no-demangle t.$format)" "$made" "--no-demangle: those of the compiler, of a .$format"
done
is "$(calls --columns=calls,self t.tlt; calls --exact t.json)" "$(cat want want)" "with self times, and with --exact"
for by in thread process; do
	is "$(calls --by=$by --table=calls t.tlt)" "$(cat want)" "with --by=$by"
done
is "$(calls t.tlt t.json t.pftrace | sed 's/^[0-9]* //' | LC_ALL=C sort)" "$(sed 's/^[0-9]* //' want | LC_ALL=C sort)" "of several files, each function is one row"

# ---- export
for format in json pftrace sqlite; do
	"$tracelayer" export -f t.tlt -o e.$format 2>err
	calls e.$format >names
	same names want "export to .$format has them"
	"$tracelayer" export -f --no-demangle t.tlt -o e.$format 2>err
	is "$(calls --no-demangle e.$format)" "$made" "and with --no-demangle those of the compiler"
done
"$tracelayer" export -f t.json -o e.json && strict_json e.json >/dev/null
is "$?:$(calls --no-demangle e.json)" "0:$(cat want)" "export of JSON has them, and is JSON"
"$tracelayer" export -f t.tlt t.tlt -o e.json 2>err
is "$(calls --no-demangle e.json | sed 's/^[0-9]* //' | LC_ALL=C sort)" "$(sed 's/^[0-9]* //' want | LC_ALL=C sort)" "so has that of several files"
"$tracelayer" export -f --systrace t.tlt -o e.txt 2>err
like "$(cat e.txt)" 'shapes::Circle::operator|(shapes::Circle const&) const' "systrace's text"
"$tracelayer" report -f t.tlt -o r.html 2>err
is "$(grep -c _ZN6shapes r.html):$(grep -q 'shapes::draw(char const\*)' r.html; echo $?)" "0:0" "report"

# ---- selections
for globs in 'shapes::draw*' '_ZN6shapes4draw*' '_ZN6shapes4drawEi,_ZN6shapes4drawEPKc,*vector*'; do
	is "$(calls --name="$globs" t.tlt; calls --name="$globs" t.json)" "$(grep -h draw want; grep -h draw want)" "--name=$globs selects"
done
for name in 'shapes::Circle::operator()(int, char const*)' 'shapes::Circle::operator[](int) const'; do
	"$tracelayer" export -f --name="$name" t.tlt -o e.json 2>err
	is "$(calls --name="$name" t.tlt):$(calls e.json)" "1 $name:1 $name" "a name as it is shown selects: $name"
done
"$tracelayer" summary --name='_ZN6shapes4draw*' --no-demangle --csv --columns=calls t.tlt | tr -d '\r' | sed 1d | wc -l >out
is "$(cat out)" 3 "with --no-demangle, names of the compiler do"
is "$(calls --time=@_ZN6shapes6CircleC1Ei t.tlt)$(calls --time='@shapes::Circle::Circle(int)' t.json)" "1 shapes::Circle::Circle(int)1 shapes::Circle::Circle(int)" \
	"--time=@NAME takes either"

# ---- sums and diff
"$tracelayer" summary --save=new.sum t.tlt >/dev/null
"$tracelayer" summary --no-demangle --save=old.sum t.tlt >/dev/null
is "$(for a in t.tlt t.json new.sum old.sum; do
	"$tracelayer" diff --json $a old.sum | "$python" -c 'import json, sys
print(sum(row["calls_a"] == row["calls_b"] and not row["name"].startswith("_ZN") for row in json.load(sys.stdin)["tables"][0]["rows"]))'
done | tr '\n' ' ')" "18 18 18 18 " "diff pairs names of the compiler, in a sum of before, with those of the source"
"$tracelayer" diff --name='_ZN6shapes4drawEi' --fail-if 'shapes::draw(int).calls >= 0%' t.tlt t.json >out 2>err
is $? 1 "its --name and --fail-if take either"
"$tracelayer" run --quiet --job=job --lib "$tmp/libshapes.so" -- ./app >out 2>&1
calls job >names
same names want "of a job, whose sum has the names of the trace"
is "$(calls --no-demangle job)" "$made" "and can show them"
sum=$(find job -name '*.sum' | head -n 1)
test -n "$sum" && like "$(strings -a "$sum" 2>/dev/null || tr -c '[:print:]' '\n' <"$sum")" "_ZN6shapes4drawEi" "the sum has them"

# ---- live
cat >stays.cc <<'END'
#include "shapes.h"
int main()
{
	for (;;)
		shapes::linger("");
}
END
$CXX -O0 -w -o stays stays.cc -L. -lshapes -Wl,-rpath,"$tmp" || exit 99
"$tracelayer" run --quiet --lib "$tmp/libshapes.so" -o stays.tlt -- sh -c 'echo $$ >pid; exec ./stays' >out 2>&1 &
for _ in $(seq 200); do "$tracelayer" top --batch -d 0.1 -n 1 stays 2>err | grep -q ',function,,' && break; sleep 0.05; done
of_pid() { "$tracelayer" "$@" -p "$(cat pid)" -d 0.3 -f -o p.folded 2>err; sed 's/.*;//; s/ [0-9]*$//' p.folded; }
like "$("$tracelayer" top --batch -d 0.2 -n 1 stays 2>err)" ',function,,"?shapes::linger\(char const\*\)' "top has them of a program that runs" || diag "$(cat err)"
like "$("$tracelayer" top --no-demangle --batch -d 0.2 -n 1 stays 2>err)" ',function,,_ZN6shapes6lingerEPKc' "... and the compiler's"
is "$(of_pid profile --name='shapes::linger*')" "shapes::linger(char const*)" "so has profile, whose --name takes it" || diag "$(cat err)"
is "$(of_pid profile --name='_ZN6shapes6linger*' --no-demangle)" "_ZN6shapes6lingerEPKc" "... or the compiler's" || diag "$(cat err)"
kill "$(cat pid)"
wait

# ---- what only looks like such names
cat >odd.py <<'END'
import json
# A name that stands for one of 2 to the 60 times its length: the compiler's substitutions.
def place(i):
    digits, text = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", ""
    while True:
        text = digits[i % 36] + text
        i //= 36
        if not i:
            return f"S{text}_"
endless = "_Z1f1b1aIS_S_E" + "".join(f"S0_I{place(i)}{place(i)}E" for i in range(1, 60))
names = {"_Z": "calls", "_R": "calls", "_ZN": "calls", "_Z4kernPfS_": "opencl,device", "_Z3ownv": "annotation", endless: "calls"}
events = [{"ph": "X", "pid": 1, "tid": 1, "ts": i, "dur": 1, "name": name, "cat": cat} for i, (name, cat) in enumerate(names.items())]
events += [{"ph": "B", "pid": 1, "tid": 1, "ts": 99, "name": "_Z4markv", "cat": "calls"}, {"ph": "E", "pid": 1, "tid": 1, "ts": 100}]
json.dump(events, open("odd.json", "w"))
open("odd.c", "w").write(f'void odd(void) __asm__("{endless}");')
END
"$python" odd.py
is "$(timeout 60 "$tracelayer" summary --csv --columns=calls odd.json 2>err | tr -d '\r' | cut -c1-20 | sed 's/,.*//' | grep '^[_m]' | LC_ALL=C sort | tr '\n' ' ')" \
	"_R _Z _Z1f1b1aIS_S_ES0_IS1 _Z3ownv _Z4kernPfS_ _ZN mark() " "what is no name, is endless, or no function's, stays" || diag "$(cat err)"
cat >>odd.c <<'END'
int plain(int);
__attribute__((noinline)) void odd(void) { plain(0); __asm__ volatile(""); }
int main(void) { odd(); return 0; }
END
${CC:-gcc} -w -rdynamic odd.c -o odd -L. -lshapes -Wl,-rpath,"$tmp" || exit 99
"$tracelayer" run --quiet --stack --lib "$tmp/libshapes.so" -o odd.tlt -- ./odd >out 2>&1
timeout 60 "$tracelayer" summary --by=stack odd.tlt >out 2>err
is "$?:$(grep -c '^_Z1f1b1aIS_S_E' out)" "0:2" "an endless one on a stack stays, too" || diag "$(cat out err)"

# ---- a terminal
narrow() { NO_COLOR=1 script -qec "stty cols $1; '$tracelayer' summary --table=calls $2" /dev/null </dev/null | tr -d '\r' | sed '1,/^function/d'; }
if script -qec true /dev/null >/dev/null 2>&1; then
	narrow 140 t.tlt >shown
	is "$(awk 'length($0) > 140' shown)" "" "on a terminal no row is longer"
	is "$(sed 's/   *.*//' shown | sort -u | grep -c .)" 18 "and each function has a name of its own"
	like "$(cat shown)" '^shapes::draw\(std::vector<\.\.\.> const&\) ' "arguments of templates go first"
	narrow 60 t.tlt >shown
	is "$(awk 'length($0) > 60' shown)" "" "nor on a narrow one"
	like "$(cat shown)" '\.\.\.::operator\+=\(\.\.\.\) ' "where scopes and parameters go"
	is "$(NO_COLOR=1 script -qec "stty cols 300; '$tracelayer' summary t.tlt" /dev/null </dev/null | tr -d '\r')" "$("$tracelayer" summary t.tlt)" \
		"a wide one shows what a file has"
else
	skip 6 "script gives no terminal on this machine"
fi
