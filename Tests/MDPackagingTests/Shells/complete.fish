# complete.fish SCRIPT LINE…: prints what fish offers behind each line.
source $argv[1]
for line in $argv[2..-1]
    string join '|' -- (complete -C "$line" | string replace -r '\t.*' '') ''
end
