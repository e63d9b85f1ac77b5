# SPDX-License-Identifier: GPL-2.0-or-later
#
# QEMU with our series; a part of the one top-level Makefile. The scripts find out themselves what
# is up to date. `stage` is the target that installs the library into build/stage.

export QEMU_SRC QEMU_VERSION QEMU_TARGETS

.PHONY: qemu qemu-stock check-qemu-patches check-qemu-each check-setup

qemu: stage
	$(Q)qemu_patches/build

qemu-stock:
	$(Q)qemu_patches/build --stock

# Style of each patch, and whether the series applies to Debian's and to the released source.
check-qemu-patches:
	$(Q)qemu_patches/check

# Slow, so not a part of check: QEMU builds after each patch.
check-qemu-each: stage
	$(Q)qemu_patches/build --each

# What the set-up scripts say when something is missing; needs no network once the packages are
# there.
check-setup:
	$(Q).mk/need qemu
	$(Q).mk/tests/run
