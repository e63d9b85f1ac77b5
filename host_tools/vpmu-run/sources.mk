# SPDX-License-Identifier: GPL-2.0-or-later
# vpmu-run: counts what a program does, in a machine of its own.

RUN_SOURCES := \
    cli/builtin-cache.c \
    cli/builtin-compare.c \
    cli/builtin-exact.c \
    cli/builtin-profile.c \
    cli/builtin-record.c \
    cli/builtin-run.c \
    cli/builtin-show.c \
    cli/learn.c \
    cli/run-once.c \
    cli/run-options.c \
    failure.c \
    files/archive.c \
    files/bind.c \
    files/home.c \
    files/input.c \
    files/job.c \
    files/learnable.c \
    files/learned.c \
    files/library-paths.c \
    files/needed.c \
    files/out.c \
    files/paths.c \
    files/program-file.c \
    files/program.c \
    files/root.c \
    files/tree.c \
    files/where.c \
    machine/cache.c \
    machine/deadline.c \
    machine/emulator.c \
    machine/kernel.c \
    machine/machine.c \
    machine/modules.c \
    machine/monitor.c \
    machine/outlet.c \
    machine/process.c \
    machine/snapshot.c \
    machine/state-clock.c \
    machine/supply.c \
    record/exact.c \
    record/mapped.c \
    record/names.c \
    record/raw.c \
    record/recorded.c \
    record/unwound.c \
    report/compare.c \
    report/comparison.c \
    report/contents.c \
    report/event-names.c \
    report/events.c \
    report/formats.c \
    report/output.c \
    report/report.c \
    report/reports.c \
    report/result.c \
    report/syscalls.c \
    report/values.c
RUN_GUEST_SOURCES := \
    child.c \
    confine.c \
    count.c \
    firmware.c \
    forward.c \
    init.c \
    job.c \
    lookups.c \
    network.c \
    out.c \
    platform.c \
    record.c \
    regions.c \
    setup.c \
    supply.c \
    syscalls.c \
    tracepoints.c \
    unpack.c

RUN := host_tools/vpmu-run
RUN_BUILD := $(BUILD)/host_tools
RUN_OBJS := $(RUN_SOURCES:%.c=$(RUN_BUILD)/obj/vpmu-run/%.o) $(RUN_BUILD)/obj/vpmu-run/cli/main.o
RUN_LIBRARIES := json-c libdw libelf libzstd zlib
# What vpmu-stats has, too: it writes and reads the same files.
RUN_SHARED := base/distance base/error base/format base/number base/protobuf base/replacement base/signals lines/valgrind-lines perfdata/costs perfdata/file-ids perfdata/filesymbols \
              perfdata/perfaccess perfdata/perfbranch perfdata/perfdata perfdata/perffeatures perfdata/perfput perfdata/perfsample profile/code-maps profile/limit profile/string-table symbols/debug-file symbols/elffile symbols/frame-starts symbols/functions \
              symbols/guest-files symbols/image symbols/mini-symbols symbols/plt symbols/reader-process symbols/symbols \
              unwind/frame-expression unwind/frame-rules unwind/unwind
RUN_SHARED_OBJS := $(RUN_SHARED:%=$(RUN_BUILD)/obj/vpmu-stats/%.o)
RUN_CFLAGS = -std=c11 -D_GNU_SOURCE -g $(WARNINGS) -ffile-prefix-map=$(CURDIR)=. -Ivpmu/include \
             -I$(RUN) -Ihost_tools/vpmu-stats -I$(RUN_BUILD)/generated $(shell pkg-config --cflags $(RUN_LIBRARIES))
# The machine's init is static, so that it needs no other file. There is one for each architecture.
RUN_GUEST_CFLAGS := -std=c11 -D_GNU_SOURCE -Os $(WARNINGS) -I$(RUN) -Ihost_tools/vpmu-stats -static -s -Wl,--build-id=none
RUN_GUEST_FILES := $(RUN_GUEST_SOURCES:%=$(RUN)/guest/%) host_tools/vpmu-stats/base/distance.c
# check-lint looks for circles among these.
RUN_GUEST_OBJS := $(RUN_GUEST_SOURCES:%.c=$(RUN_BUILD)/obj/vpmu-run-guest/%.o)
RUN_NEED_X86 := $(if $(filter x86_64,$(shell uname -m)),need-guest-x86,need-guest-x86-cross)
RUN_INITS := $(RUN_BUILD)/vpmu-run-init-amd64 $(RUN_BUILD)/vpmu-run-init-arm64

