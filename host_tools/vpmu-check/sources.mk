# SPDX-License-Identifier: GPL-2.0-or-later
# vpmu-check: a static program for any Linux that says which events of its PMU can be trusted.

CHECK_SOURCES := \
    caches.c \
    counter.c \
    cpus.c \
    cycles.c \
    events.c \
    findings.c \
    groups.c \
    guest.c \
    known.c \
    machine.c \
    main.c \
    memory.c \
    misses.c \
    notes.c \
    open.c \
    pmus.c \
    records.c \
    ring.c \
    samples.c \
    scope.c \
    software.c \
    spe.c \
    user_read.c

VPMU_CHECK := host_tools/vpmu-check
CHECK_BUILD := $(BUILD)/host_tools
CHECK_CFLAGS = -std=c11 -D_GNU_SOURCE -O2 $(WARNINGS) -Ivpmu/include -static -pthread -s
CHECK_PROGRAMS := $(addprefix $(CHECK_BUILD)/vpmu-check-,amd64 arm64 armhf)
CHECK_FILES := $(addprefix $(VPMU_CHECK)/,$(CHECK_SOURCES))
CHECK_HEADERS := vpmu/include/vpmu/version.h $(addprefix $(VPMU_CHECK)/,check.h cpus.h guest.h judge.h pmus.h ring.h spe.h arch/loop.h arch/table.h)

$(CHECK_BUILD)/vpmu-check-amd64: CHECK_CC = $(CROSS_X86)gcc
$(CHECK_BUILD)/vpmu-check-amd64: $(VPMU_CHECK)/arch/x86_64.c | need-guest-x86
$(CHECK_BUILD)/vpmu-check-arm64: CHECK_CC = $(CROSS)gcc
$(CHECK_BUILD)/vpmu-check-arm64: $(VPMU_CHECK)/arch/aarch64.c | need-guest
$(CHECK_BUILD)/vpmu-check-armhf: CHECK_CC = $(CROSS32)gcc
# There is no KVM for 32-bit Arm, and no header of it.
$(CHECK_BUILD)/vpmu-check-armhf: CHECK_NOT = $(VPMU_CHECK)/guest.c
$(CHECK_BUILD)/vpmu-check-armhf: $(VPMU_CHECK)/arch/arm.c | need-guest

$(CHECK_PROGRAMS): $(CHECK_FILES) $(CHECK_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CHECK_CC) $(CHECK_CFLAGS) -o $@ $(filter-out $(CHECK_NOT),$(filter %.c,$^))

# The same with a PMU that counts wrongly on purpose, to see that each fault gets its verdict.
CHECK_TESTS := $(CHECK_BUILD)/tests/vpmu-check
$(CHECK_TESTS)/faulty: $(filter-out %/caches.c %/counter.c,$(CHECK_FILES)) $(VPMU_CHECK)/tests/faulty_counter.c \
		$(VPMU_CHECK)/arch/x86_64.c $(CHECK_HEADERS) | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(CHECK_CFLAGS) -DDEVICES='"devices"' -DCPUS='"cpus"' -I$(VPMU_CHECK) -o $@ $(filter %.c,$^)

# The one that is installed is for the computer that the compiler compiles for.
CHECK_ARCH := $(or $(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1),$(shell uname -m))
$(CHECK_BUILD)/vpmu-check: $(filter-out $(if $(filter arm,$(CHECK_ARCH)),%/guest.c),$(CHECK_FILES)) $(VPMU_CHECK)/arch/$(CHECK_ARCH).c $(CHECK_HEADERS) | $(NEED_CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CHECK_CFLAGS) -o $@ $(filter %.c,$^)

INSTALLED += bin/vpmu-check share/man/man1/vpmu-check.1
.PHONY: install-check
install: install-check
install-check: $(CHECK_BUILD)/vpmu-check
	$(Q)install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	$(Q)install -m 755 $< $(DESTDIR)$(PREFIX)/bin
	$(Q)install -m 644 $(VPMU_CHECK)/vpmu-check.1 $(DESTDIR)$(PREFIX)/share/man/man1

.PHONY: vpmu-check check-vpmu-check
vpmu-check: $(CHECK_PROGRAMS)
ready: vpmu-check $(CHECK_TESTS)/faulty

# Builds it for all architectures and tests it alone, in a minute.
check-vpmu-check: vpmu-check $(CHECK_TESTS)/faulty $(BUILD)/host_tools/tests/vpmu-run/old-kernel
	$(Q)$(VPMU_CHECK)/tests/run $(CHECK_BUILD) $(BUILD)/host_tools/tests/vpmu-run/old-kernel
