/// The scripts by which shells ask for completions.
///
/// A script knows no verb and no option: it asks the command that is installed, so both always agree.
enum CompletionScript: String, CaseIterable {
    /// Bash 4.4 or later, with or without bash-completion.
    case bash
    /// Zsh 5.
    case zsh
    /// Fish 3.
    case fish

    /// The text of the script.
    var text: String {
        switch self {
        case .bash: CompletionScript.bashText
        case .zsh: CompletionScript.zshText
        case .fish: CompletionScript.fishText
        }
    }

    /// For bash, which takes candidates as they are: each is quoted, because names come from files of users.
    private static let bashText = #"""
        # Completion of mdefaults(1) in bash; made by: mdefaults completions bash

        _mdefaults() {
            local current=${COMP_WORDS[COMP_CWORD]} word line
            local -a words=()
            # Bash makes a word of its own of the sign in --user=alice.
            for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [[ $word == = ]] || words+=("$(_mdefaults_plain "$word")")
            done
            [[ $current == = ]] && current=
            local plain
            plain=$(_mdefaults_plain "$current")
            COMPREPLY=()
            while IFS= read -r line; do
                if [[ $line == : ]]; then
                    compopt -o filenames 2>/dev/null
                    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$plain")
                else
                    printf -v word %q "${line%%$'\t'*}"
                    COMPREPLY+=("$word")
                fi
            done < <(command "${COMP_WORDS[0]}" completions --words "${words[@]}" "$plain" 2>/dev/null)
        }

        # A typed word without its quotes and backslashes; nothing in it is evaluated.
        _mdefaults_plain() {
            local text=$1 result= character index
            for ((index = 0; index < ${#text}; index++)); do
                character=${text:index:1}
                case $character in
                \\) result+=${text:index+1:1}; ((index++)) ;;
                \" | \') ;;
                *) result+=$character ;;
                esac
            done
            printf %s "$result"
        }

        complete -F _mdefaults mdefaults

        """#

    /// For zsh, which quotes what it inserts.
    private static let zshText = #"""
        #compdef mdefaults
        # Completion of mdefaults(1) in zsh; made by: mdefaults completions zsh

        _mdefaults() {
            local line name
            local -a plain names notes
            plain=("${(@Q)words[2,CURRENT-1]}")
            while IFS= read -r line; do
                if [[ $line == : ]]; then
                    _files
                else
                    name=${line%%$'\t'*}
                    names+=("$name")
                    if [[ $line == *$'\t'?* ]]; then
                        notes+=("$name  -- ${line#*$'\t'}")
                    else
                        notes+=("$name")
                    fi
                fi
            done < <(command "${(Q)words[1]}" completions --words "${plain[@]}" "${(Q)PREFIX}" 2>/dev/null)
            (( $#names )) && compadd -l -d notes -a names
        }

        if [[ $funcstack[1] == _mdefaults ]]; then
            _mdefaults "$@"
        else
            compdef _mdefaults mdefaults
        fi

        """#

    /// For fish, which quotes what it inserts.
    private static let fishText = #"""
        # Completion of mdefaults(1) in fish; made by: mdefaults completions fish

        function __mdefaults_complete
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            set -l command $words[1]
            set -e words[1]
            for line in (command $command completions --words $words "$current" 2>/dev/null)
                if test "$line" = :
                    __fish_complete_path "$current"
                else
                    printf '%s\n' $line
                end
            end
        end

        complete -c mdefaults -f -a '(__mdefaults_complete)'

        """#
}