$(RUN_GUEST_OBJS): $(RUN_BUILD)/obj/vpmu-run-guest/%.o: $(RUN)/guest/%.c $(RUN)/guest/guest.h $(RUN)/guest/lookups.h \
		$(RUN)/protocol.h | need-tools
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(WARNINGS) -I$(RUN) -Ihost_tools/vpmu-stats -c -o $@ $<

$(RUN_INITS): $(RUN_GUEST_FILES) $(RUN)/guest/guest.h $(RUN)/guest/lookups.h $(RUN)/protocol.h
	@mkdir -p $(@D)
	$(Q)$(RUN_GUEST_CC) $(RUN_GUEST_CFLAGS) -o $@ $(RUN_GUEST_FILES)

$(RUN_BUILD)/vpmu-run-init-amd64: RUN_GUEST_CC = $(CROSS_X86)gcc
$(RUN_BUILD)/vpmu-run-init-amd64: | $(RUN_NEED_X86)
$(RUN_BUILD)/vpmu-run-init-arm64: RUN_GUEST_CC = $(CROSS)gcc
$(RUN_BUILD)/vpmu-run-init-arm64: | need-guest

$(RUN_BUILD)/obj/vpmu-run/init-image.o: $(RUN)/init-image.S $(RUN_INITS) | need-tools
	@mkdir -p $(@D)
	$(Q)$(CC) -DINIT_AMD64=$(RUN_BUILD)/vpmu-run-init-amd64 -DINIT_ARM64=$(RUN_BUILD)/vpmu-run-init-arm64 -c -o $@ $<

# The names of system calls, as the headers of the C libraries have them.
RUN_SYSCALLS := $(RUN_BUILD)/generated/syscalls-amd64.h $(RUN_BUILD)/generated/syscalls-arm64.h
$(RUN_SYSCALLS): $(RUN)/sources.mk
	@mkdir -p $(@D)
	$(Q)(echo '#include <sys/syscall.h>'; echo '#include <sys/syscall.h>' | $(RUN_GUEST_CC) -E -dM - | \
	    sed -n 's/^#define __NR_\([a-z][a-z0-9_]*\) .*/[__NR_\1] = "\1",/p' | \
	    grep -v -e NR_syscalls -e NR_arch_specific | LC_ALL=C sort) | \
	    $(RUN_GUEST_CC) -E -P - | grep '^\[' >$@
$(RUN_BUILD)/generated/syscalls-amd64.h: RUN_GUEST_CC = $(CROSS_X86)gcc
$(RUN_BUILD)/generated/syscalls-amd64.h: | $(RUN_NEED_X86)
$(RUN_BUILD)/generated/syscalls-arm64.h: RUN_GUEST_CC = $(CROSS)gcc
$(RUN_BUILD)/generated/syscalls-arm64.h: | need-guest
$(RUN_BUILD)/obj/vpmu-run/report/syscalls.o $(RUN_BUILD)/tests/vpmu-run/report/syscalls.o: $(RUN_SYSCALLS)

$(RUN_OBJS): $(RUN_BUILD)/obj/%.o: host_tools/%.c | need-tools
	@mkdir -p $(@D)
	$(Q)$(CC) $(RUN_CFLAGS) -O2 -fPIE $(CFLAGS) -MMD -MP -c -o $@ $<

$(RUN_BUILD)/vpmu-run: $(RUN_OBJS) $(RUN_SHARED_OBJS) $(RUN_BUILD)/obj/vpmu-run/init-image.o
	$(Q)$(CC) -pie $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs $(RUN_LIBRARIES))

-include $(RUN_OBJS:.o=.d)

