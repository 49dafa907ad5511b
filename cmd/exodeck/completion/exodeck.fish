# Completion of exodeck's commands and flags for fish. In ~/.config/fish/config.fish:
#   exodeck completion fish | source
function __exodeck_complete
    set -l asked (commandline -opc)
    set -l cur (commandline -ct)
    # What follows is another program's.
    if contains -- -- $asked
        __fish_complete_path $cur
        return
    end
    switch $cur
        case --
            set -a asked -
        case '-*'
            set -a asked $cur
    end
    set -l found ($asked --generate-bash-completion 2>/dev/null)
    if test -n "$found"
        printf '%s\n' $found
    else
        __fish_complete_path $cur
    end
end
complete -c exodeck -f -a '(__exodeck_complete)'
