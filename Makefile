# SPDX-License-Identifier: GPL-2.0-or-later
# The only Makefile. Each directory lists its sources in a sources.mk. V=1 shows commands.

.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all

Q := $(if $(V),,@)
# Where objects and libraries go. Builds for another architecture set another directory.
BUILD := build
CROSS ?= aarch64-linux-gnu-
# Timeout of a unit test in seconds. Tests take less than one, but the computer may be busy.
export CK_DEFAULT_TIMEOUT ?= 300
# A compiler that is newer than ours may warn of more. Then a check fails, but anybody can build.
WERROR := $(if $(filter check% ready,$(MAKECMDGOALS)),-Werror)
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Wvla $(WERROR)

.PHONY: help all check check-guest check-properties check-lint format clean
help:
	@echo 'Build'
	@echo '  make                   the libraries: build/vpmu/libvpmu.a, build/kvm_glue/libkvm_glue.a'
	@echo '  make examples          a small emulator, hypervisor and RISC-V PMU, build/vpmu/examples/'
	@echo '  make host_tools        vpmu-stats and vpmu-run, build/host_tools/'
	@echo '  make vpmu-check        a static program for any Linux: which events of its PMU can be trusted'
	@echo '  make run-kernel        fetches the kernels and the firmware that vpmu-run boots'
	@echo '  make qemu              the patched QEMU, build/qemu/; QEMU=10.2 builds that version,'
	@echo '                         QEMU_SRC=DIR builds your own tree'
	@echo '  make qemu-x86          the same for x86-64 guests, build/qemu-x86/'
	@echo '  make qemu-arm64        the same for arm64 hosts with KVM, cross-built, build/qemu-arm64/'
	@echo '  make clean             removes build/'
	@echo 'Try'
	@echo '  make demo              boots Linux on the patched QEMU: what perf counts, and what is known'
	@echo '  make demo-pgo          optimises SQLite with BOLT and AutoFDO, and counts it before and after;'
	@echo '                         ARCHES=amd64 leaves arm64 out'
	@echo '  make flamegraph        the picture in docs/profiling.md: a KVM host and its guest'
	@echo 'Install'
	@echo '  make install           libraries, vpmu-stats, vpmu-run, vpmu-check, qemu-system-aarch64-vpmu,'
	@echo '                         under PREFIX, /usr/local; parts: install-vpmu -glue -tools -check -qemu'
	@echo '  make install-qemu-x86  qemu-system-x86_64-vpmu'
	@echo '  make install-run       vpmu-run with small emulators and the kernels of its machines'
	@echo '  make uninstall         removes what these installed'
	@echo '  make deb               Debian packages for this machine and for arm64, build/deb/'
	@echo '  make bundle            vpmu-run for any x86-64 Linux, one archive, build/vpmu-run-*.tar.gz'
	@echo '  make bundle-arm64      the same for arm64 hosts, cross-built'
	@echo '  make bundle-source     its exact sources, one archive; fetches 500 MiB; bundle-source-arm64'
	@echo '  make dist              the source as an archive that builds without git'
	@echo 'Test'
	@echo '  make check             all of these checks; JOBS=N runs N at a time'
	@echo '    check-lint           layout, length and circular calls of C code, scripts, links'
	@echo '    check-unit           the library: unit tests, examples, fuzzers, coverage'
	@echo '    check-glue           kvm_glue: unit tests with a fake kernel, coverage, arm64 build'
	@echo '    check-tools          vpmu-stats: unit tests, hostile peers, fuzzers, Prometheus'
	@echo '    check-run            vpmu-run: unit tests, known programs, what it leaves behind'
	@echo '    check-vpmu-check     vpmu-check alone: PMUs with known faults, an empty root'
	@echo '    check-bench          what writes docs/results/'
	@echo '    check-setup          the set-up scripts when something is missing'
	@echo '    check-install        install, uninstall, and the versions that programs print'
	@echo '    check-dist           the source archive'
	@echo '    check-fresh          the README, and each of these commands as the first one, on an empty'
	@echo '                         Debian 12 and 13; FULL=1 runs demo and check to their ends, with nothing cached'
	@echo '    check-qemu-patches   style of the patches, and whether they apply'
	@echo '    check-qemu-next      QEMU 10.2: bare-metal images and a Linux'
	@echo '    check-states         which machines load the streams of which others; part of check-properties'
	@echo '    check-boards         the PMU interrupt of each machine that the emulator has'
	@echo '    check-guest          check-properties, -baremetal, -hypervisor, -linux and -nested'
	@echo '    check-x86            x86-64 guests: perf, rr, vpmu-stats'
	@echo '    check-clients        rr, libpfm4, PAPI, stress-ng and perf test in a guest'
	@echo '    check-virsh          a guest of libvirt 11'
	@echo '    check-random         random programs, run in many ways; check-random-x86'
	@echo '  not in make check:'
	@echo '    check-deb            packages: built, linted, installed, used and purged; slow'
	@echo '    check-disk           libvirt boots an installed Debian by UEFI; slow'
	@echo '    check-soak           HOURS=N of random programs, fuzzers, migration, hostile peers'
	@echo '    check-mutants        MUTANTS=N changes of the library that unit tests must notice'
	@echo '    check-mutants-tools  the same of vpmu-stats'
	@echo '    check-fleet          many machines, killed and rebooting ones, 64 vCPUs; slow'
	@echo '    check-stock          streams of stock QEMU continue'
	@echo '    check-qemu-each      QEMU builds after each patch; slow'
	@echo '    check-qemu-user      the user-mode emulators build, and say that there is no PMU'
	@echo '    check-nested-newer   check-nested with Linux 7.3 as the host, and STRICT in all modes'
	@echo '    check-optimizers     BOLT and AutoFDO on a recording; fetches 90 MiB'
	@echo '    check-pprof          pprof -top on a recording; fetches 60 MiB'
	@echo '    check-wrong-builds   emulators that count wrongly, which vpmu-check must notice; slow'
	@echo '    check-bundle         the bundle on Debian 11 to sid, and with busybox and musl only (root);'
	@echo '                         that for arm64 on a user-mode emulator; parts: check-bundle-x86 -arm64'
	@echo '    check-run-programs   real programs print in vpmu-run what they print here; PROGRAMS="git gcc" runs these'
	@echo '    check-debian-names   names of all samples of a Debian: its start, interpreters, compilers; slow'
	@echo '    check-run-languages  vpmu-run on programs in Go and Rust; installs the compilers'
	@echo '  KERNEL=7.3             another kernel for guests: from Debian backports, or a file'
	@echo 'Measure'
	@echo '  make bench             cost against stock QEMU and its plugins; BENCH_ROUNDS=N;'
	@echo '                         parts: bench-reading, bench-chains, bench-exits; bench-x86 for x86-64 guests'
	@echo '  make bench-run         time of programs under vpmu-run, cachegrind and perf'
	@echo '  make bench-profiles    counts and times of exact profiles under vpmu-run and callgrind'
	@echo '  make accuracy          what perf on a KVM host misses at entries and exits of guests'
	@echo 'Change'
	@echo '  make format            lays out the C code'
	@echo '  make qemu-tree         the patched QEMU as a git repository, build/qemu-tree/'
	@echo '  make qemu-series       the same as patches to be mailed, build/qemu-series/'

