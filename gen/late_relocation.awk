# SPDX-License-Identifier: MIT
# late_relocation.awk: a compiler's assembly, in which the dynamic linker has no constant pointers to fill in.
#
# A library's tables are full of pointers, and the dynamic linker writes each of them when the library is loaded: of the
# built-in APIs some 15,000, in 90 pages, in every process. Here each pointer in the tables becomes its distance from where it
# stands, which the link fixes, plus a mark, and its place is noted in a list. layer/resolve/late_relocation.c makes pointers of
# them when somebody first needs the tables.
#
# The tables go into a section of their own. Other sections stay as they are: the unwinder's, for instance, and debug information.

/^[ \t]*\.section[ \t]+\.data\.rel(\.ro)?(\.local)?(,"aw".*)?[ \t]*$/ || /^[ \t]*\.data[ \t]*$/ {
	tables = 1
	print "\t.section\ttl_late,\"aw\",%progbits"
	next
}
/^[ \t]*\.(section|pushsection|popsection|previous|subsection|text|data|bss)([ \t]|$)/ {
	tables = 0
}
tables && /^[ \t]*\.(quad|xword|8byte)[ \t]+[^-+0-9 \t]/ {
	target = $0
	sub(/^[ \t]*\.[a-z0-9]+[ \t]+/, "", target)
	sub(/[ \t]*(#|\/\/).*$/, "", target)
	print "\t.pushsection\ttl_late_words,\"a\",%progbits\n\t.long\t77f - .\n\t.popsection"
	print "77:\t.quad\t" target " - . + 0x4000000000000000"
	next
}
{ print }