host_tools: $(RUN_BUILD)/vpmu-run

INSTALLED += include/vpmu_run.h bin/vpmu-run share/man/man1/vpmu-run.1 share/bash-completion/completions/vpmu-run
.PHONY: install-run install-run-program run-kernel check-run
install-tools: install-run-program
install-run-program: $(RUN_BUILD)/vpmu-run
	$(Q)install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/share/man/man1 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	$(Q)install -m 755 $< $(DESTDIR)$(PREFIX)/bin
	$(Q)install -m 644 $(RUN)/include/vpmu_run.h $(DESTDIR)$(PREFIX)/include
	$(Q)install -m 644 $(RUN)/vpmu-run.1 $(DESTDIR)$(PREFIX)/share/man/man1
	$(Q)install -m 644 $(RUN)/completion $(DESTDIR)$(PREFIX)/share/bash-completion/completions/vpmu-run

# All that vpmu-run needs, and nothing else: small emulators, unless full ones are built already.
install-run:
	$(Q)$(MAKE) QEMU_FEATURES=small install-tools install-qemu install-qemu-x86 run-kernel
	@echo '-- $(DESTDIR)$(PREFIX)/bin/vpmu-run is installed'

# The kernels and the firmware of the machines: Debian's, fetched once. The tests of guests have the same
# kernels. With the same firmware, machines on all computers have the same counts.
RUN_CACHE = $${XDG_CACHE_HOME:-$$HOME/.cache}/vpmu
run-kernel: | need-guest-x86
	$(Q).mk/debian alone trixie amd64 "$(RUN_CACHE)/linux-guest-amd64/kernel" 'linux-image-[0-9]*-cloud-amd64'
	$(Q).mk/debian alone trixie amd64 "$(RUN_CACHE)/firmware-amd64" seabios qemu-system-data
	$(Q).mk/debian alone trixie arm64 "$(RUN_CACHE)/linux-guest/kernel" 'linux-image-[0-9]*-cloud-arm64'

# One archive that runs without installing anything; QEMU_FEATURES=small makes it small. bundle-arm64 is
# cross-compiled. bundle-source and bundle-source-arm64 make the archives of their sources.
.PHONY: bundle bundle-arm64 bundle-source bundle-source-arm64 check-bundle check-bundle-x86 check-bundle-arm64
bundle:
	$(Q)$(MAKE) QEMU_FEATURES=small $(RUN_BUILD)/vpmu-run qemu qemu-x86 run-kernel
	$(Q)$(MAKE) LIBVIRT=no BUILD=$(BUILD)/bundle $(BUILD)/bundle/host_tools/vpmu-stats
	$(Q)QEMU_X86=$(QEMU_X86) QEMU=$(QEMU) VPMU_RUN=$(RUN_BUILD)/vpmu-run \
	    VPMU_STATS=$(BUILD)/bundle/host_tools/vpmu-stats .mk/bundle $(BUILD) x86_64
RUN_ARM64 := build/tools-arm64
bundle-arm64: | need-cross need-tools need-guest $(RUN_NEED_X86)
	$(Q)$(MAKE) qemu-arm64-tcg run-kernel
	$(Q)MAKE='$(MAKE)' CROSS='$(CROSS)' host_tools/cross $(RUN_ARM64) vpmu-stats vpmu-run
	$(Q)CROSS='$(CROSS)' QEMU_X86=build/qemu-arm64-tcg$(QEMU_SUFFIX)/qemu-system-x86_64 \
	    QEMU=build/qemu-arm64-tcg$(QEMU_SUFFIX)/qemu-system-aarch64 \
	    VPMU_RUN=$(RUN_ARM64)/vpmu-run VPMU_STATS=$(RUN_ARM64)/vpmu-stats .mk/bundle $(BUILD) aarch64
bundle-source: bundle dist
	$(Q).mk/bundle_source $(BUILD) x86_64
bundle-source-arm64: bundle-arm64 dist
	$(Q).mk/bundle_source $(BUILD) aarch64
