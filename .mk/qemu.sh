# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Functions of the scripts in qemu_patches, to be sourced after lib.sh: where QEMU's source is, and how
# a series is applied to it. $mk is the directory of this file.
#
# The file qemu_patches/hooks/series lists, in order, patches for all versions of QEMU, and directories
# of whole files that are copied into QEMU's tree. $patch_dir has the patches for one version.

# shellcheck disable=SC2154 # set by lib.sh
qemu_cache=$cache/qemu
patches_root=$(dirname -- "$mk")/qemu_patches
# The author of the patches.
# shellcheck disable=SC2034 # for who sources this
maintainers='vpmu maintainers'
# shellcheck disable=SC2034 # for who sources this
maintainers_mail=maintainers@users.noreply.a-seed-990a781d.example
export LC_ALL=C

# all_series: prints the versions, each with the Debian suite and the version of its source
all_series() {
    sed -e 's/#.*//' -e '/^$/d' "$patches_root/versions"
}

# shellcheck disable=SC2034 # for who sources this
default_series=$(all_series | awk '{ print $1; exit }')

# tools_suite: the suite of the tools that build QEMU. It is the same for all versions, so that two
# builds at a time do not replace each other's tools.
# shellcheck disable=SC2034 # for who sources this
tools_suite=$(all_series | awk '{ print $2; exit }')

# is_only_listed VERSION: does Debian list a source of that version that its mirror does not have?
is_only_listed() {
    all_series | awk -v wanted="$1" '$1 == wanted && $4 == "listed" { found = 1 } END { exit !found }'
}

# series_names: prints all versions, as text for a message
series_names() {
    all_series | awk '{ printf "%s%s", (NR > 1 ? " and " : ""), $1 }'
}

# choose_series VERSION: sets $series, $patch_dir, and which source of Debian is used
choose_series() {
    local row
    row=$(all_series | awk -v wanted="$1" '$1 == wanted')
    [ -n "$row" ] || die "there are no patches for QEMU $1, only for $(series_names);" \
        "another tree can be tried with QEMU_SRC=DIR"
    # shellcheck disable=SC2034 # for who sources this
    read -r series qemu_suite qemu_version _ <<<"$row"
    qemu_version=${QEMU_VERSION:-$qemu_version}
    select_patches
}

# select_patches: makes $patch_dir, which has what $hooks_dir has for the version $series
select_patches() {
    local name
    hooks_dir=${VPMU_PATCH_DIR:-$patches_root/hooks}
    patch_dir=$(mktemp -d) || die "cannot write to ${TMPDIR:-/tmp}"
    remove_at_exit "$patch_dir"
    for name in $(series "$hooks_dir"); do
        if [ -d "$hooks_dir/$name" ]; then
            name=${name%/}
            ln -s -- "$(cd -- "$hooks_dir/$name" && pwd)" "$patch_dir/${name##*/}"
        elif [ -r "$hooks_dir/$name" ]; then
            "$patches_root/select" "version=$series" "$hooks_dir/$name" >"$patch_dir/$name" ||
                die "cannot write to ${TMPDIR:-/tmp}"
            [ -s "$patch_dir/$name" ] || continue
        fi
        echo "${name##*/}"
    done >"$patch_dir/series"
}

# series_for VERSION: prints the series for a tree of that version: its own, or the newest before it
series_for() {
    local found
    found=$({
        all_series | awk '{ print $1, "series" }'
        awk -F. '{ print $1 "." $2 + ($3 >= 50), "tree" }' <<<"$1"
    } | sort -s -V -k1,1 | awk '$2 == "tree" { print last; exit } { last = $1 }')
    [ -n "$found" ] || die "QEMU $1 is older than the versions that have patches: $(series_names)"
    echo "$found"
}

# choose_source: calls choose_series for the version that the user chose, or for that of QEMU_SRC
choose_source() {
    local version wanted=${QEMU_SERIES:-}
    if [ -n "${QEMU_SRC:-}" ]; then
        version=$(version_of "$QEMU_SRC") || exit
        wanted=${wanted:-$(series_for "$version")} || exit
    fi
    choose_series "${wanted:-$default_series}"
    # x.y.50 and later are development versions of the next release.
    [ -z "${QEMU_SRC:-}" ] || [[ $version =~ ^"$series"(\.[0-4]?[0-9])?$ ]] ||
        say "-- trying the patches for QEMU $series on QEMU $version"
}

