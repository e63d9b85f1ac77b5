# SPDX-License-Identifier: GPL-2.0-or-later
# One Makefile; each room lists what it has in its sources.mk. V=1 shows the commands.

.DELETE_ON_ERROR:
.SECONDARY:

Q := $(if $(V),,@)
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Wvla -Werror

.PHONY: all
all: build/vpmu/libvpmu.a

include vpmu/sources.mk

.PHONY: clean
clean:
	$(Q)rm -rf build