# The bundle for x86-64 is tried in five roots; needs root.
BUNDLE_SUITES := bullseye bookworm trixie sid
check-bundle: check-bundle-x86 check-bundle-arm64
check-bundle-x86: bundle $(RUN_BUILD)/tests/vpmu-run/loop $(RUN_BUILD)/tests/vpmu-run/loop-longer $(RUN_BUILD)/tests/vpmu-run/old-kernel
	$(Q).mk/debian alone bookworm amd64 "$(RUN_CACHE)/musl" busybox-static musl
	$(Q).mk/tests/bundle $(BUILD)/vpmu-run-*-x86_64.tar.gz "$(RUN_CACHE)/musl" $(RUN_TESTS)/loop $(RUN_TESTS)/old-kernel \
	    $(RUN_BUILD)/vpmu-run $(BUNDLE_SUITES)
# Debian's user-mode emulator executes what is for arm64.
check-bundle-arm64: bundle bundle-arm64 $(RUN_BUILD)/tests/vpmu-run/loop $(RUN_BUILD)/tests/vpmu-run/loop-arm64 \
		$(RUN_BUILD)/tests/vpmu-run/root-arm64/usr/bin/needs
	$(Q).mk/debian alone bookworm arm64 "$(RUN_CACHE)/busybox-arm64" busybox-static
	$(Q).mk/debian tool bookworm "$(RUN_CACHE)/qemu-user" qemu-user-static
	$(Q).mk/tests/bundle_arm64 $(BUILD)/vpmu-run-*-aarch64.tar.gz $(BUILD)/vpmu-run-*-x86_64.tar.gz "$(RUN_CACHE)/busybox-arm64" \
	    "$(RUN_CACHE)/qemu-user/usr/bin/qemu-aarch64-static" $(RUN_TESTS)/root-arm64 $(RUN_TESTS)/loop $(RUN_TESTS)/loop-arm64

# Tests: build/host_tools/tests/vpmu-run/unit, and programs whose instructions are known.
RUN_TESTS := $(RUN_BUILD)/tests/vpmu-run
RUN_TEST_SOURCES := tests/unit.c tests/test_archive.c tests/test_cache.c tests/test_compare.c tests/test_events.c tests/test_exact.c tests/test_kernel.c tests/test_modules.c \
                    tests/test_out.c tests/test_record.c tests/test_report.c
RUN_TEST_OBJS := $(patsubst %.c,$(RUN_TESTS)/%.o,$(RUN_SOURCES) $(RUN_TEST_SOURCES))
RUN_TEST_PROGRAMS := $(addprefix $(RUN_TESTS)/,unit loop loop-longer loop-arm64 loop-arm64-longer spin unlinked \
                     calls calls-arm64 jit chains chains-arm64 trees trees-arm64 gate profiled profiled-arm64 firmware firmware-arm64 called called-arm64 called-dynamic signalled signalled-arm64 tails tails-arm64 tails-dynamic lazy twins twins-now bare bare-tables bare-arm64 ends ends-arm64 covered covered-gcov streams old-kernel regions regions-c++ regions-arm64 \
                     root-arm64/usr/bin/needs root-arm64/usr/bin/lazy)

$(RUN_TEST_OBJS): $(RUN_TESTS)/%.o: $(RUN)/%.c | need-tools
	@mkdir -p $(@D)
	$(Q)$(CC) $(RUN_CFLAGS) $(TOOLS_SANITIZE) -MMD -MP -c -o $@ $<

$(RUN_TESTS)/unit: $(RUN_TEST_OBJS) $(RUN_SHARED_OBJS) $(RUN_BUILD)/obj/vpmu-run/init-image.o
	$(Q)$(CC) $(TOOLS_SANITIZE) -o $@ $^ $(shell pkg-config --libs $(RUN_LIBRARIES) check)

$(RUN_TESTS)/loop $(RUN_TESTS)/loop-longer $(RUN_TESTS)/spin: $(RUN)/tests/loop.S $(RUN)/tests/spin.S | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc -nostdlib -static -no-pie -Wl,--build-id=none $(if $(@:%-longer=),,-DLONGER) \
	    -o $@ $(RUN)/tests/$(notdir $(@:-longer=)).S

