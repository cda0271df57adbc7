# tests: see doc/internals.md
