# SPDX-License-Identifier: MIT
"""
torture.py FOLDER SEED COUNT: C files with COUNT functions of random signatures.

    torture.h	the types and functions
    callee.c	the functions: each checks the bits of what arrives, then returns, throws or is cancelled
    caller.c	a call of each, which checks the bits of what comes back
    values.json	the integers, floats and doubles of each call, by function and parameter

Values are made from the number of the function and of the parameter, on both sides by the same
code, member by member: what pads a struct is nobody's.

torture.py --check FOLDER TRACE CALLS UNWOUND NAMES: the trace has so many calls of each function,
all unwound or none, with what values.json has. NAMES: a file with the functions of which
nothing but the name is known.
"""
import collections
import json
import random
import sys

MASK = (1 << 64) - 1


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def seed_of(function, param):
    return mix(function * 1000 + param)


INTEGERS = [("int8_t", 8, True), ("uint8_t", 8, False), ("int16_t", 16, True),
            ("uint16_t", 16, False), ("int32_t", 32, True), ("uint32_t", 32, False),
            ("int64_t", 64, True), ("uint64_t", 64, False)]
OTHERS = ["bool", "char", "void *", "const char *", "float", "double", "long double", "__int128",
          "unsigned __int128", "enum colour", "_Complex float", "_Complex double",
          "_Complex long double", "v8f", "v8i", "v16f", "v16d", "v16i"]
if "aarch64" not in sys.argv:
    OTHERS.append("__float128")
SCALARS = [name for name, _, _ in INTEGERS] + OTHERS
WIDE = ["v32f", "v32i", "v64i"]
PROMOTED = ["int32_t", "uint32_t", "int64_t", "uint64_t", "void *", "double", "long double",
            "__int128", "_Complex double", "v16f"]

HEAD = """#include <stdbool.h>
#include <stdint.h>

enum colour { RED, GREEN = 5, BLUE = 0x7fffffff };
typedef float v8f __attribute__((vector_size(8)));
typedef int v8i __attribute__((vector_size(8)));
typedef float v16f __attribute__((vector_size(16)));
typedef double v16d __attribute__((vector_size(16)));
typedef int v16i __attribute__((vector_size(16)));
typedef float v32f __attribute__((vector_size(32)));
typedef int v32i __attribute__((vector_size(32)));
typedef int v64i __attribute__((vector_size(64)));
"""

COMMON = """#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi"

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

#define SEED(function, param) mix((uint64_t)(function) * 1000 + (param))

extern const char *torture_text;
void torture_wrong(const char *where, int function, int param);
void torture_inside(void);
"""


def identifier(name):
    return "".join(c if c.isalnum() else "_" for c in name)


def scalar_maker(name):
    ident = identifier(name)
    if name in ("float", "double", "long double", "__float128"):
        value = f"({name})(int64_t)(seed >> 20) / 8"
    elif name.startswith("_Complex"):
        part = name[9:]
        return (f"static inline void make_{ident}({name} *to, uint64_t seed)\n{{\n"
                f"\t__real__ *to = ({part})(int64_t)(seed >> 20) / 8;\n"
                f"\t__imag__ *to = -({part})(int64_t)(mix(seed) >> 20) / 4;\n}}\n")
    elif name.endswith("__int128"):
        value = f"({name})((unsigned __int128)seed << 64 | mix(seed))"
    elif name == "bool":
        value = "seed & 1"
    elif name == "enum colour":
        value = "seed & 1 ? GREEN : BLUE"
    elif "*" in name:
        value = f"({name})(uintptr_t)(0x1000 + (seed & 0x7ff))"
        if name == "const char *":
            value = "seed & 1 ? torture_text : NULL"
    elif name[0] == "v" and name != "void *":
        return (f"static inline void make_{ident}({name} *to, uint64_t seed)\n{{\n"
                f"\tfor (unsigned i = 0; i < sizeof(*to) / sizeof((*to)[0]); i++)\n"
                f"\t\t(*to)[i] = (int)(mix(seed + i) & 0xffffff);\n}}\n")
    else:
        value = f"({name})seed"
    return (f"static inline void make_{ident}({name} *to, uint64_t seed)\n{{\n"
            f"\t*to = {value};\n}}\n")


def scalar_same(name):
    ident = identifier(name)
    if name == "long double":
        test = "!memcmp(value, &want, 10)" if "aarch64" not in sys.argv else "!memcmp(value, &want, 16)"
    elif name == "_Complex long double":
        test = "__real__ *value == __real__ want && __imag__ *value == __imag__ want"
    else:
        test = "!memcmp(value, &want, sizeof(want))"
    return (f"static inline bool same_{ident}({name} const *value, uint64_t seed)\n{{\n"
            f"\t{name} want;\n\n\tmake_{ident}(&want, seed);\n\treturn {test};\n}}\n")


