# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of vpmu-stats for fish. Commands and options are those that --help prints.

function __vpmu_stats_commands
    vpmu-stats --help 2>/dev/null | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) +(.*)$/\1\t\2/p'
end

function __vpmu_stats_options
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if not string match -q -- '-*' $word
            # The options of top --symbols are different from those of top.
            vpmu-stats $word (string match -- --symbols $words) --help 2>/dev/null |
                sed -nE -e 's/^ +(-., )?--([a-z-]+).*  +([^ ].*)$/--\2\t\3/p;t' \
                    -e 's/^ +(-., )?--([a-z-]+).*$/--\2/p'
            return
        end
    end
end

# What the machine counts: the one whose socket is on the line, or the only one
function __vpmu_stats_events
    for word in (commandline -opc)
        if test -S "$word"
            set machine $word
        end
    end
    vpmu-stats events -x ' ' --patience 500 $machine 2>/dev/null | cut -d ' ' -f 2
end

complete -c vpmu-stats -n __fish_use_subcommand -f -a '(__vpmu_stats_commands)'
complete -c vpmu-stats -n __fish_use_subcommand -f -a help -d 'show the options of a command'
complete -c vpmu-stats -n '__fish_seen_subcommand_from help' -f -a '(__vpmu_stats_commands)'
complete -c vpmu-stats -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' \
    -f -a '(__vpmu_stats_options)'
complete -c vpmu-stats -n '__fish_seen_subcommand_from stat record top exporter' -s e -l event -x \
    -a '(__fish_complete_list , __vpmu_stats_events)'
