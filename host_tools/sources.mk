# SPDX-License-Identifier: GPL-2.0-or-later
# vpmu-stats: a program for the host of the machine. It uses vpmu's tables of events and registers.
# A folder may use those above it in this list, and not those below.

# LIBVIRT=no builds without libvirt. Then only sockets are searched for machines.
TOOLS_LIBVIRT := $(if $(filter no,$(LIBVIRT)),,libvirt libvirt-qemu libxml-2.0)

TOOLS_SOURCES := \
    base/base64.c \
    base/child.c \
    base/distance.c \
    base/error.c \
    base/format.c \
    base/number.c \
    base/out.c \
    base/pager.c \
    base/progress.c \
    base/protobuf.c \
    base/ranges.c \
    base/replacement.c \
    base/seekable.c \
    base/signals.c \
    qmp/libvirt.c \
    qmp/memory.c \
    qmp/qmp-socket.c \
    qmp/socket-users.c \
    qmp/qmp.c \
    qmp/response.c \
    qmp/target.c \
    machine/blackout.c \
    machine/decode.c \
    machine/events.c \
    machine/exits.c \
    machine/counted.c \
    machine/guest.c \
    machine/histogram.c \
    machine/kvm-exits.c \
    machine/machine.c \
    machine/metrics.c \
    machine/observers.c \
    machine/suggest.c \
    session/host-command.c \
    session/measure-options.c \
    session/measure.c \
    session/meter.c \
    session/options.c \
    session/session.c \
    session/stat-options.c \
    session/stat-report.c \
    fleet/columns.c \
    fleet/crew.c \
    fleet/fleet.c \
    fleet/http.c \
    fleet/listen.c \
    fleet/probe.c \
    fleet/prometheus.c \
    fleet/screen.c \
    fleet/token.c \
    fleet/view.c \
    symbols/debug-file.c \
    symbols/demangle.c \
    symbols/disassembly.c \
    symbols/elffile.c \
    symbols/frame-starts.c \
    symbols/functions.c \
    symbols/guest-files.c \
    symbols/image.c \
    unwind/frame-expression.c \
    unwind/frame-rules.c \
    unwind/guest-code.c \
    unwind/link-register.c \
    unwind/program-stacks.c \
    unwind/unwind.c \
    symbols/listing.c \
    symbols/mini-symbols.c \
    symbols/objdump.c \
    symbols/plt.c \
    symbols/programs.c \
    symbols/reader-process.c \
    symbols/symbols.c \
    lines/dwarf-lines.c \
    lines/line-list.c \
    lines/line-server.c \
    lines/source-lines.c \
    lines/source-text.c \
    lines/valgrind-lines.c \
    kernel/bpf-code.c \
    kernel/btf.c \
    kernel/guest-threads.c \
    kernel/kallsyms.c \
    kernel/kernel.c \
    kernel/kernel-code.c \
    kernel/module-files.c \
    kernel/modules.c \
    kernel/nested-guests.c \
    kernel/orc-tables.c \
    kernel/page-cache.c \
    kernel/page-walk.c \
    kernel/stage2.c \
    kernel/thread-places.c \
    kernel/vmcoreinfo.c \
    perfdata/costs.c \
    perfdata/file-ids.c \
    perfdata/filesymbols.c \
    perfdata/perfaccess.c \
    perfdata/perfbranch.c \
    perfdata/perfdata.c \
    perfdata/perffeatures.c \
    perfdata/perfevents.c \
    perfdata/perfheader.c \
    perfdata/perfput.c \
    perfdata/perfreader.c \
    perfdata/perfsample.c \
    profile/annotate.c \
    profile/call-tree.c \
    profile/branch.c \
    profile/callchain.c \
    profile/code-maps.c \
    profile/diff.c \
    profile/limit.c \
    profile/profile.c \
    profile/report-columns.c \
    profile/report.c \
    profile/sample-input.c \
    profile/script.c \
    profile/stacks.c \
    profile/string-table.c \
    profile/threads.c \
    export/annotate-inclusive.c \
    export/annotate-lines.c \
    export/annotate-rows.c \
    export/branch-profile.c \
    export/callgrind.c \
    export/flamegraph.c \
    export/folded.c \
    export/fxt-machine.c \
    export/fxt.c \
    export/html.c \
    export/kallsyms-file.c \
    export/lcov.c \
    export/pprof.c \
    export/timeline.c \
    record/buildids.c \
    record/event-totals.c \
    record/guest-names.c \
    record/kept-maps.c \
    record/program-maps.c \
    record/recording-kernel.c \
    record/recording-maps.c \
    record/recording-place.c \
    record/recording-samples.c \
    record/recording.c \
    record/samplefile.c \
    record/sampling.c \
    record/start-arguments.c \
    record/stream.c \
    record/thread-filter.c \
    record/written-maps.c \
    cpuperf/categories.c \
    cpuperf/cpuperf-trace.c \
    cpuperf/cpuperf.c \
    top/delay.c \
    top/hot-functions.c \
    top/function-options.c \
    top/function-rows.c \
    top/function-screen.c \
    top/function-top.c \
    top/live.c \
    cli/builtin-annotate.c \
    cli/builtin-blackout.c \
    cli/builtin-convert.c \
    cli/builtin-diff.c \
    cli/builtin-exits.c \
    cli/builtin-exporter.c \
    cli/builtin-events.c \
    cli/builtin-guest.c \
    cli/builtin-libvirt$(if $(TOOLS_LIBVIRT),,-none).c \
    cli/builtin-list.c \
    cli/builtin-profile.c \
    cli/builtin-record.c \
    cli/builtin-report.c \
    cli/builtin-script.c \
    cli/builtin-stat.c \
    cli/builtin-top.c \
    options/call-graph-option.c \
    options/category-options.c \
    options/filter-options.c \
    options/name-options.c \
    options/profile-options.c \
    options/record-options.c \
    options/report-options.c

