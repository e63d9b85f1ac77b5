# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Functions of the set-up scripts, to be sourced by any POSIX sh. Scripts print progress on
# descriptor 9, an error as one line on stderr, and results on stdout.

cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/vpmu

# The first script of a chain chooses where progress goes. The scripts that it starts inherit the
# descriptor, even inside $( ).
if [ -z "${VPMU_PROGRESS:-}" ] || ! { : >&9; } 2>/dev/null; then
    exec 9>&1
    VPMU_PROGRESS=9
    export VPMU_PROGRESS
fi

say() {
    printf '%s\n' "$*" >&9
}

# report LINE: prints the result of a test, PASS, FAIL or SKIP, and adds it to the results of make check
report() {
    printf '%s\n' "$*"
    [ -z "${VPMU_RESULTS:-}" ] || printf '%s\n' "$*" >>"$VPMU_RESULTS"
}

# die LINE: ends with an error of one line, which says what is wrong and what to do
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

step_start=
step_name=

# step WHAT: prints what is being done and why. The next step prints how long it took, if that was
# long.
step() {
    step_end
    step_name=$*
    step_start=$(date +%s)
    say "-- $step_name"
}

step_end() {
    if [ -n "$step_start" ]; then
        step_took=$(($(date +%s) - step_start))
        [ "$step_took" -lt 3 ] || say "   done in $step_took s: ${step_name%%:*}"
        step_start=
    fi
}

# Files to remove when the script ends, for whatever reason.
cleanup_dirs=
cleanup() {
    # One path for each line, because paths of the cache contain no newline.
    printf '%s\n' "$cleanup_dirs" | while IFS= read -r cleanup_dir; do
        [ -z "$cleanup_dir" ] || rm -rf -- "$cleanup_dir"
    done
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

remove_at_exit() {
    cleanup_dirs="$cleanup_dirs
$1"
}

# lock NAME: lets one script at a time continue. The lock is held until unlock, the next lock or the end
# of the script.
lock() {
    make_dir "$cache/locks"
    command -v flock >/dev/null || die "flock is missing: install util-linux"
    exec 8>"$cache/locks/$1" || die "cannot write $cache/locks/$1"
    if ! flock -n 8; then
        say "-- waiting for another run that is using the cache ($1)"
        flock 8
    fi
}

unlock() {
    exec 8>&-
}

# make_dir DIR
make_dir() {
    [ -d "$1" ] && return
    make_dir_error=$(mkdir -p -- "$1" 2>&1) || {
        disk_die "$1" "$make_dir_error"
        die "cannot make the directory $1: ${make_dir_error##*: }; XDG_CACHE_HOME can move the cache"
    }
}

# begin_dir DIR: sets $new_dir, an empty directory that publish_dir renames to DIR. Call it with the
# lock held, because it removes what a killed run has left.
begin_dir() {
    rm -rf -- "$1".tmp.*
    new_dir=$1.tmp.$$
    remove_at_exit "$new_dir"
    make_dir "$new_dir"
}

# publish_dir DIR: renames $new_dir to DIR, so that DIR is always complete
publish_dir() {
    if [ -e "$1" ]; then
        remove_at_exit "$1.tmp.old.$$"
        mv -T -- "$1" "$1.tmp.old.$$" || die "cannot replace $1"
    fi
    mv -T -- "$1.tmp.$$" "$1" || die "cannot publish $1"
}

# existing DIR: prints DIR, or its nearest parent that exists
existing() {
    existing_dir=$1
    while [ ! -d "$existing_dir" ]; do
        existing_dir=$(dirname -- "$existing_dir")
    done
    printf '%s\n' "$existing_dir"
}

# space_die DIR WANTED-MiB WHAT
space_die() {
    space_at=$(existing "$1")
    # shellcheck disable=SC2046 # two words: free MiB and mount point
    set -- "$1" "$2" "$3" $(df -Pk -- "$space_at" | awk 'NR == 2 { print int($4 / 1024), $6 }')
    die "full disk: $3 needs about $2 MiB in $1, file system $5 has $4 MiB free"
}

# need_space DIR MiB WHAT: ends with an error if the disk is too full, before any work is done
need_space() {
    space_free=$(df -Pk -- "$(existing "$1")" | awk 'NR == 2 { print int($4 / 1024) }')
    [ "${VPMU_SPACE_CHECK:-1}" = 0 ] || [ "$space_free" -ge "$2" ] || space_die "$1" "$2" "$3"
}

# disk_die DIR LOG-TEXT [MiB WHAT]: ends with an error if LOG-TEXT says that the disk was full
disk_die() {
    case $2 in
    *"No space left"* | *"Disk quota exceeded"* | *"enough free space"*)
        space_die "$1" "${3:-64}" "${4:-the cache}"
        ;;
    esac
}

# write_file FILE, append_file FILE: writes stdin to FILE, or appends it
write_file() {
    cat >"$1" 2>/dev/null || write_die "$1"
}

append_file() {
    cat >>"$1" 2>/dev/null || write_die "$1"
}

write_die() {
    [ "$(df -Pk -- "$(existing "$(dirname -- "$1")")" | awk 'NR == 2 { print $4 }')" -gt 16 ] ||
        space_die "$(dirname -- "$1")" 64 "writing $(basename -- "$1")"
    die "cannot write $1"
}

# network_failed LOG-TEXT: whether apt's output says that the mirror could not be reached
network_failed() {
    case $1 in
    *"Could not resolve"* | *"Temporary failure resolving"* | *"Could not connect"* | \
        *"Unable to connect"* | *"Connection failed"* | *"Connection timed out"* | \
        *"Network is unreachable"* | *"Failed to fetch"* | *"Cannot initiate the connection"* | \
        *"Some index files failed to download"* | *"does not have a Release file"*)
        return 0
        ;;
    esac
    return 1
}

# hash_of: prints a short hash of stdin
hash_of() {
    sha256sum | cut -c1-20
}

# in_checkout DIR: whether DIR is the top directory of a git checkout
in_checkout() {
    GIT_CEILING_DIRECTORIES=$(dirname -- "$1") git -C "$1" rev-parse -q --verify HEAD >/dev/null 2>&1
}

# tree_files: prints the files of the source tree, which is the current directory. In a tree that was
# unpacked from an archive, these are all files outside of build/.
tree_files() {
    if in_checkout "$PWD"; then
        git ls-files
    else
        find . -path ./build -prune -o -type f -printf '%P\n'
    fi
}

# keyring: prints the file of Debian's archive keys. Its ending differs between releases.
keyring() {
    for keyring_file in /usr/share/keyrings/debian-archive-keyring.gpg \
        /usr/share/keyrings/debian-archive-keyring.pgp; do
        if [ -r "$keyring_file" ]; then
            printf '%s\n' "$keyring_file"
            return
        fi
    done
    die "no key to check signatures with: install debian-archive-keyring"
}
