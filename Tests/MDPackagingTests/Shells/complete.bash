# complete.bash SCRIPT LINE…: prints what bash offers behind each line, as its programmable completion is called.
source "$1"
shift
for line in "$@"; do
    read -r -a COMP_WORDS <<< "${line//=/ = }"
    [[ $line != *' ' ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _mdefaults
    printf '%s|' "${COMPREPLY[@]}"
    printf '\n'
done
