# SPDX-License-Identifier: MIT
# tab.zsh FOLDER LINE: the line after zsh, which finds _tracelayer in the folder, has completed it.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= PROMPT= RPROMPT=; stty -echo cols 250; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D; setopt nolistbeep; bindkey -e; show() { print -r -- \"<\$BUFFER>\"; BUFFER=; }; zle -N show; bindkey '^X^X' show; print READY"
zpty -r -m shell out '*READY*'
zpty -n -w shell "$2"$'\t\C-x\C-x'
zpty -r -m shell out '*<tracelayer*>*'
print -r -- "${${out##*<}%%>*}"
zpty -d shell
