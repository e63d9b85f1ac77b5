# SPDX-License-Identifier: GPL-2.0-or-later
# vpmu-check: a static program for any Linux that says which events of its PMU can be trusted.

CHECK_SOURCES := \
    counter.c \
    events.c \
    findings.c \
    groups.c \
    known.c \
    machine.c \
    main.c \
    memory.c \
    notes.c \
    pmus.c \
    records.c \
    ring.c \
    samples.c \
    scope.c \
    software.c \
    user_read.c

VPMU_CHECK := host_tools/vpmu-check
CHECK_BUILD := $(BUILD)/host_tools
CHECK_VERSION = $(shell sed -n 's/^Version: //p' vpmu/vpmu.pc.in)
CHECK_CFLAGS = -std=c11 -D_GNU_SOURCE -O2 $(WARNINGS) -DVPMU_CHECK_VERSION='"$(CHECK_VERSION)"' -static -pthread -s
CHECK_PROGRAMS := $(addprefix $(CHECK_BUILD)/vpmu-check-,amd64 arm64 armhf)
CHECK_FILES := $(addprefix $(VPMU_CHECK)/,$(CHECK_SOURCES))
CHECK_HEADERS := $(addprefix $(VPMU_CHECK)/,check.h pmus.h ring.h arch/loop.h arch/table.h)

$(CHECK_BUILD)/vpmu-check-amd64: CHECK_CC = $(CROSS_X86)gcc
$(CHECK_BUILD)/vpmu-check-amd64: $(VPMU_CHECK)/arch/x86_64.c | need-guest-x86
$(CHECK_BUILD)/vpmu-check-arm64: CHECK_CC = $(CROSS)gcc
$(CHECK_BUILD)/vpmu-check-arm64: $(VPMU_CHECK)/arch/aarch64.c | need-guest
$(CHECK_BUILD)/vpmu-check-armhf: CHECK_CC = $(CROSS32)gcc
$(CHECK_BUILD)/vpmu-check-armhf: $(VPMU_CHECK)/arch/arm.c | need-guest

$(CHECK_PROGRAMS): $(CHECK_FILES) $(CHECK_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CHECK_CC) $(CHECK_CFLAGS) -o $@ $(filter %.c,$^)

# The same with a PMU that counts wrongly on purpose, to see that each fault gets its verdict.
CHECK_TESTS := $(CHECK_BUILD)/tests/vpmu-check
$(CHECK_TESTS)/faulty: $(filter-out %/counter.c,$(CHECK_FILES)) $(VPMU_CHECK)/tests/faulty_counter.c \
		$(VPMU_CHECK)/arch/x86_64.c $(CHECK_HEADERS) | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(CHECK_CFLAGS) -I$(VPMU_CHECK) -o $@ $(filter %.c,$^)

.PHONY: vpmu-check check-vpmu-check
vpmu-check: $(CHECK_PROGRAMS)
ready: vpmu-check $(CHECK_TESTS)/faulty

# Builds it for all architectures and tests it alone, in a minute.
check-vpmu-check: vpmu-check $(CHECK_TESTS)/faulty
	$(Q)$(VPMU_CHECK)/tests/run $(CHECK_BUILD)
