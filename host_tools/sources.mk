# SPDX-License-Identifier: GPL-2.0-or-later
# vpmu-stats: a program for the host of the machine. Uses vpmu's tables of events and registers.

# LIBVIRT=no builds without libvirt: only sockets are looked at then.
TOOLS_LIBVIRT := $(if $(filter no,$(LIBVIRT)),,libvirt libvirt-qemu)
TOOLS_SOURCES := annotate.c answer.c base64.c blackout.c buildids.c builtin-annotate.c builtin-blackout.c builtin-convert.c builtin-diff.c builtin-exits.c builtin-exporter.c \
                 builtin-guest.c builtin-libvirt$(if $(TOOLS_LIBVIRT),,-none).c builtin-list.c builtin-record.c \
                 builtin-report.c builtin-stat.c builtin-top.c categories.c category-options.c child.c codes.c columns.c copies.c cpuperf.c cpuperf-trace.c decode.c diff.c elffile.c events.c exits.c \
                 filesymbols.c flamegraph.c fleet.c folded.c format.c functions.c fxt.c gather.c guest.c histogram.c http.c image.c kallsyms.c kernel.c layout.c ledger.c libvirt.c \
                 listen.c listing.c machine.c mapped.c measure.c measure-options.c memory.c meter.c number.c objdump.c observers.c options.c out.c \
                 perfdata.c perfevents.c perfheader.c perfreader.c perfsample.c pprof.c probe.c profile.c profile-options.c \
                 programs.c prometheus.c protobuf.c qmp.c qmp-socket.c record-options.c recording.c report.c report-options.c samplefile.c sampling.c screen.c session.c \
                 spool.c stacks.c stream.c symbols.c target.c texts.c threads.c timeline.c token.c told.c tracks.c trouble.c view.c vmcoreinfo.c
TOOLS_SRCS := $(addprefix host_tools/vpmu-stats/,$(TOOLS_SOURCES))
TOOLS_BUILD := $(BUILD)/host_tools
TOOLS_OBJS := $(patsubst host_tools/%.c,$(TOOLS_BUILD)/obj/%.o,$(TOOLS_SRCS) \
                         host_tools/vpmu-stats/main.c)
TOOLS_LIBRARIES := json-c libbpf libelf libmicrohttpd ncursesw zlib $(TOOLS_LIBVIRT)
TOOLS_CFLAGS = -std=c11 -D_GNU_SOURCE -g $(WARNINGS) -DVPMU_VERSION='"$(VPMU_VERSION)"' \
               -ffile-prefix-map=$(CURDIR)=. -Ivpmu/include -Ikvm_glue/include -Ihost_tools/vpmu-stats \
               $(shell pkg-config --cflags $(TOOLS_LIBRARIES))
TOOLS_LIBS = $(shell pkg-config --libs $(TOOLS_LIBRARIES)) -pthread

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

INSTALLED += bin/vpmu-stats share/man/man1/vpmu-stats.1 share/bash-completion/completions/vpmu-stats \
             $(TOOLS_FLEET:%=share/vpmu/%)
INSTALLED_DIRS += share/vpmu
install: install-tools
install-tools: $(TOOLS_BUILD)/vpmu-stats
	$(Q)install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/vpmu
	$(Q)install -m 755 $< $(DESTDIR)$(PREFIX)/bin
	$(Q)install -m 644 host_tools/vpmu-stats/vpmu-stats.1 $(DESTDIR)$(PREFIX)/share/man/man1
	$(Q)install -m 644 host_tools/vpmu-stats/completion \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/vpmu-stats
	$(Q)install -m 644 $(TOOLS_FLEET:%=host_tools/fleet/%) $(DESTDIR)$(PREFIX)/share/vpmu

include host_tools/tests/sources.mk