$(RUN_TESTS)/loop-arm64 $(RUN_TESTS)/loop-arm64-longer: $(RUN)/tests/loop.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -nostdlib -static -no-pie -Wl,--build-id=none $(if $(@:%-longer=),,-DLONGER) -o $@ $<

$(RUN_TESTS)/calls-arm64: $(RUN)/tests/calls.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -std=c11 -D_GNU_SOURCE -O1 -static -pthread -o $@ $<

$(RUN_TESTS)/calls: $(RUN)/tests/calls.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc -std=c11 -D_GNU_SOURCE -O1 -static -pthread -o $@ $<

$(RUN_TESTS)/jit: $(RUN)/tests/jit.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc -std=c11 -D_GNU_SOURCE -O1 -static -o $@ $<

# Frame pointers lead from a function to its callers.
$(RUN_TESTS)/chains: $(RUN)/tests/chains.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc -std=c11 -D_GNU_SOURCE -O1 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
	    -static -pthread -o $@ $<

$(RUN_TESTS)/chains-arm64: $(RUN)/tests/chains.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -std=c11 -D_GNU_SOURCE -O1 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
	    -static -pthread -o $@ $<

# One tree of functions in C by GCC and in C++ by Clang, without optimization and with it, without frame
# pointers and with them.
RUN_TREES := c0 c2 c0fp c2fp cc0 cc2 cc0fp cc2fp
RUN_TREE_CFLAGS = -DTREE=$* -O$(if $(findstring 0,$*),0,2) -fasynchronous-unwind-tables -fno-stack-protector \
                  $(if $(findstring fp,$*),-fno-omit-frame-pointer,-fomit-frame-pointer) \
                  $(if $(findstring cc,$*),-x c++ -fno-exceptions -fno-rtti)

$(RUN_TREES:%=$(RUN_TESTS)/tree-%.o): $(RUN_TESTS)/tree-%.o: $(RUN)/tests/tree.c | need-guest-x86 need-trees
	@mkdir -p $(@D)
	$(Q)$(if $(findstring cc,$*),clang --target=x86_64-linux-gnu,$(CROSS_X86)gcc) $(RUN_TREE_CFLAGS) -c -o $@ $<

$(RUN_TREES:%=$(RUN_TESTS)/tree-arm64-%.o): $(RUN_TESTS)/tree-arm64-%.o: $(RUN)/tests/tree.c | need-guest need-trees
	@mkdir -p $(@D)
	$(Q)$(if $(findstring cc,$*),clang --target=aarch64-linux-gnu,$(CROSS)gcc) $(RUN_TREE_CFLAGS) -c -o $@ $<

$(RUN_TESTS)/trees: $(RUN)/tests/trees.c $(RUN_TREES:%=$(RUN_TESTS)/tree-%.o)
	$(Q)$(CROSS_X86)gcc -std=c11 -O2 -static -o $@ $^

$(RUN_TESTS)/trees-arm64: $(RUN)/tests/trees.c $(RUN_TREES:%=$(RUN_TESTS)/tree-arm64-%.o)
	$(Q)$(CROSS)gcc -std=c11 -O2 -static -o $@ $^

# The same code for valgrind and vpmu-run, and for arm64.
RUN_PROFILED_CFLAGS := -std=c11 -g -O1 -fno-stack-protector -fno-pie -no-pie -static -nostdlib
RUN_PROFILED := $(addprefix $(RUN)/tests/,profiled.c profiled_linux.c)
$(RUN_TESTS)/profiled: $(RUN_PROFILED) | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(RUN_PROFILED_CFLAGS) -o $@ $^

$(RUN_TESTS)/profiled-arm64: $(RUN_PROFILED) | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(RUN_PROFILED_CFLAGS) -o $@ $^

# A function with fewer turns, and one of the same name with more, built in another directory
RUN_TWINS := $(addprefix $(RUN)/tests/,twins/main.c twins/ha.c twins/hb.c profiled_linux.c)
$(RUN_TESTS)/twins: $(RUN_TWINS) | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(RUN_PROFILED_CFLAGS) -DA=1000 -DB=5000 -o $@ $^

