# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes clang's text format of a profile from what dump_gcov prints of a program that clang compiled.
#
#   main total:30 head:2              main:30:2
#     3: 10                            3: 10
#     4.2: 5  call:5                   4.1: 5 call:5
#     6: inlined total:15              6: inlined:15
#       1: 15                           1: 15

# base(D): the number of a block of the line, which LLVM's discriminator D of the debug information contains
# (getBaseDiscriminatorFromDiscriminator()). It has 5 or 12 bits.
function base(d) {
    if (d % 2)
        return 0
    d = int(d / 2)
    return int(d / 32) % 2 ? int(d / 64) % 128 * 32 + d % 32 : d % 32
}

{
    match($0, /^ */)
    indent = sprintf("%*s", RLENGTH / 2, "")
}

/ head:[0-9]+$/ {
    sub(/ total:/, ":")
    sub(/ head:/, ":")
    print
    next
}

{
    split($1, at, /[.:]/)
    place = at[1]
    if ($1 ~ /\./ && base(at[2]))
        place = place "." base(at[2])
    rest = ""
    for (i = 2; i <= NF; i++)
        rest = rest " " $i
    sub(/ total:/, ":", rest)
    print indent place ":" rest
}
