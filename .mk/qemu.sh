# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Shared by qemu_patches/build and qemu_patches/check; sourced after lib.sh. Where QEMU's source is,
# and how a series is applied to it. Needs $mk, the directory of this file.

# shellcheck disable=SC2154 # set by lib.sh
qemu_cache=$cache/qemu
qemu_suite=trixie
qemu_version=${QEMU_VERSION:-10.0.*}
export LC_ALL=C
patch_dir=${VPMU_PATCH_DIR:-$(dirname -- "$mk")/qemu_patches}

# series [DIR]: the names of the patches, in order
series() {
    local file=${1:-$patch_dir}/series
    [ ! -e "$file" ] || sed -e 's/#.*//' -e 's/[[:space:]].*//' -e '/^$/d' "$file"
}

check_series() {
    local name
    for name in $(series); do
        [ -r "$patch_dir/$name" ] || die "qemu_patches/series names $name, which is not there"
    done
}

# touched NAME...: the files that patches change, seen from the top of the tree; may name a few too
# many
touched() {
    local name
    for name; do
        sed -nE -e 's,^(---|\+\+\+) [ab]/([^\t]*).*,\2,p' \
            -e 's,^(rename|copy) (from|to) ,,p' "$patch_dir/$name"
    done | sort -u
}

# fetch_qemu: sets $dsc; done once, later calls find it in the cache
fetch_qemu() {
    local dir=$qemu_cache/dsc-${qemu_version//\*/x}
    dsc=$("$mk/debian" source "$qemu_suite" qemu "$dir" "$qemu_version") || exit
}

# base_debian: sets $base, the tree as Debian builds it, and $base_key. Firmware sources (half of
# the tree) are left out.
base_debian() {
    local name tarball
    fetch_qemu
    base_key=$(hash_of <"$dsc")
    base=$qemu_cache/base-$base_key
    [ ! -e "$base" ] || return 0
    lock qemu-base
    [ ! -e "$base" ] || return 0
    need_space "$base" 600 "unpacking QEMU"
    step "unpacking QEMU's source and applying Debian's patches: once for each version"
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

# unpack_tar TARBALL TAR-ARGUMENT...: into $new_dir
unpack_tar() {
    local error
    error=$(tar -xf "$1" -C "$new_dir" "${@:2}" 2>&1) && return
    disk_die "$new_dir" "$error" 600 "unpacking QEMU"
    die "cannot unpack $1: $(head -1 <<<"$error")"
}

# base_user DIR: sets $base and $base_key for a tree of the user's own. It is copied, never built or
# patched in place.
base_user() {
    local version error
    version=$(cat "$1/VERSION" 2>/dev/null) ||
        die "QEMU_SRC=$1 is not a QEMU source tree: it has no VERSION file"
    case $version in
    10.0.[5-9][0-9]) die "QEMU_SRC=$1 is $version, on the way to QEMU 10.1; the series is for 10.0.x" ;;
    10.0 | 10.0.*) ;;
    *) die "QEMU_SRC=$1 is QEMU $version, the series is for 10.0.x" ;;
    esac
    base_key=user-$(cd "$1" && source_files -type f | xargs -0 sha256sum | hash_of)
    base=$qemu_cache/base-$base_key
    [ ! -e "$base" ] || return 0
    lock qemu-base
    [ ! -e "$base" ] || return 0
    need_space "$base" 600 "copying QEMU's source"
    step "copying $1: it is not changed itself"
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

# keep_newest COUNT DIR...: what was made long ago makes room; it can be made again
keep_newest() {
    local keep=$1
    shift
    # shellcheck disable=SC2012 # names of the cache
    ls -dt -- "$@" | tail -n "+$((keep + 1))" | xargs -r rm -rf --
}

# source_files FIND-TEST...: what belongs to the source, in a stable order
source_files() {
    find . \( -path ./.git -o -path './roms/*' -o -path ./build \) -prune -o "$@" -print0 | sort -z
}

# copy_file FROM TO: with the time of now
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

# apply_series TREE SCRATCH FUZZ NAME...: the files that the patches change, copied from TREE to
# SCRATCH and patched
apply_series() {
    local tree=$1 scratch=$2 fuzz=$3 name file
    shift 3
    while read -r file; do
        [ ! -f "$tree/$file" ] || copy_file "$tree/$file" "$scratch/$file"
    done < <(touched "$@")
    for name; do
        apply "$patch_dir/$name" "$scratch" "-F$fuzz" || patch_die "$name" "$scratch"
    done
}

# patch_die NAME SCRATCH: the rejects are kept, since the scratch directory is not
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
