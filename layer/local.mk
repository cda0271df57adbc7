# layer: see doc/internals.md
