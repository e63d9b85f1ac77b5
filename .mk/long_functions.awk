# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names the functions of C files, laid out by clang-format, that take more than a screen. Exit code 1
# if there is one.

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
