#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_models.py HEADER-MODEL DEBUG-MODEL: say where the model that a header gives differs from the one that debug information gives.

Places, comments, and the reasons why C code can't pass a function on, only headers have. The place of an unnamed type is a part of its
spelling. Prints nothing if all else is equal."""
import json
import re
import sys

HEADERS_ONLY = ('where', 'comment', 'left_out', 'only_generic')
UNNAMED = re.compile(r'(\w+::)*\((unnamed|anonymous) at [^)]*\)')


def plain(value):
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if key not in HEADERS_ONLY}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return UNNAMED.sub('(unnamed)', value) if isinstance(value, str) else value


def listed(path, key, name):
    with open(path) as file:
        return {one[name]: plain(one) for one in json.load(file)[key]}


for key, name in (('functions', 'name'), ('types', 'spelling')):
    header, debug = (listed(path, key, name) for path in sys.argv[1:3])
    for one in sorted(set(header) | set(debug)):
        if header.get(one) != debug.get(one):
            print(f'{key}: {one}\n  header: {json.dumps(header.get(one))}\n  debug:  {json.dumps(debug.get(one))}')
