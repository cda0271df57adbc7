# SPDX-License-Identifier: MIT
# tracelayer.bash: completes the words of tracelayer for bash. `tracelayer --complete` lists the commands, and `tracelayer --complete COMMAND` its options.

# The value of an option: =FILE of --output=FILE, [=yes|no] where it may be left out. Nothing, and false, if the option takes none.
_tracelayer_value()
{
	tracelayer --complete "$1" 2>/dev/null | awk -F '\t' -v option="$2" '$1 == option && $2 { print $2; found = 1 } END { exit !found }'
}

# The place of the program that run and profile start, among COMP_WORDS; 0: it is not reached.
_tracelayer_program()
{
	local place word
	for ((place = 2; place <= COMP_CWORD; place++)); do
		word=${COMP_WORDS[place]}
		case $word in
		--) echo $((place + 1)); return ;;
		-*)
			if test "${COMP_WORDS[place + 1]-}" = =; then
				((place += 2))
			elif _tracelayer_value "$1" "$word" | grep -q '^='; then
				((place++))
			fi
			;;
		*) echo $place; return ;;
		esac
	done
	echo 0
}

_tracelayer()
{
	local current=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} option= value= program=0
	COMPREPLY=()
	if test "$COMP_CWORD" -eq 1; then
		COMPREPLY=($(compgen -W "$(tracelayer --complete 2>/dev/null | cut -f1) help" -- "$current"))
		return
	fi
	if test "$command" = help; then
		COMPREPLY=($(compgen -W "$(tracelayer --complete 2>/dev/null | cut -f1)" -- "$current"))
		return
	fi
	case $command in
	run | profile)
		program=$(_tracelayer_program "$command")
		if test "$program" -gt 0 -a "$program" -lt "$COMP_CWORD"; then
			compopt -o default
			return
		elif test "$program" = "$COMP_CWORD"; then
			compopt -o filenames
			COMPREPLY=($(compgen -c -- "$current") $(compgen -f -- "$current"))
			return
		fi
		;;
	esac
	# bash takes "--output=FILE" for three words.
	if test "$current" = =; then
		option=$last current=
	elif test "$last" = =; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	else
		case $last in -*) option=$last ;; esac
	fi
	if test -n "$option" && value=$(_tracelayer_value "$command" "$option"); then
		value=${value//[\[\]=]/}
		case $option:$value in
		--api:*) COMPREPLY=($(compgen -W "$(tracelayer apis --format=csv 2>/dev/null | awk -F, 'NR > 1 { print $1 }')" -- "$current")) ;;
		*'|'*) COMPREPLY=($(compgen -W "${value//|/ }" -- "$current")) ;;
		*) compopt -o default ;;
		esac
		return
	fi
	case $current in
	-*)
		COMPREPLY=($(compgen -W "$(tracelayer --complete "$command" 2>/dev/null | awk -F '\t' '{ print $1 ($1 ~ /^--/ && $2 ~ /^=/ ? "=" : "") }')" -- "$current"))
		case ${COMPREPLY[0]-} in *=) compopt -o nospace ;; esac
		;;
	*) compopt -o default ;;
	esac
}
complete -F _tracelayer tracelayer
