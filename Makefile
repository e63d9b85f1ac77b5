# SPDX-License-Identifier: GPL-2.0-or-later
# One Makefile; each room lists what it has in its sources.mk. V=1 shows the commands.

.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all

Q := $(if $(V),,@)
# Where the libraries go; those for another machine go elsewhere.
BUILD := build
CROSS ?= aarch64-linux-gnu-
# Seconds for a unit test: they take none, but the computer may have other work.
export CK_DEFAULT_TIMEOUT ?= 300
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Wvla -Werror

.PHONY: help all check check-guest check-properties check-lint format clean
help:
	@echo 'make              the library, build/vpmu/libvpmu.a'
	@echo 'make examples     a small emulator and a small hypervisor on it, build/vpmu/examples/'
	@echo 'make demo         Linux with perf on the patched QEMU: counts beside what is known'
	@echo 'make check        everything; its parts:'
	@echo '     check-unit          the library: unit tests, examples, reference model, fuzzers, coverage'
	@echo '     check-glue          kvm_glue: unit tests with a fake kernel, coverage, arm64 build'
	@echo '     check-tools         vpmu-stats: unit tests, hostile peers, fuzzer, emulator, Prometheus'
	@echo '     check-setup         what the set-up scripts say when something is missing'
	@echo '     check-bench         what the benchmarks write to docs/results/, from made-up numbers'
	@echo '     check-install       install and uninstall take the same files'
	@echo '     check-qemu-patches  style of the patches, and whether they apply'
	@echo '     check-qemu-next     QEMU 10.2 with its patches: bare-metal images and a Linux on it'
	@echo '     check-guest         in guests: check-properties, -baremetal, -hypervisor, -linux, -nested'
	@echo '     check-x86           an x86-64 guest: perf in it, on sixteen machines, rr, and vpmu-stats'
	@echo '     check-clients       rr, libpfm4, PAPI, stress-ng and perf test in a guest'
	@echo '     check-virsh         libvirt 11 runs a guest: perf in it against vpmu-stats outside'
	@echo '     check-fresh         each of these commands as the first one ever, on a Debian 12 and a 13'
	@echo '                         that have only make and git; FULL=1: demo and check, nothing cached'
	@echo '     check-disk          slow, not in check: libvirt boots an installed Debian by UEFI'
	@echo '     check-lint          layout of the C code, length of functions, circles, scripts, links'
	@echo '     check-random        random programs, run in many ways: the same counts'
	@echo '     check-random-x86    the same of x86-64'
	@echo '     check-soak          not in check: HOURS=N of random programs, fuzzers, migration, peers'
	@echo '     check-qemu-each     slow, not in check: QEMU builds after each patch'
	@echo '     check-stock         not in check: streams of a QEMU without vpmu go on in ours'
	@echo '     check-pprof         not in check: what pprof -top shows of a recording; 60 MiB to fetch'
	@echo '     check-qemu-user     not in check: user-mode emulators build, and say that there is no PMU'
	@echo '     KERNEL=7.3          another kernel for the guests: of Debian backports, or a file'
	@echo 'make accuracy     what a host loses at the entries and exits of its guests, in Linux'
	@echo 'make flamegraph   the picture in docs/profiling.md: a KVM host and its guest'
	@echo 'make bench        what it costs, against the stock QEMU and its plugins; BENCH_ROUNDS=N'
	@echo '                  bench-reading, bench-exits: parts of it'
	@echo 'make host_tools   vpmu-stats, which looks at virtual PMUs from outside; build/host_tools/'
	@echo 'make qemu         the patched QEMU, build/qemu/; QEMU=10.2 for that version, build/qemu-10.2/;'
	@echo '                  QEMU_SRC=DIR for a tree of your own'
	@echo 'make qemu-x86     the emulator of x86-64 guests, build/qemu-x86/; bench-x86: what its PMU costs'
	@echo 'make qemu-tree    the patched source as a git repository, build/qemu-tree/, to work on'
	@echo 'make qemu-series  the same as patches to be mailed, build/qemu-series/'
	@echo 'make qemu-arm64   the same for arm64 hosts with KVM, cross-built; build/qemu-arm64/'
	@echo 'make deb          Debian packages of all that, for this machine and for arm64, build/deb/'
	@echo '     check-deb           slow, not in check: built, linted, installed, used and purged'
	@echo 'make dist         the source as an archive that builds without git, build/vpmu-VERSION.tar.gz'
	@echo '     check-dist          it is complete, builds without git and has the version it says'
	@echo 'make install      libraries, vpmu-stats and the emulator, as qemu-system-aarch64-vpmu, under'
	@echo '                  PREFIX, /usr/local; install-vpmu -glue -tools -qemu; make uninstall'
	@echo 'make install-qemu-x86   the emulator of x86-64 guests, as qemu-system-x86_64-vpmu'

all: build/vpmu/libvpmu.a

# need-PURPOSE installs what .mk/packages lists for it, after saying what and why. Every rule whose
# recipe runs a tool has the tool's purpose as an order-only prerequisite, so that it does not
# matter which target is named first. It is asked each time: packages can be removed.
NEEDS := $(addprefix need-,$(shell awk '!/^\#/ && NF && !seen[$$1]++ { print $$1 }' .mk/packages))
.PHONY: $(NEEDS)
$(NEEDS): need-%:
	$(Q).mk/need $*

