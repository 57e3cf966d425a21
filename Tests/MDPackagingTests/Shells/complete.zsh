# complete.zsh SCRIPT LINE…: prints what the line is once tab was pressed behind it, in an interactive zsh.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT= RPROMPT=; stty columns 500; autoload -Uz compinit && compinit -u -D; source ${(q)1}"
zpty -w shell 'unsetopt zle_bracketed_paste; bindkey "^I" complete-word; LISTMAX=1000'
# Control-X prints the line and empties it.
zpty -w shell 'show() { print -r -- "LINE""<$BUFFER>"; BUFFER= }; zle -N show; bindkey "^X" show; print -r READY""MARK'
zpty -r -m shell out '*READYMARK*'
shift
for line in "$@"; do
    zpty -w -n shell "$line"$'\t\x18'
    zpty -r -m shell out '*LINE<*>*'
    print -r -- "${${out##*LINE<}%%>*}"
done
zpty -d shell
