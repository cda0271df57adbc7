#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ur_table.py UR_API_H: print timeline_ur_table.h, the names and kinds of the unified runtime's parameters.

Maintainers run it when a new unified runtime comes. The build does not need it, nor ur_api.h.
"""
import re
import sys

NUMBERS = {"uint32_t": "UR_UNSIGNED_32", "uint64_t": "UR_UNSIGNED_64", "size_t": "UR_UNSIGNED_64",
           "int32_t": "UR_SIGNED_32", "bool": "UR_TRUTH_8", "ur_bool_t": "UR_TRUTH_8",
           "ur_rect_offset_t": "UR_TRIPLE", "ur_rect_region_t": "UR_TRIPLE"}
# Keys that the timeline gives a slice itself.
TAKEN = {"source", "id", "instance", "parent", "type", "bytes", "address", "from", "to", "result"}


def typedefs(text):
    """The types that are another type, by name."""
    return dict((name, old) for old, name in re.findall(r"typedef (\w+) (ur_\w+);", text))


def enums(text):
    """The values of each enum by name; the first name of a value counts."""
    found = {}
    for name, body in re.findall(r"typedef enum (ur_\w+) \{(.*?)\} \1;", text, re.S):
        values = {}
        for word, value in re.findall(r"^  (UR_\w+) = (0x[0-9a-fA-F]+|\d+),?", body, re.M):
            values.setdefault(int(value, 0), word)
        found[name] = {v: w for v, w in values.items() if v <= 0x7ffffffe}
    return found


def kind(declared, known, values):
    declared = declared.removeprefix("const ") if not declared.endswith("*") else declared
    if declared == "const char *":
        return "UR_TEXT"
    if declared.endswith("*"):
        return "UR_ADDRESS"
    if declared in values:
        return "UR_ENUM"
    bits = declared.endswith("_flags_t")
    while declared in known and declared not in NUMBERS:
        declared = known[declared]
    if bits:
        return "UR_BITS_32" if declared == "uint32_t" else "UR_BITS_64"
    return NUMBERS.get(declared, "UR_ADDRESS")


def calls(text):
    """Name and parameters (type, name) of each function that has a struct of parameters."""
    for name, struct in re.findall(r"@brief Function parameters for (\w+)\n.*?typedef struct (\w+_params_t)", text, re.S):
        members = re.search(r"typedef struct " + struct + r" \{(.*?)\}", text, re.S)[1]
        # Each member is a pointer to a parameter, with a p before the parameter's name.
        parameters = [(declared[:-1].strip(), parameter) for declared, parameter in
                      re.findall(r"^  (.*?\*)p(\w+);", members, re.M)]
        assert len(parameters) == members.count(";"), name
        yield name, parameters


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    known, values = typedefs(text), enums(text)
    rows, used = [], set()
    for name, parameters in sorted(calls(text)):
        row = []
        for declared, parameter in parameters:
            what = kind(declared, known, values)
            key = "ur." + parameter if parameter in TAKEN else parameter
            used.update([declared] if what == "UR_ENUM" else [])
            row.append('{"%s", %s, %s}' % (key, what, "%s_names" % declared if what == "UR_ENUM" else "NULL"))
        rows.append((name, row))
    print("/* SPDX-License-Identifier: MIT */\n/*\n * timeline_ur_table.h: the unified runtime's functions and their parameters."
          "\n *\n * ur_table.py made this file from ur_api.h.\n */\n/* clang-format off */")
    for enum in sorted(used):
        print("static const struct ur_name %s_names[] = {" % enum)
        for value, word in sorted(values[enum].items()):
            print("\t{%#x, \"%s\"}," % (value, word))
        print("\t{0, NULL},\n};")
    print("/* Sorted by name, for a binary search. */\nstatic const struct ur_function ur_functions[] = {")
    for name, row in rows:
        print('\t{"%s", %d, {' % (name, len(row)))
        for parameter in row:
            print("\t\t%s," % parameter)
        print("\t}},")
    print("};\n/* clang-format on */")
    print("most parameters: %d" % max(len(row) for _, row in rows), file=sys.stderr)


main()