class Struct:
    def __init__(self, name, random_, known):
        self.name, self.members = name, []
        size = random_.choice([1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 16, 16, 20, 24, 32, 40, 64])
        used = 0
        homogeneous = random_.choice([None, None, None, "float", "double", "v16f", "int64_t"])
        self.packed = random_.random() < 0.08
        self.bits = random_.random() < 0.1
        while used < size and len(self.members) < 16:
            small = [n for n, bits, _ in INTEGERS if bits // 8 <= size - used]
            kind = homogeneous or (random_.choice(small) if random_.random() < 0.6
                                   else random_.choice(SCALARS + known[-6:]))
            bytes_ = SIZES.get(kind, 8)
            if used and used + bytes_ > size:
                kind = random_.choice(small or ["int8_t"])
                bytes_ = SIZES[kind]
            count = random_.choice([0, 0, 0, 2, 3]) if bytes_ * 3 <= size - used else 0
            self.members.append((kind, count))
            used += bytes_ * max(count, 1)
        self.size = used

    def declare(self):
        lines = [f"struct {self.name} {{"]
        for i, (kind, count) in enumerate(self.members):
            lines.append(f"\t{kind} m{i}{f'[{count}]' if count else ''};")
        if self.bits:
            lines += ["\tunsigned bits : 7;", "\tint more : 13;"]
        lines.append(f"}}{' __attribute__((packed))' if self.packed else ''};")
        return "\n".join(lines)

    def both(self):
        make = [f"static inline void make_struct_{self.name}(struct {self.name} *to, uint64_t seed)", "{"]
        same = [f"static inline bool same_struct_{self.name}(const struct {self.name} *value, uint64_t seed)", "{",
                "\tbool same = true;", ""]
        for i, (kind, count) in enumerate(self.members):
            for j in range(max(count, 1)):
                index = f"[{j}]" if count else ""
                ident = identifier(kind)
                seed = f"mix(seed + {i * 16 + j})"
                make += ["\t{", f"\t\t{kind} part;", f"\t\tmake_{ident}(&part, {seed});",
                         f"\t\tto->m{i}{index} = part;", "\t}"]
                same += ["\t{", f"\t\t{kind} part = value->m{i}{index};",
                         f"\t\tsame &= same_{ident}(&part, {seed});", "\t}"]
        if self.bits:
            make += ["\tto->bits = seed & 127;", "\tto->more = (int)(seed >> 8 & 4095) - 2048;"]
            same += ["\tsame &= value->bits == (seed & 127) && value->more == (int)(seed >> 8 & 4095) - 2048;"]
        return "\n".join(make + ["}", ""] + same + ["\treturn same;", "}", ""])


SIZES = {"bool": 1, "char": 1, "float": 4, "enum colour": 4, "long double": 16, "__int128": 16,
         "unsigned __int128": 16, "__float128": 16, "_Complex double": 16, "_Complex long double": 32,
         "v16f": 16, "v16d": 16, "v16i": 16}
SIZES.update({name: bits // 8 for name, bits, _ in INTEGERS})


class Function:
    def __init__(self, number, random_, structs):
        self.number, self.name = number, f"torture_{number}"
        pool = SCALARS * 2 + structs
        if random_.random() < 0.06:
            pool = pool + WIDE * 4
        count = random_.choice([0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 9, 12, 18])
        if random_.random() < 0.2:
            pool = ["int64_t", "int32_t", "void *", "uint8_t"]
        self.params = [random_.choice(pool) for _ in range(count)]
        self.result = random_.choice(pool + ["void"] * (len(pool) // 8 + 1))
        self.more = []
        if self.params and random_.random() < 0.15:
            self.params.append("int32_t")
            self.more = [random_.choice(PROMOTED + structs[:8]) for _ in range(random_.choice([0, 1, 3, 8, 30]))]
            self.variadic = True
        else:
            self.variadic = False

    def declare(self, names):
        params = ", ".join(f"{kind} {name}" for kind, name in zip(self.params, names))
        params = params or "void"
        return f"{self.result} {self.name}({params}{', ...' if self.variadic else ''})"

    def callee(self):
        names = [f"a{i}" for i in range(len(self.params))]
        lines = [self.declare(names), "{"]
        for i, kind in enumerate(self.params):
            lines += [f"\tif (!same_{identifier(kind)}(&a{i}, SEED({self.number}, {i})))",
                      f'\t\ttorture_wrong("callee", {self.number}, {i});']
        if self.variadic:
            lines += ["\tva_list list;", f"\tva_start(list, a{len(names) - 1});"]
            for i, kind in enumerate(self.more):
                lines += ["\t{", f"\t\t{kind} more = va_arg(list, {kind});",
                          f"\t\tif (!same_{identifier(kind)}(&more, SEED({self.number}, {100 + i})))",
                          f'\t\t\ttorture_wrong("callee", {self.number}, {100 + i});', "\t}"]
            lines += ["\tva_end(list);"]
        lines += ["\ttorture_inside();", f"\terrno = {self.number % 100 + 1};"]
        if self.result != "void":
            lines += [f"\t{self.result} result;",
                      f"\tmake_{identifier(self.result)}(&result, SEED({self.number}, 999));",
                      "\treturn result;"]
        return "\n".join(lines + ["}", ""])

    def caller(self):
        lines = [f"static void call_{self.number}(void)", "{"]
        values = []
        for i, kind in [*enumerate(self.params)] + [(100 + i, kind) for i, kind in enumerate(self.more)]:
            lines += [f"\t{kind} a{i};", f"\tmake_{identifier(kind)}(&a{i}, SEED({self.number}, {i}));"]
            values.append(f"a{i}")
        call = f"{self.name}({', '.join(values)})"
        lines.append("\terrno = 0;")
        if self.result == "void":
            lines.append(f"\t{call};")
        else:
            lines += [f"\t{self.result} result = {call};"]
        lines += [f"\tif (errno != {self.number % 100 + 1})",
                  f'\t\ttorture_wrong("errno", {self.number}, errno);']
        if self.result != "void":
            lines += [f"\tif (!same_{identifier(self.result)}(&result, SEED({self.number}, 999)))",
                      f'\t\ttorture_wrong("caller", {self.number}, 999);']
        return "\n".join(lines + ["}", ""])

    def values(self):
        found = {}
        integers = {name: (bits, signed) for name, bits, signed in INTEGERS}
        named = [(f"a{i}", i, kind) for i, kind in enumerate(self.params)] + [("result", 999, self.result)]
        for name, i, kind in named:
            seed = seed_of(self.number, i)
            if kind in integers:
                bits, signed = integers[kind]
                value = seed & ((1 << bits) - 1)
                found[name] = value - (1 << bits) if signed and value >> (bits - 1) else value
            elif kind in ("float", "double"):
                found[name] = (seed >> 20) / 8
        return found


def generate(folder, seed, count):
    random_ = random.Random(seed)
    structs, known = [], []
    for i in range(count // 4 + 10):
        structs.append(Struct(f"s{i}", random_, known))
        known.append(f"struct s{i}")
        SIZES[f"struct s{i}"] = 32
    functions = [Function(i, random_, known) for i in range(count)]
    makers = "\n".join(scalar_maker(n) + "\n" + scalar_same(n) for n in SCALARS + WIDE)
    makers += "\n" + "\n".join(s.both() for s in structs)
    with open(f"{folder}/torture.h", "w") as to:
        print(HEAD + "\n".join(s.declare() for s in structs), file=to)
        for f in functions:
            print(f.declare([f"a{i}" for i in range(len(f.params))]) + ";", file=to)
    with open(f"{folder}/callee.c", "w") as to:
        print('#include "torture.h"\n' + COMMON + makers, file=to)
        for f in functions:
            print(f.callee(), file=to)
    with open(f"{folder}/caller.c", "w") as to:
        print('#include "torture.h"\n' + COMMON + makers, file=to)
        for f in functions:
            print(f.caller(), file=to)
        print("extern void (*const torture_calls[])(void);\nextern const int torture_count;", file=to)
        print("void (*const torture_calls[])(void) = {", file=to)
        for f in functions:
            print(f"\tcall_{f.number},", file=to)
        print(f"}};\nconst int torture_count = {count};", file=to)
    with open(f"{folder}/values.json", "w") as to:
        json.dump({f.name: f.values() for f in functions}, to)


def is_near(got, value):
    """Integers are exact; a float has 24 bits."""
    return int(got) == value if isinstance(value, int) else abs(float(got) - value) <= abs(value) / (1 << 23)


def check(folder, trace, calls, unwound, names):
    with open(f"{folder}/values.json") as file:
        values = json.load(file)
    with open(names) as file:
        by_name = set(file.read().split())
    with open(trace) as file:
        events = [e for e in json.load(file) if e["ph"] == "X"]
    counts, wrong = collections.Counter(), []
    for event in events:
        counts[event["name"]] += 1
        args = event.get("args", {})
        if bool(args.get("unwound")) != bool(unwound):
            wrong.append(f"{event['name']}: unwound is {args.get('unwound')}")
        if event["name"] in by_name:
            continue
        for name, value in values[event["name"]].items():
            if name == "result" and (unwound or name not in args):
                continue
            if name not in args and args.get("a0") is None:
                continue
            if name not in args or not is_near(args[name], value):
                wrong.append(f"{event['name']}: {name} is {args.get(name)}, not {value}")
    for name in values:
        if counts[name] != calls:
            wrong.append(f"{name}: {counts[name]} calls, not {calls}")
    print("\n".join(wrong[:20]))
    return bool(wrong)


if sys.argv[1] == "--check":
    sys.exit(check(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), sys.argv[6]))
generate(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
