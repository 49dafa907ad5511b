# shellcheck shell=bash
# To be sourced: what the scripts of this folder share.

# retry COMMAND...: a command that needs the network, which may fail for a moment.
retry() {
	local pause
	for pause in 5 20; do
		if "$@"; then return; fi
		echo "failed; once more in $pause s: $*" >&2
		sleep "$pause"
	done
	"$@"
}
