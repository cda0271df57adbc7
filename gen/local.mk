# gen: see doc/internals.md
