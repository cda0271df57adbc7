#!/bin/bash
# SPDX-License-Identifier: MIT
# completions.sh: what bash, zsh and fish make of a line when the user presses the tab key; slips in commands and options; help.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
plan 67
export PATH=$top_builddir:$PATH HOME=$tmp XDG_CONFIG_HOME=$tmp XDG_CACHE_HOME=$tmp XDG_DATA_HOME=$tmp
top_srcdir=$(cd "$top_srcdir" && pwd)
folder=$top_srcdir/cli/completions
touch "$tmp/trace-of-today.tlt"
cd "$tmp" || exit 99

# --- slips and help
said() { "$tracelayer" "$@" 2>&1; echo $?; }
is "$(said rnu -- true)" "tracelayer: rnu: no such command; did you mean run? \`tracelayer --help\` lists the commands
2" "a slip in a command"
is "$(said helo)" "tracelayer: helo: no such command; \`tracelayer --help\` lists the commands
2" "a word that is near to none"
is "$(said summary --tabel=calls t.json)" "tracelayer: --tabel: no such option; did you mean --table? \`tracelayer summary --help\` lists the options
2" "a slip in an option"
is "$(said export -o x --qwerty t.tlt)" "tracelayer: --qwerty: no such option; \`tracelayer export --help\` lists the options
2" "an option that is near to none"
is "$(said run -Q true)" "tracelayer: -Q: no such option; \`tracelayer run --help\` lists the options
2" "a letter that is no option"
is "$(said run --quiet -o none.json sh -c 'echo "$@"' - --tabel --qwerty -Q -h)" "--tabel --qwerty -Q -h
0" "what follows the program is the program's"
is "$(said summary --ta)" "tracelayer: --table: its value is missing; \`tracelayer summary --help\` lists the options
2" "the beginning of an option is the option"
is "$(said run --m=1 true)" "tracelayer: --m: several options begin so: --memory, --mpi; write the one that you mean
2" "unless it is that of two"
is "$(said export --pro='*')" "tracelayer export: no file given; name a trace, or several .tlt files or a folder of them
2" "an option that is in no page is not among them: argp's --program-name"
is "$(said export -o)" "tracelayer: -o: its value is missing; \`tracelayer export --help\` lists the options
2" "a letter without its value"
is "$(said run --quiet=yes true; said summary --help=all)" "tracelayer: --quiet=yes: this option takes no value; leave out =yes
2
tracelayer: --help=all: this option takes no value; leave out =all
2" "a value that an option does not take"
is "$(said profile --frequency=often -V)" "$(said --version)" "what asks for the version gets it"
is "$(said export -o x '-?')" "$(said export --help)" "and what asks for help"
is "$(said summary --by=colour t.json)" "tracelayer summary: --by=colour: no such grouping; give function, thread, queue, process, request, size or stack
2" "a value that is none, in one line"
is "$(said run)" "tracelayer run: no program given; give one after the options: tracelayer run -- ./app
2" "and so is what is missing"
for command in run summary export phases; do
	is "$("$tracelayer" help $command; echo $?)" "$("$tracelayer" $command --help; echo $?)" "help $command is $command --help"
	is "$("$tracelayer" $command -h; echo $?)" "$("$tracelayer" $command --help; echo $?)" "so is $command -h"
done
for command in run summary; do
	like "$("$tracelayer" $command --help | sed -n '/^$/{n;p;q}')" '^ What is [a-z]+:$' "$command --help: each option is in a group"
done
is "$("$tracelayer" -h)" "$("$tracelayer" --help)" "-h alone is --help"
is "$(said help sumary)" "tracelayer: sumary: no such command; did you mean summary? \`tracelayer --help\` lists the commands
2" "help for a slip"
is "$(said help --help)" "$(said --help)" "help --help is --help"
is "$(said help run summary)" "tracelayer: help: summary: one command at a time; leave it out
2" "help for two commands"
is "$(said '')" "tracelayer: '': no such command; \`tracelayer --help\` lists the commands
2" "an empty name of a command"
is "$(said run '')" "tracelayer: '': no such program; check the name, or give its path
127" "an empty name of a program"
is "$(said summary t.json '')" "tracelayer: an argument is empty; leave it out, or give what \`tracelayer summary --help\` lists
2" "an empty name of a file"
is "$(said run --api= true)" "tracelayer: --api: its value is empty; give NAME, or leave the option out
2" "an empty value"
is "$(said run --quiet -o none.json --level= --cflags= true)" "0" "what may be empty is the default"
# --- options that would have no effect together
is "$(said export --gpu-tracks=perfetto -o all.json trace-of-today.tlt)" "tracelayer: --gpu-tracks=perfetto: only a .pftrace has such tracks; name the output so with -o
2" "GPU tracks of a file that has none"
is "$(said export --systrace --name=f trace-of-today.tlt)" "tracelayer: --systrace: it takes a whole file; export the part to a .json first, and that with --systrace
2" "a part, for a systrace"
is "$(said export --systrace -o all.json trace-of-today.tlt)" "tracelayer: all.json: --systrace makes text, and no trace of this ending; name it .systrace, or leave --systrace out
2" "a systrace that is called a trace"
is "$(said export --systrace --gpu-tracks=perfetto trace-of-today.tlt)" "tracelayer: --gpu-tracks=perfetto: only a .pftrace has such tracks; leave it or --systrace out
2" "GPU tracks of a systrace"
is "$(said summary --symbols=. trace-of-today.tlt)" "tracelayer summary: --symbols: only stacks have symbols; add --by=stack, or leave it out
2" "symbols without stacks"
is "$(said recover --all --format=csv)" "tracelayer recover: --format: only the list has a format; add --list, or leave it out
2" "the format of a list, without the list"
is "$(said apis --build=zlib --format=csv)" "tracelayer apis: --build and --format: only the list has a format; leave one of them out
2" "the same of APIs"

