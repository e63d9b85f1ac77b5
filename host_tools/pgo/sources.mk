# SPDX-License-Identifier: GPL-2.0-or-later
# A program that BOLT and AutoFDO optimise, from branches that vpmu-run has recorded. ARCHES=amd64 leaves
# arm64 out.

PGO_BUILD := build/pgo
ARCHES ?= amd64 arm64

.PHONY: pgo-ready demo-pgo
pgo-ready: $(RUN_BUILD)/vpmu-run $(RUN_BUILD)/vpmu-stats qemu-x86 qemu run-kernel | need-pgo need-optimizers
	$(if $(filter arm64,$(ARCHES)),$(Q).mk/debian alone trixie-backports arm64 "$(RUN_CACHE)/linux-guest/kernel-7.3" \
	    'linux-binary-7.3*-cloud-arm64')

demo-pgo: pgo-ready
	$(Q)host_tools/pgo/demo $(PGO_BUILD) $(RUN_BUILD) $(ARCHES)
