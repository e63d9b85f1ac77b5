# SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
# The library: freestanding, so that a hypervisor can link it at EL2.

VPMU_SRCS := $(addprefix vpmu/src/, \
  arm/access.c \
  arm/adopt.c \
  arm/bank.c \
  arm/config.c \
  arm/assignment.c \
  arm/event_model.c \
  arm/core_events.c \
  arm/event_needs.c \
  arm/events.c \
  arm/exceptions.c \
  arm/fields.c \
  arm/filter.c \
  arm/ids.c \
  arm/names.c \
  arm/pmu.c \
  arm/regs.c \
  arm/state.c \
  arm/trap.c \
  arm/update.c \
  arm/switch/attr.c \
  arm/watch/blackout.c \
  arm/watch/observer_parse.c \
  arm/watch/observers.c \
  arm/watch/watch.c \
  branch/branch_filter.c \
  branch/branch_observer.c \
  branch/brbe.c \
  branch/brbe_format.c \
  branch/brbe_regs.c \
  branch/brbe_state.c \
  branch/lbr.c \
  branch/lbr_config.c \
  branch/lbr_format.c \
  branch/lbr_regs.c \
  branch/lbr_state.c \
  branch/ring.c \
  count/advance.c \
  count/snapshot.c \
  count/change.c \
  count/event_text.c \
  count/frequency.c \
  count/headroom.c \
  count/observe.c \
  count/pace.c \
  count/perf_event.c \
  count/rate.c \
  count/saved.c \
  count/settle.c \
  count/step.c \
  insn/detail_a64.c \
  insn/detail_aarch32.c \
  insn/detail_simd.c \
  insn/detail_predicate.c \
  insn/detail_sve.c \
  insn/insn_a32.c \
  insn/insn_a64.c \
  insn/insn_t32.c \
  insn/insn_x86.c \
  insn/insn_x86_fp.c \
  model/model.c \
  model/pages.c \
  model/sets.c \
  model/model_branch.c \
  model/model_cache.c \
  model/model_check.c \
  model/model_filter.c \
  model/model_maintain.c \
  model/model_outer.c \
  model/model_page.c \
  model/model_parse.c \
  model/model_shared.c \
  model/model_size.c \
  model/model_tage.c \
  model/model_tlb.c \
  ibs/ibs_regs.c \
  ibs/ibs_sample.c \
  ibs/ibs_state.c \
  spe/spe.c \
  spe/spe_filter.c \
  spe/spe_op.c \
  spe/spe_record.c \
  spe/spe_regs.c \
  spe/spe_state.c \
  x86/x86_bank.c \
  x86/x86_config.c \
  x86/x86_detector.c \
  x86/x86_cpuid.c \
  x86/x86_assignment.c \
  x86/x86_pebs.c \
  x86/x86_record.c \
  x86/x86_event_model.c \
  x86/x86_events.c \
  x86/x86_family.c \
  x86/x86_fields.c \
  x86/x86_snapshot.c \
  x86/x86_metrics.c \
  x86/x86_names.c \
  x86/x86_observe.c \
  x86/x86_pmu.c \
  x86/x86_state.c \
  x86/x86_update.c \
)
# The switch runs at EL2 of an AArch64 PE: another machine's archive is without it.
VPMU_EL2_SRCS := vpmu/src/arm/switch/switch.c
VPMU_HEADERS := $(wildcard vpmu/include/vpmu/*.h vpmu/include/vpmu/*/*.h)
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
INSTALLED_DIRS += include/vpmu/arm include/vpmu/x86 include/vpmu
.PHONY: install install-vpmu
install: install-vpmu
install-vpmu: $(BUILD)/vpmu/libvpmu.a
	$(Q)install -d $(DESTDIR)$(PREFIX)/include/vpmu/arm $(DESTDIR)$(PREFIX)/include/vpmu/x86 $(DESTDIR)$(PREFIX)/lib/pkgconfig
	$(Q)install -m 644 $(wildcard vpmu/include/vpmu/*.h) $(DESTDIR)$(PREFIX)/include/vpmu
	$(Q)install -m 644 $(wildcard vpmu/include/vpmu/arm/*.h) $(DESTDIR)$(PREFIX)/include/vpmu/arm
	$(Q)install -m 644 $(wildcard vpmu/include/vpmu/x86/*.h) $(DESTDIR)$(PREFIX)/include/vpmu/x86
	$(Q)install -m 644 $(BUILD)/vpmu/libvpmu.a $(DESTDIR)$(PREFIX)/lib
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VPMU_VERSION)|' vpmu/vpmu.pc.in \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/vpmu.pc