$(RUN_TESTS)/twins-now: $(RUN_TWINS) | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(RUN_PROFILED_CFLAGS) -fdebug-prefix-map=$(RUN)=/elsewhere -DA=5000 -DB=1000 -o $@ $^

# The same code again, as firmware. hot_start_x86.S has page tables and comes first, for their alignment.
RUN_FIRMWARE_CFLAGS := $(RUN_PROFILED_CFLAGS) -ffreestanding -mgeneral-regs-only -Wl,--build-id=none \
                       -Wl,-z,noexecstack
RUN_FIRMWARE := $(addprefix $(RUN)/tests/,profiled.c profiled_machine.c)
$(RUN_TESTS)/firmware: guest_tests/properties/hot_start_x86.S $(RUN_FIRMWARE) | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(RUN_FIRMWARE_CFLAGS) -Wl,--section-start=.entry=0x200000,-Ttext=0x201000,-Tdata=0x300000 \
	    -o $@ $^

$(RUN_TESTS)/firmware-arm64: guest_tests/properties/hot_start.S $(RUN_FIRMWARE) | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(RUN_FIRMWARE_CFLAGS) -Wl,-Ttext-segment=0x40080000 -o $@ $^

RUN_CALLED_CFLAGS := -std=c11 -D_GNU_SOURCE -g -O1 -fno-optimize-sibling-calls -static -pthread
$(RUN_TESTS)/called: $(RUN)/tests/called.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(RUN_CALLED_CFLAGS) -o $@ $<

# All addresses in its PLT are known before main().
$(RUN_TESTS)/called-dynamic: $(RUN)/tests/called.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(filter-out -static,$(RUN_CALLED_CFLAGS)) -Wl,-z,now -o $@ $<

$(RUN_TESTS)/signalled: $(RUN)/tests/signalled.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(RUN_CALLED_CFLAGS) -o $@ $<

$(RUN_TESTS)/signalled-arm64: $(RUN)/tests/signalled.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(RUN_CALLED_CFLAGS) -o $@ $<

$(RUN_TESTS)/called-arm64: $(RUN)/tests/called.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(RUN_CALLED_CFLAGS) -o $@ $<

RUN_TAILS_CFLAGS := -std=c11 -D_GNU_SOURCE -g -O1 -foptimize-sibling-calls
$(RUN_TESTS)/tails: $(RUN)/tests/tails.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(RUN_TAILS_CFLAGS) -static -o $@ $<

$(RUN_TESTS)/tails-dynamic: $(RUN)/tests/tails.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(RUN_TAILS_CFLAGS) -Wl,-z,now -o $@ $<

$(RUN_TESTS)/tails-arm64: $(RUN)/tests/tails.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(RUN_TAILS_CFLAGS) -static -o $@ $<

$(RUN_TESTS)/lazy: $(RUN)/tests/lazy.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(RUN_TAILS_CFLAGS) -Wl,-z,lazy -o $@ $<

$(RUN_TESTS)/root-arm64/usr/bin/lazy: $(RUN)/tests/lazy.c $(RUN_TESTS)/root-arm64/usr/bin/needs | need-guest
	$(Q)$(CROSS)gcc $(RUN_TAILS_CFLAGS) -Wl,-z,lazy -o $@ $<

RUN_BARE_CFLAGS := -std=c11 -O1
$(RUN_TESTS)/bare: $(RUN)/tests/stripped/bare.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(RUN_BARE_CFLAGS) -fno-asynchronous-unwind-tables -Wl,-z,now -o $@ $<

$(RUN_TESTS)/bare-tables: $(RUN)/tests/stripped/bare.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(RUN_BARE_CFLAGS) -fasynchronous-unwind-tables -Wl,-z,now -o $@ $<

$(RUN_TESTS)/bare-arm64: $(RUN)/tests/stripped/bare.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(RUN_BARE_CFLAGS) -fasynchronous-unwind-tables -static -o $@ $<

$(RUN_TESTS)/ends: $(RUN)/tests/ends.S | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc -g -nostdlib -static -no-pie -o $@ $<

