#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_models.py HEADER-MODEL DEBUG-MODEL...: say where the model that a header gives differs from those that debug information gives: what differs in
DEBUG-MODEL stands in DEBUG-MODEL.said.

Places, comments, and the reasons why C code can't pass a function on, only headers have. The place of an unnamed type is a part of its
spelling. Nothing does if all else is equal."""
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


PARTS = (('functions', 'name'), ('types', 'spelling'))
headers = {key: listed(sys.argv[1], key, name) for key, name in PARTS}
for path in sys.argv[2:]:
    with open(path + '.said', 'w') as said:
        for key, name in PARTS:
            header, debug = headers[key], listed(path, key, name)
            for one in sorted(set(header) | set(debug)):
                if header.get(one) != debug.get(one):
                    print(f'{key}: {one}\n  header: {json.dumps(header.get(one))}\n  debug:  {json.dumps(debug.get(one))}', file=said)
