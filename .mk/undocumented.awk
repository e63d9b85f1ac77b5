# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names the public functions of headers that have no kernel-doc comment directly before their first
# declaration, and what the comment of the others lacks: "name() - ", "@parameter:" for each
# parameter, "Return:" unless the function is void. "v" is the PMU everywhere and needs no line. A name
# that ends in _ is private. What macros make is not seen. Exit code 1 if anything is missing.
#
# With -v count=1 the last line says how many functions there are, and how many are complete.

function complain(what) {
    printf "%s:%d: %s(): expected %s\n", FILENAME, first, name, what
    found = incomplete = 1
}

# The name of a parameter: "uint64_t x[4]", "const char **why", "void (*each)(void *arg)".
function parameter_name(text) {
    gsub(/\[[^]]*\]/, "", text)
    if (match(text, /\(\*[ ]*[A-Za-z_0-9]+\)/)) {
        text = substr(text, RSTART + 2, RLENGTH - 3)
    }
    sub(/[ ]+$/, "", text)
    sub(/.*[^A-Za-z_0-9]/, "", text)
    return text
}

function judge_parameter(text, parameter) {
    parameter = parameter_name(text)
    if (parameter != "" && parameter != "void" && parameter != "v" && doc !~ ("\n \\* @" parameter ":")) {
        complain("\"@" parameter ":\" in its comment")
    }
}

# Parameters end at commas that no bracket encloses.
function judge_parameters(text, i, c, depth, start) {
    start = 1
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "(") {
            depth++
        } else if (c == ")") {
            if (depth-- == 0) {
                judge_parameter(substr(text, start, i - start))
                return
            }
        } else if (c == "," && depth == 0) {
            judge_parameter(substr(text, start, i - start))
            start = i + 1
        }
    }
}

# A declaration outside of all braces, up to its ; or {.
function judge(text, open, before) {
    gsub(/[ \t\n]+/, " ", text)
    open = index(text, "(")
    if (!open || text ~ /^ ?(typedef|_Static_assert|extern .*\[|struct [a-z_0-9A-Z]+ \{)/ || text ~ /=/) {
        return
    }
    before = substr(text, 1, open - 1)
    name = before
    sub(/.*[^A-Za-z_0-9]/, "", name)
    sub(/[A-Za-z_0-9]+$/, "", before)
    if (before ~ /^ *$/ || name == "" || name ~ /_$/ || name in seen) {
        return
    }
    seen[name] = 1
    incomplete = 0
    functions++
    if (doc == "") {
        complain("a kernel-doc comment directly before it")
    } else {
        if (index(doc, "\n * " name "() - ") == 0) {
            complain("\" * " name "() - \" as its comment's first line")
        }
        judge_parameters(substr(text, open + 1))
        if (before !~ /^( |static|inline|extern|void)*$/ && doc !~ /\n \* Return:/) {
            complain("\"Return:\" in its comment")
        }
    }
    complete += !incomplete
}

FNR == 1 { doc = text = ""; in_comment = in_macro = depth = 0 }

in_macro || /^[ \t]*#/ {
    in_macro = /\\$/
    doc = text = ""
    next
}

# A macro that makes declarations.
text == "" && /^[A-Z_0-9]+\(.*\)$/ {
    doc = ""
    next
}

/^\/\*/ { in_comment = 1; doc = ""; text = ""; is_doc = /^\/\*\*$/ }
in_comment {
    if (is_doc) {
        doc = doc "\n" $0
    }
    if (/\*\/$/) {
        in_comment = 0
    }
    next
}

/^[ \t]*$/ {
    if (text == "") {
        doc = ""
    }
    next
}

{
    line = $0
    gsub(/\/\*.*\*\//, "", line)
    sub(/\/\*.*/, "", line)
    if (depth == 0) {
        if (text == "") {
            first = FNR
        }
        text = text " " line
        if (line ~ /[;{][ \t]*$/) {
            judge(text)
            text = doc = ""
        }
    }
    depth += gsub(/\{/, "", line) - gsub(/\}/, "", line)
    if (depth == 0 && $0 ~ /^\}/) {
        text = doc = ""
    }
}

END {
    if (count) {
        printf "%d public functions, %d with a complete comment\n", functions, complete
    }
    exit found
}
