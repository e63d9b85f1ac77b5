# SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
# The library: freestanding, so that a hypervisor can link it at EL2.

VPMU_SOURCES := $(addprefix arm/,access.c adopt.c bank.c config.c deadline.c events.c fields.c filter.c ids.c names.c duties.c \
                  pmu.c regs.c state.c trap.c update.c) \
                $(addprefix count/,advance.c certain.c event_text.c headroom.c observe.c pace.c rate.c settle.c step.c) \
                $(addprefix insn/,insn_a32.c insn_a64.c insn_t32.c insn_x86.c) \
                $(addprefix model/,model.c model_assoc.c model_branch.c model_cache.c model_check.c \
                  model_filter.c model_outer.c model_parse.c model_size.c model_tage.c model_tlb.c) \
                switch/attr.c \
                $(addprefix x86/,x86_bank.c x86_config.c x86_cpuid.c x86_duties.c x86_events.c x86_family.c x86_fields.c x86_look.c \
                  x86_names.c x86_observe.c x86_pmu.c x86_state.c x86_update.c) \
                $(addprefix watch/,blackout.c frequency.c observer_parse.c observers.c watch.c)
VPMU_SRCS := $(addprefix vpmu/src/,$(VPMU_SOURCES))
# The switch runs at EL2 of an AArch64 PE: another machine's archive is without it.
VPMU_EL2_SRCS := vpmu/src/switch/switch.c
VPMU_HEADERS := $(wildcard vpmu/include/vpmu/*.h)
# A compiler that is not there yet will be this machine's own.
VPMU_IS_AARCH64 := $(findstring aarch64,$(shell $(CC) -dumpmachine 2>/dev/null || uname -m))
VPMU_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(VPMU_SRCS) $(if $(VPMU_IS_AARCH64),$(VPMU_EL2_SRCS)))
VPMU_VERSION := $(shell sed -n 's/^.define VPMU_VERSION "\(.*\)"/\1/p' vpmu/include/vpmu/version.h)

VPMU_CFLAGS := -std=c11 -O2 -g -ffile-prefix-map=$(CURDIR)=. -ffreestanding -fPIE \
               -fno-stack-protector $(WARNINGS) -Ivpmu/include

$(BUILD)/vpmu/src/%.o: vpmu/src/%.c | $(NEED_CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(VPMU_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/vpmu/libvpmu.a: $(VPMU_OBJS)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

-include $(VPMU_OBJS:.o=.d)

PREFIX ?= /usr/local
INSTALLED += $(VPMU_HEADERS:vpmu/%=%) lib/libvpmu.a lib/pkgconfig/vpmu.pc
INSTALLED_DIRS += include/vpmu
.PHONY: install install-vpmu
install: install-vpmu
install-vpmu: $(BUILD)/vpmu/libvpmu.a
	$(Q)install -d $(DESTDIR)$(PREFIX)/include/vpmu $(DESTDIR)$(PREFIX)/lib/pkgconfig
	$(Q)install -m 644 $(VPMU_HEADERS) $(DESTDIR)$(PREFIX)/include/vpmu
	$(Q)install -m 644 $(BUILD)/vpmu/libvpmu.a $(DESTDIR)$(PREFIX)/lib
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VPMU_VERSION)|' vpmu/vpmu.pc.in \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/vpmu.pc