$(RUN_TESTS)/ends-arm64: $(RUN)/tests/ends.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -g -nostdlib -static -no-pie -o $@ $<

# covered-gcov writes its counts to the working directory, for gcov.
RUN_COVERED_CFLAGS := -std=c11 -g -O0
$(RUN_TESTS)/covered $(RUN_TESTS)/covered-gcov: $(RUN)/tests/covered.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(RUN_COVERED_CFLAGS) $(if $(filter %-gcov,$@),--coverage,-static) -o $@ $<

$(RUN_TESTS)/gate: $(RUN)/tests/gate.c $(RUN)/include/vpmu_run.h | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc -std=c11 -D_GNU_SOURCE -O2 -static -I$(RUN)/include -o $@ $<

$(RUN_TESTS)/streams: $(RUN)/tests/streams.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc -std=c11 -D_GNU_SOURCE -O1 -static -o $@ $<

$(RUN_TESTS)/old-kernel: $(RUN)/tests/old-kernel.c | need-tools
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(WARNINGS) -static -o $@ $<

# The same program in C, and in C++ with the compiler of this computer.
$(RUN_TESTS)/regions: $(RUN)/tests/regions.c $(RUN)/include/vpmu_run.h | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc -std=c11 -Wall -Wextra -Wpedantic $(WERROR) -O2 -static -pthread -I$(RUN)/include -o $@ $<

$(RUN_TESTS)/regions-c++: $(RUN)/tests/regions.c $(RUN)/include/vpmu_run.h | need-unit
	@mkdir -p $(@D)
	$(Q)$(CXX) -x c++ -Wall -Wextra -Wpedantic $(WERROR) -O2 -pthread -I$(RUN)/include -o $@ $<

$(RUN_TESTS)/regions-arm64: $(RUN)/tests/regions.c $(RUN)/include/vpmu_run.h | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -std=c11 -O2 -static -pthread -I$(RUN)/include -o $@ $<

# A directory for --root: a program, its libraries in two places, and a file. Links lead from its top.
RUN_ROOT := $(RUN_TESTS)/root-arm64
$(RUN_ROOT)/usr/bin/needs: $(RUN)/tests/needs.c $(RUN)/sources.mk | need-guest
	@rm -rf $(RUN_ROOT)
	@mkdir -p $(RUN_ROOT)/usr/bin $(RUN_ROOT)/usr/lib/aarch64-linux-gnu $(RUN_ROOT)/opt/needs $(RUN_ROOT)/etc
	$(Q)ln -s usr/lib $(RUN_ROOT)/lib
	$(Q)cp "$$($(CROSS)gcc -print-file-name=ld-linux-aarch64.so.1)" $(RUN_ROOT)/usr/lib/ld-linux-aarch64.so.1
	$(Q)cp "$$($(CROSS)gcc -print-file-name=libc.so.6)" $(RUN_ROOT)/usr/lib/aarch64-linux-gnu
	$(Q)$(CROSS)gcc -DLIBRARY -shared -fPIC -o $(RUN_ROOT)/opt/needs/libneeds.so $<
	$(Q)echo 'words' >$(RUN_ROOT)/usr/words
	$(Q)ln -s /usr/words $(RUN_ROOT)/etc/words
	$(Q)$(CROSS)gcc -o $@ $< -L$(RUN_ROOT)/opt/needs -lneeds -Wl,-rpath,'$$ORIGIN/../../opt/needs'

# A program whose library is gone.
$(RUN_TESTS)/unlinked: | need-guest-x86
	@mkdir -p $(@D)
	$(Q)echo 'int gone(void); int gone(void) { return 0; }' | \
	    $(CROSS_X86)gcc -x c -shared -fPIC -o $(@D)/libvpmurun-test.so -
	$(Q)echo 'int gone(void); int main(void) { return gone(); }' | \
	    $(CROSS_X86)gcc -x c -o $@ - -L$(@D) -lvpmurun-test
	$(Q)rm $(@D)/libvpmurun-test.so

