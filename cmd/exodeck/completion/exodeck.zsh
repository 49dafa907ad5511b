#compdef exodeck
# Completion of exodeck's commands and flags for zsh. In ~/.zshrc, behind compinit:
#   source <(exodeck completion zsh)
_exodeck() {
	local cur=${words[CURRENT]}
	local -a asked found
	asked=("${(@)words[1,CURRENT-1]}")
	# What follows is another program's.
	if (( ${asked[(Ie)--]} )); then
		_files
		return
	fi
	case $cur in
	--) asked+=(-) ;;
	-*) asked+=("$cur") ;;
	esac
	# With "0" set so, commands come with what they do.
	found=("${(@f)$(env 0=zsh "${asked[@]}" --generate-bash-completion 2>/dev/null)}")
	if [[ -n ${found[1]} ]]; then
		_describe exodeck found
	else
		_files
	fi
}
compdef _exodeck exodeck
