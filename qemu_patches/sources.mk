# SPDX-License-Identifier: GPL-2.0-or-later
#
# QEMU with our series; a part of the top-level Makefile. The scripts decide themselves what is up
# to date. The libraries that QEMU links are installed first, with headers and .pc files, in
# build/stage, and those for arm64 in build/stage-arm64.

# "make qemu" builds all features. Tests and the demo use the emulator that exists, or build the
# small one, which takes less time.
ifneq ($(filter qemu qemu-x86,$(MAKECMDGOALS)),)
QEMU_FEATURES ?= full
endif
# The stock QEMU of the benchmarks is a small one.
bench bench-reading: export QEMU_FEATURES := small
export QEMU_SRC QEMU_VERSION QEMU_TARGETS QEMU_FEATURES

.PHONY: qemu qemu-next qemu-arm64 qemu-stock qemu-tree qemu-series check-qemu-patches check-qemu-next \
	check-qemu-each check-setup

STAGE_FILES := $(VPMU_HEADERS) $(GLUE_HEADERS) vpmu/vpmu.pc.in kvm_glue/kvm_glue.pc.in

# install_stage DIR,VARIABLES: installs the libraries in an empty DIR
define install_stage
	@rm -rf $(1)
	+@$(MAKE) --no-print-directory $(2) PREFIX=$(CURDIR)/$(1) DESTDIR= install-vpmu install-glue
	@touch $(1)/.stamp
endef

build/stage/.stamp: build/vpmu/libvpmu.a build/kvm_glue/libkvm_glue.a $(STAGE_FILES)
	$(call install_stage,build/stage)

