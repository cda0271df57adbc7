# bench: see doc/internals.md