# --- empty values
# Each of these options is refused in one line, and none makes a file.
for command in export profile top summary diff report view apis phases; do
	files=(trace-of-today.tlt)
	case $command in diff) files+=(trace-of-today.tlt) ;; apis) files=() ;; esac
	"$tracelayer" --complete $command | awk -F '\t' '$1 ~ /^--/ && $2 ~ /^=/ { print $1 }' | while read -r option; do
		for value in '' ' '; do
			result=$(timeout 20 "$tracelayer" $command "$option=$value" "${files[@]}" 2>&1 >/dev/null </dev/null; echo "=$?")
			[[ $result =~ ^tracelayer[^$'\n']*': '--[^$'\n']*$'\n=2'$ ]] || echo "$command $option='$value': $result"
		done
	done
done >wrong
is "$(cat wrong)$(ls)" "trace-of-today.tlt
wrong" "each option that needs a value says what an empty or a blank one lacks"
rm wrong
for command in $("$tracelayer" --complete | cut -f1); do
	diff <("$tracelayer" --complete $command | awk -F '\t' '$1 ~ /^--/ { print $1 }' | grep -vx -- --help | sort) \
		<("$tracelayer" $command --help | grep -oE '^(  -., |      )--[a-z-]+' | grep -oE -- '--[a-z-]+' | grep -vxE -- '--(help|usage|version)' | sort) || echo "$command"
done >different
is "$(cat different)" "" "--complete lists the options that --help prints, of each command"

# --- bash: bash_tab WORD…: what it offers for the last word
bash_tab()
{
	bash --norc --noprofile -c 'source "$0"; compopt() { echo "($*)"; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tracelayer; printf "%s\n" "${COMPREPLY[@]}" | sort -u' \
		"$folder/tracelayer.bash" "$@" | paste -sd' '
}
is "$(bash_tab tracelayer su)" "summary" "bash: a command"
is "$(bash_tab tracelayer run --ar)" "(-o nospace) --args=" "bash: an option that takes a value"
is "$(bash_tab tracelayer run --qui)" "--quiet" "bash: one that takes none"
is "$(bash_tab tracelayer run --device = y)" "yes" "bash: a value of some"
is "$(bash_tab tracelayer run --api = vul)" "vulkan" "bash: an API"
is "$(bash_tab tracelayer export -o "")" "(-o default) " "bash: a file"
is "$(bash_tab tracelayer run --device no --summary gunzi)" "(-o filenames) gunzip" "bash: a program behind a value of its own word, and an option that may have one"
is "$(bash_tab tracelayer run --args = full -- gunzi)" "(-o filenames) gunzip" "bash: a program"
is "$(bash_tab tracelayer run gunzip --re)" "(-o default) " "bash: and what is the program's own"
is "$(bash_tab tracelayer help dif)" "diff" "bash: a command that help tells of"

# --- zsh
zsh_tab() { timeout 60 zsh -f "$top_srcdir/tests/cli/completions/tab.zsh" "$folder" "$*"; }
is "$(zsh_tab tracelayer summa)" "tracelayer summary " "zsh: a command"
is "$(zsh_tab tracelayer run --ar)" "tracelayer run --args=" "zsh: an option that takes a value"
is "$(zsh_tab tracelayer run --qui)" "tracelayer run --quiet " "zsh: one that takes none"
is "$(zsh_tab tracelayer run --device=y)" "tracelayer run --device=yes " "zsh: a value of some"
is "$(zsh_tab tracelayer run --api=vul)" "tracelayer run --api=vulkan " "zsh: an API"
is "$(zsh_tab tracelayer export trace-)" "tracelayer export trace-of-today.tlt " "zsh: a file"
is "$(zsh_tab tracelayer run --args=full -- gunzi)" "tracelayer run --args=full -- gunzip " "zsh: a program"
is "$(zsh_tab tracelayer run --quiet gzip --recu)" "tracelayer run --quiet gzip --recursive " "zsh: and its options"

# --- fish
fish_tab() { fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$folder/tracelayer.fish" "$*" | cut -f1 | paste -sd' '; }
is "$(fish_tab tracelayer summa)" "summary" "fish: a command"
is "$(fish_tab tracelayer run --ar)" "--args=" "fish: an option that takes a value"
is "$(fish_tab tracelayer run --qui)" "--quiet" "fish: one that takes none"
is "$(fish_tab tracelayer run --api=vul)" "--api=vulkan" "fish: an API"
is "$(fish_tab tracelayer export trace-)" "trace-of-today.tlt" "fish: a file"
is "$(fish_tab tracelayer run --args=full -- gunzi)" "gunzip" "fish: a program"
