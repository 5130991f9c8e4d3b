#!/usr/bin/env zsh
# What zsh offers for the last word of a command line, one a line: the completion runs in a shell of
# its own, on a terminal that nobody sees.
# usage: zsh_offers.zsh FOLDER_OF_COMPLETION 'COMMAND LINE'
emulate -L zsh
zmodload zsh/zpty zsh/zselect || exit 77
folder=$1 line=$2
heard=$(mktemp)
trap 'rm -f $heard $heard.dump' EXIT

zpty shell 'zsh -f -i'
tell() { zpty -w shell "$1"; }
tell "stty -echo 2>/dev/null; PS1=; HEARD=$heard; fpath=(${(q)folder} \$fpath)"
tell 'autoload -Uz compinit && compinit -u -d $HEARD.dump'
# What completions add goes to the file, too.
tell 'compadd() { local -a hits; [[ " $* " == *" -"[OAD]" "* ]] || { builtin compadd -O hits "$@"; print -rl -- $hits >>$HEARD; }; builtin compadd "$@"; }'
tell 'offer() { zle list-choices; print -r -- "= end" >>$HEARD; }; zle -N offer; bindkey "^T" offer'
tell 'print -r -- "= ready" >>$HEARD'

# Wait for a line of the file, ten seconds at most.
heard_of() {
    local k
    for ((k = 0; k < 500; k++)); do
        zpty -rt shell >/dev/null
        grep -qx "$1" $heard && return
        zselect -t 2
    done
    print -u2 "zsh_offers: zsh does not say '$1'"
    exit 1
}

heard_of '= ready'
zpty -wn shell "$line"$'\x14'
heard_of '= end'
grep -v '^= ' $heard | grep . | sort -u
zpty -d shell
exit 0
