# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154 # names that are shared with who sources it
#
# vpmu-stats for arm64 hosts, compiled on another machine; sourced, after .mk/lib.sh. $mk is this
# directory, CROSS the prefix of the compiler.

# What it links there.
sysroot_packages='base-files libbpf-dev libc6-dev libelf-dev libjson-c-dev libmicrohttpd-dev libncurses-dev libvirt-dev zlib1g-dev'

# choose_cross: the libraries of Debian 13 for arm64, unpacked in the cache: sets $sysroot and $tools,
# what make is told, and has pkg-config look there
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
