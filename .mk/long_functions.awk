# SPDX-License-Identifier: GPL-2.0-or-later
#
# Prints the functions of more than 60 lines in C files that clang-format has laid out. Exit status 1 if
# there is one.

BEGIN { most = 60 }

# Arrays of functions and structs end with a semicolon.
FNR == 1 || /^};/ { name = "" }

/^[A-Za-z_].*\(.*[^;]$/ {
    name = $0
    first = FNR
}

/^}$/ && name != "" {
    lines = FNR - first + 1
    if (lines > most) {
        printf "%s:%d: expected at most %d lines got %d: %s\n", FILENAME, first, most, lines, name
        found = 1
    }
    name = ""
}

END { exit found }