# make_base: sets $base and $base_key
make_base() {
    if [ -n "${QEMU_SRC:-}" ]; then
        base_user "$QEMU_SRC"
    else
        base_debian
    fi
}

# plugin_header: prints the directory of the header for plugins, which QEMU 11 has in another place
plugin_header() {
    local dir
    for dir in "$base/include/plugins" "$base/include/qemu"; do
        [ ! -r "$dir/qemu-plugin.h" ] || { echo "$dir" && return; }
    done
    die "QEMU's source in $base has no qemu-plugin.h"
}

# series [DIR]: prints the names of the patches and directories, in order
series() {
    local file=${1:-$patch_dir}/series
    [ ! -e "$file" ] || sed -e 's/#.*//' -e 's/[[:space:]].*//' -e '/^$/d' "$file"
}

check_series() {
    local name
    for name in $(series); do
        [ -r "$patch_dir/$name" ] || die "$hooks_dir/series names $name, which is not there"
    done
}

# files_of DIR: prints the files that are copied into QEMU's tree
files_of() {
    (cd "$1" && find . -type f ! -name '.*' | sed 's,^\./,,' | sort)
}

# touched NAME...: prints the files that patches change, relative to the top of the tree; may print a
# few too many
touched() {
    local name
    for name; do
        if [ -d "$patch_dir/$name" ]; then
            files_of "$patch_dir/$name"
        else
            sed -nE -e 's,^(---|\+\+\+) [ab]/([^\t]*).*,\2,p' \
                -e 's,^(rename|copy) (from|to) ,,p' "$patch_dir/$name"
        fi
    done | sort -u
}

# content_of NAME...: prints the content of patches and directories
content_of() {
    local name file
    for name; do
        if [ -d "$patch_dir/$name" ]; then
            files_of "$patch_dir/$name" | while read -r file; do
                echo "file $file $(sha256sum <"$patch_dir/$name/$file")"
            done
        else
            echo "patch $(sha256sum <"$patch_dir/$name")"
        fi
    done
}

