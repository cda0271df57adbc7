# SPDX-License-Identifier: MIT
# tracelayer.fish: completes the words of tracelayer for fish. `tracelayer --complete` lists the commands, and `tracelayer --complete COMMAND` its options.

# The options of the command that the line has, as "--name=" and what it does.
function __tracelayer_options
	set -l words (commandline -opc)
	string match -q -- '-*' (commandline -ct); or return
	tracelayer --complete $words[2] 2>/dev/null | while read -l -d \t name value does
		if string match -q -- '--*' $name; and string match -q -- '=*' $value
			printf '%s=\t%s\n' $name $does
		else
			printf '%s\t%s\n' $name $does
		end
	end
end

function __tracelayer_apis
	tracelayer apis --format=csv 2>/dev/null | awk -F, 'NR > 1 { print $1 }'
end

complete -c tracelayer -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -f -a '(tracelayer --complete 2>/dev/null | string replace -r "\t+" "\t")'
complete -c tracelayer -n __fish_use_subcommand -f -a help -d 'say what a command does'
complete -c tracelayer -n 'not __fish_use_subcommand' -a '(__tracelayer_options)'
complete -c tracelayer -n '__fish_seen_subcommand_from run' -l api -x -a '(__tracelayer_apis)'
# What run and profile start: a program, with its own words.
complete -c tracelayer -n '__fish_seen_subcommand_from run profile; and not string match -q -- "-*" (commandline -ct)' -f -a '(__fish_complete_subcommand --fcs-skip=2)'
