# doc: see doc/internals.md
