# SPDX-License-Identifier: MIT
# copies.awk: a compiler's assembly of shims, completed by those that are the same machine code.
#
# Of the 800 shims that the library and `run --mpi` have, only some 170 differ in more than names: the others take words of the
# same sizes. With TL_COPIES the compiler is given these 170 alone, and a line "# copy NAME LIKE" for each other. Here the
# functions of LIKE are written once more for NAME, with its names and with labels of their own. So each function has a body
# of its own; but no debug information, so this is for compiling without -g.
#
# A function is what stands from one end to the next: .size, or where it has an unlikely part, the label .LHOTE behind that.
# Exits with 1 where the assembly looks otherwise; then all shims are to be compiled.

/^[ \t]*# copy / {
	copies[$4] = copies[$4] " " $3
	expected += 3
	next
}
{
	text = text $0 "\n"
}
/^[ \t]*\.size[ \t]/ {
	name = $2
	sub(/,.*/, "", name)
}
/^[ \t]*\.(p2align|section)[ \t]/ && !begun {
	# What stands before the first function belongs to the file.
	printf "%s", substr(text, 1, length(text) - length($0) - 1)
	text = $0 "\n"
	begun = 1
}
/^[ \t]*\.size[ \t]/ && text !~ /\n\.LHOTB/ || /^\.LHOTE/ {
	printf "%s", text
	sub(/\.cold$/, "", name)
	like = name
	sub(/^(traced_|invoke_|shim_)/, "", like)
	if (like in copies) {
		for (rest = text; match(rest, /\.L[A-Za-z_]*[0-9]+/); rest = substr(rest, RSTART + RLENGTH))
			if (!index(text, "\n" substr(rest, RSTART, RLENGTH) ":"))
				exit failed = 1
		gsub(like, "\001", text)
		gsub(/\.L[A-Za-z_]*[0-9]+/, "&\002", text)
		count = split(copies[like], names, " ")
		for (i = 1; i <= count; i++) {
			copy = text
			gsub(/\001/, names[i], copy)
			gsub(/\002/, "." i, copy)
			printf "%s", copy
			made++
		}
	}
	text = ""
}
END {
	printf "%s", text
	if (failed || made != expected)
		exit 1
}