# Of the compiler of the libraries.
NEED_CC := $(if $(filter $(CROSS)%,$(CC)),need-cross,need-library)

# QEMU is the emulator that the tests use, or a version that there are patches for: the one built
# from them.
QEMU ?= build/qemu/qemu-system-aarch64
QEMU_VERSIONS := $(shell awk '!/^\#/ && NF { print $$1 }' qemu_patches/versions)
QEMU_SUFFIX :=
ifneq ($(filter $(QEMU_VERSIONS),$(QEMU)),)
export QEMU_SERIES := $(QEMU)
# What is made from other patches than those of the first version has places of its own.
QEMU_SUFFIX := $(filter-out -$(firstword $(QEMU_VERSIONS)),-$(QEMU_SERIES))
override QEMU := build/qemu$(QEMU_SUFFIX)/qemu-system-aarch64
else ifneq ($(shell expr '$(QEMU)' : '[0-9.]*$$'),0)
$(error there are no patches for QEMU $(QEMU), only for $(QEMU_VERSIONS); another tree can be tried with QEMU_SRC=DIR)
endif

# What make check runs, built. The rooms say what that is.
.PHONY: ready
ready:

include vpmu/sources.mk
include vpmu/examples/sources.mk
include vpmu/tests/sources.mk
include kvm_glue/sources.mk
include kvm_glue/tests/sources.mk
include host_tools/sources.mk
include qemu_patches/sources.mk
include guest_tests/baremetal/sources.mk
include guest_tests/hypervisor/sources.mk
include guest_tests/linux/sources.mk
include guest_tests/nested/sources.mk
include guest_tests/libvirt/sources.mk
include guest_tests/bench/sources.mk
include guest_tests/properties/sources.mk
include .mk/deb/sources.mk
include guest_tests/disk/sources.mk
include guest_tests/random/sources.mk
include guest_tests/clients/sources.mk

# INSTALLED: what the rooms install, below PREFIX; INSTALLED_X86, what install-qemu-x86 does. Directories
# go that are ours alone, once empty.
.PHONY: installed installed-x86 uninstall check-install
installed:
	@printf '%s\n' $(INSTALLED)
installed-x86:
	@printf '%s\n' $(INSTALLED_X86)

uninstall:
	$(Q)rm -f $(addprefix $(DESTDIR)$(PREFIX)/,$(INSTALLED) $(INSTALLED_X86))
	$(Q)rmdir $(addprefix $(DESTDIR)$(PREFIX)/,$(INSTALLED_DIRS)) 2>/dev/null; true

check-install: | $(NEED_CC) need-tools need-libvirt
	$(Q)MAKE="$(MAKE)" .mk/tests/install

# The long ones first, so that none is left alone at the end.
CHECKS := check-nested check-linux check-fresh-quick check-clients check-tools check-unit check-virsh \
	check-baremetal check-x86 check-qemu-next check-random check-random-x86 check-properties check-hypervisor check-setup \
	check-install check-qemu-patches check-glue check-bench check-dist check-lint
check:
	$(Q)MAKE="$(MAKE)" .mk/check $(CHECKS)

# On a Debian that has nothing: all commands, on 12 and 13; check-fresh-SUITE, on one of them;
# check-fresh-quick, what the README names and what check consists of, on 12.
.PHONY: check-fresh check-fresh-quick
check-fresh:
	$(Q).mk/fresh
check-fresh-quick:
	$(Q)FRESH="demo install host_tools $(filter-out check-fresh-%,$(CHECKS))" .mk/fresh bookworm
check-fresh-%:
	$(Q).mk/fresh $*
export FULL

check-guest:
	$(Q)MAKE="$(MAKE)" .mk/check check-properties check-baremetal check-hypervisor check-linux \
	    check-nested

# Of each room, what must not call each other in a circle.
check-lint: $(VPMU_OBJS) $(GLUE_OBJS) $(TOOLS_OBJS) $(HYPERVISOR_OWN_OBJS) | need-lint
	$(Q).mk/arrows vpmu $(VPMU_OBJS)
	$(Q).mk/arrows kvm_glue $(GLUE_OBJS)
	$(Q).mk/arrows vpmu-stats $(TOOLS_OBJS)
	$(Q).mk/arrows -d vpmu-stats-folders $(TOOLS_OBJS)
	$(Q).mk/arrows hypervisor $(HYPERVISOR_OWN_OBJS)
	$(Q).mk/lint

format:
	$(Q). .mk/lib.sh && clang-format -i $$(source_files | grep '\.[ch]$$' | grep -v '^qemu_patches/')

# The source archive, build/vpmu-VERSION.tar.gz.
.PHONY: dist check-dist
dist: | need-dist
	$(Q).mk/dist
check-dist: | need-dist need-library need-tools need-libvirt
	$(Q)MAKE="$(MAKE)" .mk/tests/dist

clean:
	$(Q)rm -rf build
