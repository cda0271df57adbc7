# SPDX-License-Identifier: MIT
"""
model_part.py MODEL PATTERN: leaves those functions in a model (tracegen model) whose names match the pattern from their
beginning to their end. A compiler takes seconds for the shims of a large header.
"""
import json
import re
import sys

with open(sys.argv[1]) as file:
    model = json.load(file)
model["functions"] = [one for one in model["functions"] if re.fullmatch(sys.argv[2], one["name"])]
model["getprocs"] = []
assert model["functions"], "no function of that name"
with open(sys.argv[1], "w") as file:
    json.dump(model, file)
print(len(model["functions"]))