build/stage-arm64/.stamp: $(VPMU_SRCS) $(VPMU_EL2_SRCS) $(wildcard vpmu/src/*.h vpmu/src/*/*.h vpmu/src/*/*/*.h kvm_glue/src/*) \
		$(STAGE_FILES) | need-cross
	$(call install_stage,build/stage-arm64,BUILD=build/arm64 CC=$(CROSS)gcc AR=$(CROSS)ar)

.PHONY: stage stage-arm64
stage: build/stage/.stamp
stage-arm64: build/stage-arm64/.stamp

qemu: stage | need-qemu
	$(Q)qemu_patches/build

# The emulator of x86-64 guests.
QEMU_X86 := build/qemu-x86$(QEMU_SUFFIX)/qemu-system-x86_64
.PHONY: qemu-x86
qemu-x86: stage | need-qemu need-qemu-x86
	$(Q)QEMU_TARGETS=x86_64-softmmu QEMU_FEATURES=$(or $(QEMU_FEATURES),present) qemu_patches/build
$(QEMU_X86): qemu-x86 ;

# The version that check-qemu-next tests: the newest one that Debian's mirror has, or QEMU=N.N. If its
# source is not available, nothing is tested, because an older build may have other patches.
QEMU_NEXT := $(or $(filter-out $(firstword $(QEMU_VERSIONS)),$(QEMU_SERIES)),$(shell \
	awk '!/^\#/ && NF && $$4 != "listed" { newest = $$1 } END { print newest }' qemu_patches/versions))
QEMU_NEXT_DIR := build/qemu-$(QEMU_NEXT)
ifeq ($(QEMU_SERIES),$(QEMU_NEXT))
qemu-next: qemu
else
qemu-next: stage | need-qemu
	$(Q)QEMU_SERIES=$(QEMU_NEXT) QEMU_SRC= QEMU_VERSION= qemu_patches/build || \
	    { [ $$? = 77 ] && rm -rf $(QEMU_NEXT_DIR); }
endif

# For arm64 hosts with KVM, built on any machine.
qemu-arm64: stage-arm64 | need-qemu need-cross
	$(Q)CROSS='$(CROSS)' QEMU_FEATURES=small qemu_patches/build --arm64

# The same with TCG and all features, into build/qemu-arm64-full, for the package.
.PHONY: qemu-arm64-full
qemu-arm64-full: stage-arm64 | need-qemu need-cross
	$(Q)CROSS='$(CROSS)' QEMU_FEATURES=full qemu_patches/build --arm64

# Small emulators of both architectures with TCG, into build/qemu-arm64-tcg, for a bundle.
.PHONY: qemu-arm64-tcg
qemu-arm64-tcg: stage-arm64 | need-qemu need-cross
	$(Q)CROSS='$(CROSS)' QEMU_TARGETS=aarch64-softmmu,x86_64-softmmu qemu_patches/build --arm64-tcg

qemu-stock: | need-qemu
	$(Q)qemu_patches/build --stock

# The emulators: the scripts decide what has to be built.
build/qemu$(QEMU_SUFFIX)/qemu-system-aarch64: qemu ;
build/qemu-arm64$(QEMU_SUFFIX)/qemu-system-aarch64: qemu-arm64 ;
build/qemu-stock$(QEMU_SUFFIX)/qemu-system-aarch64: qemu-stock ;

# To work on the patches, and to mail them; see docs/porting.md.
qemu-tree: | need-qemu
	$(Q)qemu_patches/tree create build/qemu-tree$(QEMU_SUFFIX)
qemu-series: | need-qemu
	$(Q)qemu_patches/tree mail build/qemu-series$(QEMU_SUFFIX)

# Unit tests of files for QEMU that use little of it, which tests/stubs/ stands for.
QEMU_UNIT_SAMPLE := $(addprefix build/qemu_patches/tests/,orc nested)
QEMU_UNIT := $(QEMU_UNIT_SAMPLE) build/qemu_patches/tests/calls
ready: $(QEMU_UNIT)
$(QEMU_UNIT): qemu_patches/tests/test_qemu.h $(wildcard qemu_patches/tests/stubs/*.h) vpmu/include/vpmu/record.h | need-unit
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -Wall -Wextra -Wno-unused-parameter $(WERROR) $(VPMU_SANITIZE) -Iqemu_patches/tests/stubs \
	    -Iqemu_patches/new -Iqemu_patches/new/include -Ivpmu/include -o $@ $(filter %.c,$^) $(shell pkg-config --libs check)
$(QEMU_UNIT_SAMPLE): build/qemu_patches/tests/%: qemu_patches/tests/test_%.c qemu_patches/new/target/i386/pmu/sample/%.c \
    qemu_patches/new/target/i386/pmu/sample/%.h
build/qemu_patches/tests/calls: qemu_patches/tests/test_calls.c qemu_patches/new/include/tcg/vpmu-calls.h \
    $(addprefix qemu_patches/new/system/vpmu/,calls.c call-edges.c call-edges.h call-stack.h)

# The same, and the style of each patch, and whether the series apply to Debian's and to the released source.
check-qemu-patches: $(QEMU_UNIT) | need-qemu
	$(Q)failed=0; for unit in $(QEMU_UNIT); do $$unit || failed=1; done; qemu_patches/check && exit $$failed

# Tests on that version: every bare-metal image, on machines with EL2 or EL3 where possible, the
# streams of other machines, and a Linux with two CPUs.
QEMU_NEXT_BAREMETAL := '*.el[23].*' 'clocks.*' 'v7.*'
QEMU_NEXT_TESTS := driver,identity,self,stat/loop,stat/mix,stat/syscalls,group,record/p,sample/b
ready: qemu-next baremetal linux-image

qemu_next_run = QEMU=$(QEMU_NEXT_DIR)/qemu-system-aarch64 VPMU_RUN_PREFIX=qemu-$(QEMU_NEXT)/
check-qemu-next: qemu-next baremetal linux-image
	$(Q)if [ -e $(QEMU_NEXT_DIR) ]; then \
	    $(qemu_next_run) $(BAREMETAL)/run $(BAREMETAL_BUILD) $(QEMU_NEXT_BAREMETAL); bad=$$?; \
	    $(qemu_next_run) guest_tests/run-guest --patience 120 states -- $(STATES) \
	        $(QEMU_NEXT_DIR)/qemu-system-aarch64 $(STATES)_arm.tsv || bad=1; \
	    $(qemu_next_run) SUITE_TESTS=$(QEMU_NEXT_TESTS) $(LINUX)/run $(LINUX_BUILD) smp2 && exit $$bad; \
	else \
	    . .mk/lib.sh && report 'SKIP qemu-$(QEMU_NEXT): the mirror does not have its source'; \
	fi

# Checks that QEMU builds after each patch. It is slow, so it is not a part of check.
check-qemu-each: stage | need-qemu
	$(Q)qemu_patches/build --each

# Tests what the set-up scripts print if something is missing. It needs no network once the packages
# are installed.
check-setup: | need-qemu
	$(Q).mk/tests/run

# Installs the emulators beside Debian's own. An emulator finds its data relative to itself, so PREFIX
# can be moved. Firmware and option ROMs are those of Debian's packages. All features are installed
# unless QEMU_FEATURES says otherwise. The emulator of x86-64 guests has a target of its own, and data
# of its own, so that each emulator can be removed independently.
QEMU_INSTALLED := qemu-system-aarch64-vpmu
QEMU_DATA := share/qemu-vpmu
QEMU_X86_INSTALLED := qemu-system-x86_64-vpmu
QEMU_X86_DATA := share/qemu-vpmu-x86
QEMU_KEYMAPS := ar bepo cz da de de-ch en-gb en-us es et fi fo fr fr-be fr-ca fr-ch hr hu is it ja lt lv \
                mk nl no pl pt pt-br ru sl sv th tr
# qemu_files PROGRAM,DATA
qemu_files = bin/$(1) share/man/man1/$(1).1 $(addprefix $(2)/,LICENSE $(QEMU_KEYMAPS:%=keymaps/%))
INSTALLED += $(call qemu_files,$(QEMU_INSTALLED),$(QEMU_DATA))
INSTALLED_DIRS += $(QEMU_DATA)/keymaps $(QEMU_DATA)
INSTALLED_X86 := $(call qemu_files,$(QEMU_X86_INSTALLED),$(QEMU_X86_DATA))
INSTALLED_DIRS += $(QEMU_X86_DATA)/keymaps $(QEMU_X86_DATA)

STRIP ?= strip
# The build that is installed
QEMU_BUILT ?= build/qemu
QEMU_X86_BUILT ?= build/qemu-x86

.PHONY: install-qemu install-qemu-x86 qemu-to-install qemu-x86-to-install
qemu-to-install: stage | need-qemu
	$(Q)QEMU_FEATURES=$(or $(QEMU_FEATURES),full) qemu_patches/build --if-older
qemu-x86-to-install: stage | need-qemu need-qemu-x86
	$(Q)QEMU_TARGETS=x86_64-softmmu QEMU_FEATURES=$(or $(QEMU_FEATURES),full) qemu_patches/build --if-older

# install_emulator DIR,PROGRAM OF DIR,PROGRAM,DATA
define install_emulator
	$(Q)install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin share/man/man1 $(4)/keymaps)
	$(Q)install -s --strip-program=$(STRIP) -m 755 $(1)/$(2) $(DESTDIR)$(PREFIX)/bin/$(3)
	$(Q)install -m 644 qemu_patches/$(3).1 $(DESTDIR)$(PREFIX)/share/man/man1
	$(Q)install -m 644 $(1)/qemu-bundle/opt/vpmu/$(4)/LICENSE $(DESTDIR)$(PREFIX)/$(4)
	$(Q)install -m 644 $(addprefix $(1)/qemu-bundle/opt/vpmu/$(4)/keymaps/,$(QEMU_KEYMAPS)) \
	    $(DESTDIR)$(PREFIX)/$(4)/keymaps
endef

install: install-qemu
install-qemu: $(if $(filter build/qemu,$(QEMU_BUILT)),qemu-to-install)
	$(call install_emulator,$(QEMU_BUILT),qemu-system-aarch64,$(QEMU_INSTALLED),$(QEMU_DATA))
install-qemu-x86: $(if $(filter build/qemu-x86,$(QEMU_X86_BUILT)),qemu-x86-to-install)
	$(call install_emulator,$(QEMU_X86_BUILT),qemu-system-x86_64,$(QEMU_X86_INSTALLED),$(QEMU_X86_DATA))
