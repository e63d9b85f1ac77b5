# SPDX-License-Identifier: GPL-2.0-or-later
# kvm_glue: hosted; needs libc and Linux, and of vpmu what they have in common: names of registers and
# events.

GLUE_SOURCES := attr.c design.c error.c exits.c explain.c filter.c group.c host_pmu.c meter.c mode.c os_linux.c \
                pmmir.c read.c registers.c ring.c sampled.c sampler.c setup.c software.c state.c vcpu.c
# How a counter is read without a system call, where that can be.
GLUE_AARCH64_SOURCES := pmc_aarch64.c
GLUE_SRCS := $(addprefix kvm_glue/src/,$(GLUE_SOURCES) $(if $(VPMU_IS_AARCH64),$(GLUE_AARCH64_SOURCES)))
GLUE_HEADERS := $(wildcard kvm_glue/include/kvm_glue/*.h)
GLUE_OBJS := $(GLUE_SRCS:%.c=$(BUILD)/%.o)

GLUE_CFLAGS := -std=c11 -O2 -g -ffile-prefix-map=$(CURDIR)=. -fPIE $(WARNINGS) \
               -Ikvm_glue/include -Ivpmu/include

$(BUILD)/kvm_glue/src/%.o: kvm_glue/src/%.c | $(NEED_CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(GLUE_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/kvm_glue/libkvm_glue.a: $(GLUE_OBJS)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

-include $(GLUE_OBJS:.o=.d)

all: build/kvm_glue/libkvm_glue.a

INSTALLED += $(GLUE_HEADERS:kvm_glue/%=%) lib/libkvm_glue.a lib/pkgconfig/kvm_glue.pc
INSTALLED_DIRS += include/kvm_glue
.PHONY: install-glue
install: install-glue
install-glue: $(BUILD)/kvm_glue/libkvm_glue.a
	$(Q)install -d $(DESTDIR)$(PREFIX)/include/kvm_glue $(DESTDIR)$(PREFIX)/lib/pkgconfig
	$(Q)install -m 644 $(GLUE_HEADERS) $(DESTDIR)$(PREFIX)/include/kvm_glue
	$(Q)install -m 644 $(BUILD)/kvm_glue/libkvm_glue.a $(DESTDIR)$(PREFIX)/lib
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VPMU_VERSION)|' kvm_glue/kvm_glue.pc.in \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/kvm_glue.pc
