# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs of others that use a PMU, in the guest: rr, libpfm4, PAPI, stress-ng, perf's own test.
# Include this after the Linux guest's sources.mk, whose image and programs it uses.

CLIENTS := guest_tests/clients
CLIENTS_BUILD := build/guest_tests/clients$(KERNEL_SUFFIX)
CLIENTS_PROGRAMS := $(addprefix $(LINUX_BUILD)/programs/,init forks pingpong signal threads) \
	$(CLIENTS)/clients $(CLIENTS)/theirs.tsv

# The archive lies in the cache, which may have been deleted since.
$(CLIENTS_BUILD)/clients.cpio: $(CLIENTS)/mkclients $(LINUX)/image.sh \
		$(shell test -e $(CLIENTS_BUILD)/clients.cpio || echo linux-image-lost) | need-clients
	@mkdir -p $(@D)
	$(Q)CROSS=$(CROSS) $(CLIENTS)/mkclients $@

$(CLIENTS_BUILD)/initramfs.cpio: $(CLIENTS_PROGRAMS) $(CLIENTS_BUILD)/clients.cpio $(LINUX_MKIMAGE) \
		$(shell test -e $(CLIENTS_BUILD)/vmlinuz || echo linux-image-lost) | need-guest
	$(Q)CROSS=$(CROSS) $(LINUX)/mkimage --archive $(CLIENTS_BUILD)/clients.cpio --module virtio_blk \
	    $(CLIENTS_BUILD) \
	    $(CLIENTS_PROGRAMS)

# RUNS="rr papi" runs only these lines of runs.tsv. CLIENTS_ROUNDS=10 makes a hundred recordings.
.PHONY: clients-image check-clients
clients-image: $(CLIENTS_BUILD)/initramfs.cpio

ready: qemu clients-image

check-clients: qemu clients-image
	$(Q)QEMU=$(QEMU) $(CLIENTS)/run $(CLIENTS_BUILD) $(RUNS)