all: build/vpmu/libvpmu.a

# need-PURPOSE installs what .mk/packages lists for PURPOSE, and says what and why. Every rule whose
# recipe runs a tool has the tool's purpose as an order-only prerequisite, so that any target can be
# the first one. It is checked each time, because packages can be removed.
NEEDS := $(addprefix need-,$(shell awk '!/^\#/ && NF && !seen[$$1]++ { print $$1 }' .mk/packages))
.PHONY: $(NEEDS)
$(NEEDS): need-%:
	$(Q).mk/need $*

# The purpose of the compiler that builds the libraries.
NEED_CC := $(if $(filter $(CROSS)%,$(CC)),need-cross,need-library)

# QEMU is the emulator that the tests use. A version number stands for the one that is built from the
# patches for this version.
QEMU ?= build/qemu/qemu-system-aarch64
QEMU_VERSIONS := $(shell awk '!/^\#/ && NF { print $$1 }' qemu_patches/versions)
QEMU_SUFFIX :=
ifneq ($(filter $(QEMU_VERSIONS),$(QEMU)),)
export QEMU_SERIES := $(QEMU)
# Builds from other patches than those of the first version have directories of their own.
QEMU_SUFFIX := $(filter-out -$(firstword $(QEMU_VERSIONS)),-$(QEMU_SERIES))
override QEMU := build/qemu$(QEMU_SUFFIX)/qemu-system-aarch64
else ifneq ($(shell expr '$(QEMU)' : '[0-9.]*$$'),0)
$(error there are no patches for QEMU $(QEMU), only for $(QEMU_VERSIONS); another tree can be tried with QEMU_SRC=DIR)
endif

# Builds what make check runs. Each sources.mk adds its prerequisites.
.PHONY: ready
ready:

