# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Shared by what is in qemu_patches; sourced after lib.sh. Where QEMU's source is, and how a series is
# applied to it. Needs $mk, the directory of this file.
#
# A series is a directory that is named after a version of QEMU. Its file "series" lists what is
# applied, in order: patches, and directories of whole files that are laid over QEMU's tree.

# shellcheck disable=SC2154 # set by lib.sh
qemu_cache=$cache/qemu
patches_root=$(dirname -- "$mk")/qemu_patches
# Who has signed off what there is.
# shellcheck disable=SC2034 # for who sources this
maintainers='vpmu maintainers'
# shellcheck disable=SC2034 # for who sources this
maintainers_mail=maintainers@users.noreply.a-seed-990a781d.example
export LC_ALL=C

# all_series: the versions that there are, and where Debian has their source
all_series() {
    sed -e 's/#.*//' -e '/^$/d' "$patches_root/versions"
}

# shellcheck disable=SC2034 # for who sources this
default_series=$(all_series | awk '{ print $1; exit }')

# tools_suite: where what builds QEMU comes from, the same for all versions, so that two that are built
# at once do not replace each other's
# shellcheck disable=SC2034 # for who sources this
tools_suite=$(all_series | awk '{ print $2; exit }')

# series_names: of all, for a sentence
series_names() {
    all_series | awk '{ printf "%s%s", (NR > 1 ? " and " : ""), $1 }'
}

# choose_series VERSION: sets $series, $patch_dir, and which source of Debian's is taken
choose_series() {
    local row
    row=$(all_series | awk -v wanted="$1" '$1 == wanted')
    [ -n "$row" ] || die "there are no patches for QEMU $1, only for $(series_names);" \
        "another tree can be tried with QEMU_SRC=DIR"
    # shellcheck disable=SC2034 # for who sources this
    read -r series qemu_suite qemu_version _ <<<"$row"
    qemu_version=${QEMU_VERSION:-$qemu_version}
    patch_dir=${VPMU_PATCH_DIR:-$patches_root/$series}
}

# series_for VERSION: the series for a tree of that version: its own, or the newest that is not newer
series_for() {
    local found
    found=$({
        all_series | awk '{ print $1, "series" }'
        awk -F. '{ print $1 "." $2 + ($3 >= 50), "tree" }' <<<"$1"
    } | sort -s -V -k1,1 | awk '$2 == "tree" { print last; exit } { last = $1 }')
    [ -n "$found" ] || die "QEMU $1 is older than what there are patches for: $(series_names)"
    echo "$found"
}

# choose_source: sets $series and what comes with it for the version that is asked for, or the tree
choose_source() {
    local version wanted=${QEMU_SERIES:-}
    if [ -n "${QEMU_SRC:-}" ]; then
        version=$(version_of "$QEMU_SRC") || exit
        wanted=${wanted:-$(series_for "$version")} || exit
    fi
    choose_series "${wanted:-$default_series}"
    # x.y.50 and up is on the way to the next one.
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

# series [DIR]: the names of the patches and directories, in order
series() {
    local file=${1:-$patch_dir}/series
    [ ! -e "$file" ] || sed -e 's/#.*//' -e 's/[[:space:]].*//' -e '/^$/d' "$file"
}

check_series() {
    local name
    for name in $(series); do
        [ -r "$patch_dir/$name" ] || die "$patch_dir/series names $name, which is not there"
    done
}

# files_of DIR: those that are laid over QEMU's tree
files_of() {
    (cd "$1" && find . -type f ! -name '.*' | sed 's,^\./,,' | sort)
}

# touched NAME...: the files that patches change, seen from the top of the tree; may name a few too
# many
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

# content_of NAME...: says all there is in patches and directories
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

# fetch_qemu: sets $dsc; done once, later calls find it in the cache. Exits with 77 if Debian does not
# have that version any more.
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

# version_of DIR: of a tree of the user's own
version_of() {
    cat "$1/VERSION" 2>/dev/null || die "QEMU_SRC=$1 is not a QEMU source tree: it has no VERSION file"
}

# base_user DIR: sets $base and $base_key for a tree of the user's own. It is copied, never built or
# patched in place.
base_user() {
    local error
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
        if [ -d "$patch_dir/$name" ]; then
            lay_over "$patch_dir/$name" "$scratch"
        else
            apply "$patch_dir/$name" "$scratch" "-F$fuzz" || patch_die "$name" "$scratch"
        fi
    done
}

# lay_over DIR SCRATCH: whole files, which QEMU must not have
lay_over() {
    local file
    while read -r file; do
        [ ! -e "$base/$file" ] || die "QEMU has $file itself, which ${1#"$patches_root/"} brings"
        copy_file "$1/$file" "$2/$file"
    done < <(files_of "$1")
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