TOOLS_SRCS := $(addprefix host_tools/vpmu-stats/,$(TOOLS_SOURCES))
TOOLS_BUILD := $(BUILD)/host_tools
TOOLS_OBJS := $(patsubst host_tools/%.c,$(TOOLS_BUILD)/obj/%.o,$(TOOLS_SRCS) \
                         host_tools/vpmu-stats/cli/main.c)
TOOLS_LIBRARIES := capstone json-c libbpf libdw libelf libmicrohttpd ncursesw zlib $(TOOLS_LIBVIRT)
TOOLS_CFLAGS = -std=c11 -D_GNU_SOURCE -g $(WARNINGS) \
               -ffile-prefix-map=$(CURDIR)=. -Ivpmu/include -Ikvm_glue/include -Ihost_tools/vpmu-stats -I$(TOOLS_BUILD)/generated \
               $(shell pkg-config --cflags $(TOOLS_LIBRARIES))
TOOLS_LIBS = $(shell pkg-config --libs $(TOOLS_LIBRARIES)) -liberty -pthread -lm

# Scripts and the style of what a browser shows, as strings for C.
$(TOOLS_BUILD)/generated/%-script.inc: host_tools/vpmu-stats/export/%.js
	@mkdir -p $(@D)
	$(Q)sed -e '/^\/\//d' -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $< > $@

$(TOOLS_BUILD)/generated/%-style.inc: host_tools/vpmu-stats/export/%.css
	@mkdir -p $(@D)
	$(Q)sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $< > $@

$(TOOLS_BUILD)/obj/vpmu-stats/export/html.o $(TOOLS_BUILD)/tests/vpmu-stats/export/html.o: \
    $(TOOLS_BUILD)/generated/html-script.inc $(TOOLS_BUILD)/generated/html-style.inc

$(TOOLS_BUILD)/obj/vpmu-stats/export/flamegraph.o $(TOOLS_BUILD)/tests/vpmu-stats/export/flamegraph.o: \
    $(TOOLS_BUILD)/generated/flamegraph-script.inc

$(TOOLS_BUILD)/obj/%.o: host_tools/%.c | need-tools $(if $(TOOLS_LIBVIRT),need-libvirt)
	@mkdir -p $(@D)
	$(Q)$(CC) $(TOOLS_CFLAGS) -O2 -fPIE $(CFLAGS) -MMD -MP -c -o $@ $<

$(TOOLS_BUILD)/vpmu-stats: $(TOOLS_OBJS) $(BUILD)/kvm_glue/libkvm_glue.a $(BUILD)/vpmu/libvpmu.a
	$(Q)$(CC) -pie $(LDFLAGS) -o $@ $^ $(TOOLS_LIBS)

-include $(TOOLS_OBJS:.o=.d)

.PHONY: host_tools install-tools
host_tools: $(TOOLS_BUILD)/vpmu-stats

# For fleets: Prometheus's rules and a dashboard for Grafana.
TOOLS_FLEET := vpmu.rules.yml vpmu.dashboard.json

# Where Debian's zsh and fish search. Packages have another directory than /usr/local.
TOOLS_ZSH := share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
TOOLS_FISH := share/fish/vendor_completions.d

INSTALLED += bin/vpmu-stats share/man/man1/vpmu-stats.1 share/bash-completion/completions/vpmu-stats \
             $(TOOLS_ZSH)/_vpmu-stats $(TOOLS_FISH)/vpmu-stats.fish $(TOOLS_FLEET:%=share/vpmu/%)
INSTALLED_DIRS += share/vpmu
install: install-tools
install-tools: $(TOOLS_BUILD)/vpmu-stats
	$(Q)install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/vpmu \
	    $(DESTDIR)$(PREFIX)/$(TOOLS_ZSH) $(DESTDIR)$(PREFIX)/$(TOOLS_FISH)
	$(Q)install -m 755 $< $(DESTDIR)$(PREFIX)/bin
	$(Q)install -m 644 host_tools/vpmu-stats/vpmu-stats.1 $(DESTDIR)$(PREFIX)/share/man/man1
	$(Q)install -m 644 host_tools/vpmu-stats/completion \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/vpmu-stats
	$(Q)install -m 644 host_tools/vpmu-stats/completion.zsh \
	    $(DESTDIR)$(PREFIX)/$(TOOLS_ZSH)/_vpmu-stats
	$(Q)install -m 644 host_tools/vpmu-stats/completion.fish \
	    $(DESTDIR)$(PREFIX)/$(TOOLS_FISH)/vpmu-stats.fish
	$(Q)install -m 644 $(TOOLS_FLEET:%=host_tools/fleet/%) $(DESTDIR)$(PREFIX)/share/vpmu

include host_tools/vpmu-run/sources.mk
include host_tools/vpmu-check/sources.mk
include host_tools/pgo/sources.mk
include host_tools/tests/sources.mk
