# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154 # names that are shared with who sources it
#
# Cross-compiles vpmu-stats and vpmu-run for arm64 hosts; to be sourced after .mk/lib.sh. $mk is this directory, and
# CROSS the prefix of the compiler.

# Debian packages with the libraries that these link: those of .mk/packages.
sysroot_packages="base-files $(awk '($1 == "tools" || $1 == "libvirt") && $2 ~ /-dev$/ { print $2 }' "$mk/packages")"

# choose_cross: unpacks the libraries of Debian 13 for arm64 in the cache. Sets $sysroot, $tools, which
# are arguments for make, and the paths of pkg-config.
choose_cross() {
    local prefix=${CROSS:-aarch64-linux-gnu-} triplet=aarch64-linux-gnu compiler
    "$mk/need" cross || exit
    sysroot=$cache/deb/sysroot-arm64
    # shellcheck disable=SC2086 # a list of names
    "$mk/debian" packages trixie arm64 "$sysroot" $sysroot_packages || exit
    compiler="${prefix}gcc --sysroot=$sysroot -B$sysroot/usr/lib/$triplet"
    compiler="$compiler -isystem $sysroot/usr/include/$triplet -isystem $sysroot/usr/include"
    tools=(CC="$compiler" AR="${prefix}ar" STRIP="${prefix}strip")
    export PKG_CONFIG_LIBDIR=$sysroot/usr/lib/$triplet/pkgconfig:$sysroot/usr/share/pkgconfig
    export PKG_CONFIG_SYSROOT_DIR=$sysroot
}

# list_contents SYSROOT: writes .contents, "FILE PACKAGE" for each library
list_contents() {
    local package version file
    [ ! -e "$1/.contents" ] || return 0
    while read -r package version; do
        for file in "$cache/debian/debs/${package}_${version/:/%3a}_"*.deb; do
            dpkg-deb -c "$file" | awk -v package="$package" '$6 ~ /\.so/ { print $6, package }'
        done
    done <"$1/.versions" | write_file "$1/.contents"
}
