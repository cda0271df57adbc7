# format: see doc/internals.md
