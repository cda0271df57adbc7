# tests: see doc/internals.md. Each owner keeps one block.

# --- whole programs, test applications, viewers
EXTRA_DIST += tests/lib.sh
