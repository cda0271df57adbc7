# cli: see doc/internals.md