# Programs in other languages, whose compilers are large.
RUN_LANGUAGES := $(RUN_TESTS)/languages
$(RUN_LANGUAGES)/loop-rust: $(RUN)/tests/languages/loop.rs | need-run-languages
	@mkdir -p $(@D)
	$(Q)rustc -O -o $@ $<

# A tree of functions, without frame pointers and with them. The last one has names of another form.
RUN_RUST_TREES := $(addprefix $(RUN_LANGUAGES)/tree-,0 0fp 2 2fp 2v0)
RUN_RUST_TREES_ARM64 := $(RUN_RUST_TREES:$(RUN_LANGUAGES)/tree-%=$(RUN_LANGUAGES)/tree-arm64-%)
$(RUN_RUST_TREES): RUN_RUSTC := rustc
$(RUN_RUST_TREES_ARM64): RUN_RUSTC := CROSS=$(CROSS) $(RUN)/tests/languages/rustc-arm64 -C target-feature=+crt-static
$(RUN_RUST_TREES_ARM64): | need-guest
$(RUN_RUST_TREES) $(RUN_RUST_TREES_ARM64): $(RUN)/tests/languages/tree.rs | need-run-languages
	@mkdir -p $(@D)
	$(Q)$(RUN_RUSTC) -C opt-level=$(if $(findstring -0,$@),0,2) -C force-frame-pointers=$(if $(findstring fp,$@),yes,no) \
	    $(if $(findstring v0,$@),-C symbol-mangling-version=v0) -o $@ $<

$(RUN_LANGUAGES)/loop-go: $(RUN)/tests/languages/loop.go $(RUN)/tests/languages/loop_amd64.s | need-run-languages
	@mkdir -p $(@D)/go
	$(Q)cp $^ $(@D)/go
	$(Q)printf 'module loop\ngo 1.19\n' >$(@D)/go/go.mod
	$(Q)cd $(@D)/go && CGO_ENABLED=0 go build -o ../loop-go .

.PHONY: check-run-languages
check-run-languages: $(RUN_LANGUAGES)/loop-rust $(RUN_LANGUAGES)/loop-go $(RUN_RUST_TREES) $(RUN_RUST_TREES_ARM64) $(RUN_TEST_PROGRAMS) $(RUN_BUILD)/vpmu-run \
    $(RUN_BUILD)/vpmu-stats qemu-x86 qemu run-kernel
	$(Q)QEMU_X86=$(QEMU_X86) QEMU=$(QEMU) $(RUN)/tests/run $(RUN_BUILD) languages record_rust

# Real programs, as many as are installed: what they print here, and what in the machine.
.PHONY: check-run-programs
check-run-programs: $(RUN_BUILD)/vpmu-run qemu-x86 run-kernel
	$(Q)QEMU_X86=$(QEMU_X86) $(RUN)/tests/programs $(RUN_BUILD) $(PROGRAMS)

-include $(RUN_TEST_OBJS:.o=.d)

# The last one starts $(RUN_TESTS)/firmware.
RUN_TEST_FILES := $(RUN_TEST_PROGRAMS) build/guest_tests/random/x86/rom.bin

ready: $(RUN_TEST_FILES) $(RUN_BUILD)/vpmu-run $(RUN_BUILD)/vpmu-stats qemu-x86 qemu run-kernel

check-run: $(RUN_TEST_FILES) $(RUN_BUILD)/vpmu-run $(RUN_BUILD)/vpmu-stats qemu-x86 qemu run-kernel | need-run need-perf
	$(Q).mk/debian alone trixie-backports arm64 "$(RUN_CACHE)/linux-guest/kernel-7.3" 'linux-binary-7.3*-cloud-arm64' || \
	    echo '   tests that need Linux 7.3 are skipped'
	$(Q).mk/debian alone bookworm amd64 "$(RUN_CACHE)/linux-guest-amd64/kernel-bookworm" 'linux-image-6.1*-cloud-amd64' || \
	    echo '   tests that need Linux 6.1 are skipped'
	$(Q)QEMU_X86=$(QEMU_X86) QEMU=$(QEMU) $(RUN)/tests/run $(RUN_BUILD)
