# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154 # names shared with the script that sources this
#
# Functions that make and boot the images of Linux guests. Source this after .mk/lib.sh. CROSS is the prefix
# of the guest's compiler, and $lib the directory of its libraries.

readelf=${CROSS:-aarch64-linux-gnu-}readelf
strip=${CROSS:-aarch64-linux-gnu-}strip
gcc=${CROSS:-aarch64-linux-gnu-}gcc

# quick_boot: prints kernel parameters
quick_boot() {
    grep -v '^#' "$(dirname -- "${BASH_SOURCE[0]}")/quick_boot" | tr '\n' ' '
}

# needed FILE: prints the libraries that an ELF file names
needed() {
    "$readelf" -d "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

# symbols FILE: prints the symbols that a library offers
symbols() {
    "$readelf" --dyn-syms -W "$1" | awk 'NF >= 8 && $7 != "UND" { sub(/@.*/, "", $8); print $8 }' |
        LC_ALL=C sort -u
}

# wanted FILE: prints the symbols that a program takes from libraries, each with its version or "-",
# and its type
wanted() {
    "$readelf" --dyn-syms -W "$1" | awk '
        NF >= 8 && $7 == "UND" { n = split($8, part, /@+/); print part[1], (n > 1 ? part[2] : "-"), $4 }' |
        LC_ALL=C sort -u
}

# make_stand_in PROGRAM LIBRARY OUT: makes a library of the same name with the functions that
# PROGRAM takes from it, each of which returns 0, and its thread-local variables
make_stand_in() {
    local taken version
    taken=$(wanted "$1" | LC_ALL=C join - <(symbols "$2"))
    version=$(awk '$2 != "-" { print $2; exit }' <<<"$taken")
    echo "$version { global: *; };" >"$3.map"
    awk '$3 == "TLS" { print "_Thread_local void *" $1 ";"; next }
        { print "void *" $1 "(void) { return 0; }" }' <<<"$taken" |
        "$gcc" -shared -nostdlib -w -fno-builtin -s -Wl,-soname,"$(basename -- "$3")" \
            -Wl,--version-script="$3.map" -o "$3" -x c - ||
        die "cannot make a stand-in for $(basename -- "$3")"
    rm -f -- "$3.map"
}

# add_libraries FILE TREE PACKAGES [PATTERN]: copies what FILE needs, and what that needs, into
# TREE, with stand-ins for what the extended PATTERN matches
add_libraries() {
    local name
    needed "$1" | while read -r name; do
        [ ! -e "$2/$lib/$name" ] || continue
        [ -e "$3/$lib/$name" ] ||
            die "no package brought $name, which $(basename -- "$1") needs"
        if [[ $name =~ ^(${4:--})\.so ]]; then
            make_stand_in "$1" "$3/$lib/$name" "$2/$lib/$name"
            continue
        fi
        cp -L -- "$3/$lib/$name" "$2/$lib/$name" || die "cannot copy $name"
        add_libraries "$3/$lib/$name" "$2" "$3" "${4:-}" || exit
    done
}

# pack TREE FILE: makes an archive that does not depend on time, place and user
pack() {
    find "$1" -exec touch -h -d @0 {} + || die "cannot set the times in $1"
    (cd "$1" && find . | LC_ALL=C sort | cpio -o -H newc --quiet --reproducible -R 0:0) >"$2" ||
        die "cannot write $2"
}
