# Completion of exodeck's commands and flags for bash. In ~/.bashrc:
#   source <(exodeck completion bash)
_exodeck() {
	local word cur=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]:0:COMP_CWORD}")
	COMPREPLY=()
	for word in "${words[@]}"; do
		# What follows is another program's.
		if [[ $word == -- ]]; then return; fi
	done
	case $cur in
	--) words+=(-) ;;
	-*) words+=("$cur") ;;
	esac
	local IFS=$'\n'
	# shellcheck disable=SC2207 # bash 3.2 of macOS has no mapfile
	COMPREPLY=($(compgen -W "$("${words[@]}" --generate-bash-completion 2>/dev/null)" -- "$cur"))
}
complete -o bashdefault -o default -F _exodeck exodeck
