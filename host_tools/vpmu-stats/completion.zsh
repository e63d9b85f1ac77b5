#compdef vpmu-stats
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of vpmu-stats for zsh. Commands and options are those that --help prints.

local program=${words[1]} command='' word
local -a found machine

for word in ${words[2,CURRENT-1]}; do
    if [[ $word != -* ]]; then
        command=$word
        break
    fi
done
if [[ -z $command || ( $command == help && CURRENT -eq 3 ) ]]; then
    found=(${(f)"$($program --help 2>/dev/null |
        sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) +(.*)$/\1:\2/p')"})
    [[ -z $command ]] && found+=('help:show the options of a command')
    _describe command found
elif [[ ${words[CURRENT-1]} == (-e|--event) ]]; then
    # What the machine counts: the one whose socket is on the line, or the only one
    for word in ${words[2,-1]}; do
        [[ -S $word ]] && machine=($word)
    done
    found=(${(f)"$($program events -x ' ' --patience 500 $machine 2>/dev/null | cut -d ' ' -f 2)"})
    (( $#found )) && _values -s , event $found
elif [[ ${words[CURRENT]} == -* ]]; then
    # The options of top --symbols are different from those of top.
    found=(${(f)"$($program $command ${(M)words:#--symbols} --help 2>/dev/null |
        sed -nE -e 's/^ +(-., )?--([a-z-]+).*  +([^ ].*)$/--\2:\3/p;t' \
            -e 's/^ +(-., )?--([a-z-]+).*$/--\2/p')"})
    _describe -o option found
else
    _files
fi
