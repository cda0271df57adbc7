# SPDX-License-Identifier: MIT
"""
names.py TREE: what comments and pages name must be there. Prints each name that is not, and exits with
1 if there is one:

* a file with its folder (layer/write/block.c), or a source by its own name (block.c), in a comment or a page;
* a function or a type of tracelayer (tl_...), in a comment, in doc/internals.md or in CONTRIBUTING.md;
* a static function of the product that is named by one word: such a name does not say its object.

CONTRIBUTING.md tells how to write files that are not there. So do some comments: a name in capitals
(PREFIX_shims.c) stands for many, and apis/ is in the build folder.
"""
import os
import re
import sys

TOPS = "annotations bench callbacks cli common doc examples format gen include layer models scripts tables tests xpti".split()
SOURCE = re.compile(r"\.(c|cc|h|S)$")
FILE = re.compile(r"(?<![\w./%$~*{<>-])((?:[\w-]+/)*[\w-]+\.(?:c|cc|h|S|py|sh|md|pml|mk))\b(?![\w/]|\.\w)")
NAME = re.compile(r"\b(tl_\w*[a-z0-9])\b(?!\.\w|[*/])")
# Strings, so that a comment's sign in one is none; then comments.
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(/\*.*?\*/|//[^\n]*)', re.S)
HASH = re.compile(r"(?:^|(?<=\s))#[^\n]*")
STATIC = re.compile(r"^static (?:inline |noinline |__attribute__\(\([^()]*(?:\([^()]*\))?\)\) )*[\w \t*]+?[ *](\w+)\([^;]*?\n\{", re.M)
# What the page that tells how to write a file calls it.
TO_WRITE = re.compile(r"lz4|csv|count|hello")


# What others or the build make, and examples.
ELSEWHERE = {"ittnotify.h", "cupti_activity.h", "ittnotify_config.h", "jpeglib.h", "gmp.h", "zel_tracing_ddi.h", "mprintf.h", "ur_api.h",
             "pftrace_pb2.py", "test_array.py", "ze_tracing.c", "xpti/table.h", "foo.c", "mine.c", "tl_library_ze"}


def files_of(tree):
    for top in TOPS:
        for folder, folders, files in os.walk(os.path.join(tree, top)):
            # What a release's tarball carries in addition is in gen/made.
            folders[:] = [name for name in folders if name not in ("__pycache__", "made")]
            for name in sorted(files):
                yield os.path.relpath(os.path.join(folder, name), tree)
    yield from (name for name in sorted(os.listdir(tree)) if name.endswith((".md", ".am", ".ac")))


def parted(path, text):
    """The comments of a file, each with its place, and the rest of it."""
    if SOURCE.search(path) or path.endswith((".pml", ".js", ".css")):
        found = [match for match in TOKEN.finditer(text) if match.group(1)]
    elif path.endswith((".sh", ".py", ".mk", ".am", ".ac")) or path.startswith("scripts/"):
        found = list(HASH.finditer(text))
        if path.endswith(".py"):
            found += re.finditer(r'""".*?"""', text, re.S)
    elif re.search(r"\.(md|[157]|[157]\.in)$", path):
        return [(0, text)], ""
    else:
        return [], text
    rest = list(text)
    for match in found:
        rest[match.start():match.end()] = " " * (match.end() - match.start())
    return [(match.start(), match.group(0)) for match in found], "".join(rest)


def missing_file(name, path, code, tree):
    """Whether NAME, in a comment of the file PATH, is a file that is not there."""
    if re.search(r"[A-Z]{3}", name.replace("README", "").replace("CONTRIBUTING", "").replace("CHANGELOG", "")):
        return False
    if path == "CONTRIBUTING.md" and TO_WRITE.search(name):
        return False
    if "/" in name:
        return name.split("/")[0] in TOPS and not os.path.exists(os.path.join(tree, name))
    # A bare name may be that of a foreign header, or of a file that the script itself makes.
    return not path.endswith((".md", ".1", ".5", ".7", ".in")) and name not in code


def main(tree):
    texts, wrong = {}, []
    for path in files_of(tree):
        try:
            with open(os.path.join(tree, path), encoding="utf-8") as file:
                texts[path] = file.read()
        except UnicodeDecodeError:
            pass
    parts = {path: parted(path, text) for path, text in texts.items()}
    bare = {os.path.basename(path).removesuffix(".in") for path in texts}
    included = {os.path.basename(name) for _, rest in parts.values()
                for name in re.findall(r'#\s*include\s*[<"]([^>"]+)[>"]', rest)}
    words = set()
    for path, (_, rest) in parts.items():
        words |= set(re.findall(r"\w+", rest))
    for path, (comments, rest) in parts.items():
        for start, comment in comments:
            def say(match, what):
                line = texts[path].count("\n", 0, start + match.start()) + 1
                wrong.append(f"{path}:{line}: {match.group(1)}: {what}")

            for match in FILE.finditer(comment):
                name = match.group(1)
                if name in bare or name in included or name in ELSEWHERE:
                    continue
                if missing_file(name, path, rest, tree):
                    say(match, "no such file")
            if SOURCE.search(path) or path in ("doc/internals.md", "CONTRIBUTING.md"):
                for match in NAME.finditer(comment):
                    name = match.group(1)
                    if name not in words | ELSEWHERE and not (path == "CONTRIBUTING.md" and TO_WRITE.search(name)):
                        say(match, "nothing has this name")
        if SOURCE.search(path) and not path.startswith(("tests/", "bench/", "examples/", "include/")):
            for match in STATIC.finditer(texts[path]):
                if "_" not in match.group(1) and match.group(1) != "ElfW":
                    line = texts[path].count("\n", 0, match.start()) + 1
                    wrong.append(f"{path}:{line}: {match.group(1)}: a static function's name says its object")
    for line in sorted(wrong):
        print(line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