include vpmu/sources.mk
include vpmu/examples/sources.mk
include kvm_glue/examples/sources.mk
include vpmu/tests/sources.mk
include kvm_glue/sources.mk
include kvm_glue/tests/sources.mk
include host_tools/sources.mk
include qemu_patches/sources.mk
include guest_tests/baremetal/sources.mk
include guest_tests/boards/sources.mk
include guest_tests/hypervisor/sources.mk
include guest_tests/linux/sources.mk
include guest_tests/names/sources.mk
include guest_tests/nested/sources.mk
include guest_tests/libvirt/sources.mk
include guest_tests/bench/sources.mk
include guest_tests/properties/sources.mk
include .mk/deb/sources.mk
include guest_tests/disk/sources.mk
include guest_tests/random/sources.mk
include guest_tests/clients/sources.mk

# INSTALLED lists the files that make install writes below PREFIX, INSTALLED_X86 those of
# install-qemu-x86. uninstall removes INSTALLED_DIRS, which only we use, if they are empty.
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

# Long ones first, so that the last ones to run are short. The targets in BESIDE wait for half of their time.
CHECKS := check-x86 check-nested check-linux check-fresh-quick check-clients check-tools check-unit check-virsh \
	check-baremetal check-qemu-next check-random check-random-x86 check-properties check-run check-boards check-hypervisor check-setup \
	check-install check-qemu-patches check-glue check-vpmu-check check-bench check-dist check-lint
BESIDE := check-tools check-virsh
check:
	$(Q)MAKE="$(MAKE)" BESIDE="$(BESIDE)" .mk/check $(CHECKS)
.PHONY: list-checks
list-checks:
	@echo $(CHECKS)

# On an empty Debian: all commands, on 12 and 13; all suites of check on a 12 that has QEMU, libvirt and
# valgrind installed. check-fresh-SUITE is one of these: bookworm, trixie, bookworm-installed.
# check-fresh-quick, on 12: what the README names, and the parts of check that install the most: a part
# that is not here needs what one of these needs.
FRESH_QUICK := demo install check-x86 check-unit check-tools check-run check-dist check-lint
.PHONY: check-fresh check-fresh-quick
check-fresh:
	$(Q).mk/fresh
check-fresh-quick:
	$(Q)FRESH="$(FRESH_QUICK)" .mk/fresh bookworm
check-fresh-%:
	$(Q).mk/fresh $*
export FULL

check-guest:
	$(Q)MAKE="$(MAKE)" .mk/check check-properties check-baremetal check-hypervisor check-linux \
	    check-nested

# No files of one directory may call each other in a circle.
RANDOM_LINTED := $(filter-out %/vectors32_blob.S.o,$(RANDOM_OBJECTS))
check-lint: $(VPMU_OBJS) $(GLUE_OBJS) $(TOOLS_OBJS) $(RUN_OBJS) $(RUN_GUEST_OBJS) $(HYPERVISOR_OWN_OBJS) \
		$(BAREMETAL_RUNTIME_OBJS) $(RANDOM_LINTED) $(RANDOM_X86_OBJECTS) | need-lint
	$(Q).mk/arrows vpmu $(VPMU_OBJS)
	$(Q).mk/arrows kvm_glue $(GLUE_OBJS)
	$(Q).mk/arrows vpmu-stats $(TOOLS_OBJS)
	$(Q).mk/arrows -d vpmu-stats-folders $(TOOLS_OBJS)
	$(Q).mk/arrows vpmu-run $(RUN_OBJS)
	$(Q).mk/arrows vpmu-run-guest $(RUN_GUEST_OBJS)
	$(Q).mk/arrows hypervisor $(HYPERVISOR_OWN_OBJS)
	$(Q).mk/arrows baremetal-runtime $(BAREMETAL_RUNTIME_OBJS)
	$(Q).mk/arrows random $(RANDOM_LINTED)
	$(Q).mk/arrows random-x86 $(RANDOM_X86_OBJECTS)
	$(Q).mk/arrows -q qemu-arm build/qemu$(QEMU_SUFFIX)
	$(Q).mk/arrows -q qemu-x86 build/qemu-x86$(QEMU_SUFFIX)
	$(Q).mk/lint

format: | need-lint
	$(Q). .mk/lib.sh && clang-format -i $$(tree_files | grep '\.[ch]$$' | grep -v '^qemu_patches/')

# The source archive, build/vpmu-VERSION.tar.gz.
.PHONY: dist check-dist
dist: | need-dist
	$(Q).mk/dist
check-dist: | need-dist need-library need-tools need-libvirt
	$(Q)MAKE="$(MAKE)" .mk/tests/dist

clean:
	$(Q)rm -rf build