# fetch_qemu: sets $dsc, which stays in the cache. Exits with 77 if Debian no longer has that version.
fetch_qemu() {
    local dir=$qemu_cache/dsc-${qemu_version//\*/x}
    dsc=$("$mk/debian" source "$qemu_suite" qemu "$dir" "$qemu_version") || exit
}

# base_debian: sets $base, the tree as Debian builds it, and $base_key. Sources of firmware, half of the
# tree, are omitted.
base_debian() {
    local name tarball
    fetch_qemu
    base_key=$(hash_of <"$dsc")
    base=$qemu_cache/base-$base_key
    [ ! -e "$base" ] || return 0
    lock qemu-base
    [ ! -e "$base" ] || return 0
    need_space "$base" 600 "unpacking QEMU"
    step "unpacking QEMU's source and applying Debian's patches, once for each version"
    begin_dir "$base"
    # shellcheck disable=SC2154 # set by begin_dir
    tarball=$(echo "${dsc%-*}".orig.tar.*)
    unpack_tar "$tarball" --strip-components=1
    unpack_tar "$(echo "${dsc%.dsc}".debian.tar.*)" debian/patches
    while read -r name; do
        apply "$new_dir/debian/patches/$name" "$new_dir" ||
            die "Debian's own patch $name does not apply to $tarball"
    done < <(series "$new_dir/debian/patches")
    rm -rf -- "$new_dir"/roms/*/ "$new_dir/debian"
    publish_dir "$base"
    unlock
    step_end
}

# unpack_tar TARBALL TAR-ARGUMENT...: unpacks it into $new_dir
unpack_tar() {
    local error
    error=$(tar -xf "$1" -C "$new_dir" "${@:2}" 2>&1) && return
    disk_die "$new_dir" "$error" 600 "unpacking QEMU"
    die "cannot unpack $1: $(head -1 <<<"$error")"
}

# version_of DIR: prints the version of a tree of the user
version_of() {
    cat "$1/VERSION" 2>/dev/null || die "QEMU_SRC=$1 is not a QEMU source tree: it has no VERSION file"
}

# base_user DIR: sets $base and $base_key for a copy of the user's tree, which is not changed itself
base_user() {
    local error
    base_key=user-$(cd "$1" && source_files -type f | xargs -0 sha256sum | hash_of)
    base=$qemu_cache/base-$base_key
    [ ! -e "$base" ] || return 0
    lock qemu-base
    [ ! -e "$base" ] || return 0
    need_space "$base" 600 "copying QEMU's source"
    step "copying $1, which is not changed"
    begin_dir "$base"
    error=$(set -o pipefail
        { cd "$1" && source_files ! -type d | tar -cf - --null -T - | tar -xf - -C "$new_dir"; } 2>&1) || {
        disk_die "$base" "$error" 600 "copying QEMU's source"
        die "cannot copy $1: $(head -1 <<<"$error")"
    }
    publish_dir "$base"
    keep_newest 2 "$qemu_cache"/base-user-*
    unlock
    step_end
}

# keep_newest COUNT DIR...: removes all but the newest, which can be made again
keep_newest() {
    local keep=$1
    shift
    # shellcheck disable=SC2012 # names of the cache
    ls -dt -- "$@" | tail -n "+$((keep + 1))" | xargs -r rm -rf --
}

# source_files FIND-TEST...: prints the files of the source, sorted
source_files() {
    find . \( -path ./.git -o -path './roms/*' -o -path ./build \) -prune -o "$@" -print0 | sort -z
}

# copy_file FROM TO: copies it with the present time
copy_file() {
    local error
    make_dir "$(dirname -- "$2")"
    error=$(cp -- "$1" "$2" 2>&1 && touch -- "$2" 2>&1) && return
    disk_die "$2" "$error" 500 "building QEMU"
    die "cannot write $2: $(head -1 <<<"$error")"
}

# apply PATCH TREE [PATCH-OPTION...]
apply() {
    patch -d "$2" -p1 -s -f --no-backup-if-mismatch "${@:3}" <"$1" >"$2.patch-log" 2>&1
    local status=$?
    [ $status -ne 0 ] || rm -f "$2.patch-log"
    return $status
}

# copy_touched TREE SCRATCH NAME...: copies the files that the patches change from TREE to SCRATCH
copy_touched() {
    local tree=$1 scratch=$2 file
    while read -r file; do
        [ ! -f "$tree/$file" ] || copy_file "$tree/$file" "$scratch/$file"
    done < <(touched "${@:3}")
}

# apply_series TREE SCRATCH NAME...: patches those files in SCRATCH. Patches have little context, so that
# all of it must match.
apply_series() {
    local scratch=$2 name
    copy_touched "$@"
    for name in "${@:3}"; do
        if [ -d "$patch_dir/$name" ]; then
            lay_over "$patch_dir/$name" "$scratch"
        else
            apply "$patch_dir/$name" "$scratch" -F0 || patch_die "$name" "$scratch"
        fi
    done
}

# lay_over DIR SCRATCH: copies whole files; QEMU must not have files of these names
lay_over() {
    local file
    while read -r file; do
        [ ! -e "$base/$file" ] || die "QEMU has $file itself, which ${1##*/}/ brings"
        copy_file "$1/$file" "$2/$file"
    done < <(files_of "$1")
}

# patch_die NAME SCRATCH: ends with an error; keeps the rejects, because SCRATCH is removed
patch_die() {
    local rejects=$qemu_cache/rejects list
    disk_die "$2" "$(cat "$2.patch-log")" 300 "patching QEMU"
    rm -rf -- "$rejects"
    make_dir "$rejects"
    mv "$2.patch-log" "$rejects/log"
    (cd "$2" && find . -name '*.rej' -exec cp --parents -t "$rejects" {} +)
    list=$(find "$rejects" -name '*.rej' | sort | xargs)
    die "patch $1 does not apply to QEMU $(cat "$base/VERSION"); see ${list:-$rejects/log}"
}
