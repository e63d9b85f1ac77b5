/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_EMULATOR_H
#define VPMU_RUN_EMULATOR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "failure.h"
#include "perfdata/costs.h"

/**
 * struct emulator - what the machine is made of
 * @machine: e_machine of programs that it executes.
 * @firmware: directory with the firmware of this machine; "" for that of this computer.
 * @type: the machine's type and version, such as "pc-q35-10.0"; snapshot_open() sets it.
 * @memory: in MiB.
 * @seed: of everything random that the machine sees.
 * @unpacked: the machine started, or starts, with what kernel_open() returns.
 * @branches: the CPU has branch records. An x86-64 CPU then says that it is an Intel Skylake.
 * @net: it has an interface of QEMU's user network. It then waits for the clock of this computer.
 * @fast: use several host threads and the host's clock. Counts of the kernel then vary.
 * @profile: a file in memory for how often each instruction of programs was executed; 0 for none.
 * @calls: with the calls that they made.
 * @cost: with these @costs; see costs_names().
 */
struct emulator {
    unsigned machine;
    char qemu[PATH_MAX];
    char kernel[PATH_MAX];
    char firmware[PATH_MAX];
    char type[64];
    unsigned memory, cpus;
    unsigned long long seed;
    bool random, unpacked, branches, fast, net, calls;
    int profile;
    const char *cost[COSTS_MAX];
    size_t costs;
};

/**
 * struct emulator_fds - descriptors that the emulator inherits; -1 if there is none
 * @kernel: of a machine that starts with an unpacked kernel.
 * @initramfs, @files: archives with init and with everything else.
 * @console, @out, @err, @result, @input, @record: see protocol.h.
 * @monitor: of a machine whose state is saved to @state, or that is profiled.
 * @restore: the machine continues from @state instead. If it has a monitor, it is stopped at first.
 */
struct emulator_fds {
    int kernel, initramfs, files, console, out, err, result, input, record, monitor, state;
    bool restore;
};

/** EMULATOR_FDS_NONE - no descriptors */
#define EMULATOR_FDS_NONE ((struct emulator_fds){-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, false})

/** emulator_bios - the file of the firmware that the machine starts with, in @firmware */
extern const char emulator_bios[];

/** emulator_version - changes when a saved state does not fit any more */
extern const char emulator_version[];

/** emulator_own - e_machine of this computer's programs */
extern const unsigned emulator_own;

/** emulator_machine() - e_machine of an architecture. Return: EM_NONE if @name is not one. */
unsigned emulator_machine(const char *name);

/** emulator_executes() - is there a machine for programs with this e_machine? */
bool emulator_executes(unsigned machine);

/** emulator_has_firmware() - does the machine start with firmware that counts depend on? */
bool emulator_has_firmware(const struct emulator *e);

/** emulator_beside() - finds a program beside this one, or in PATH. Return: whether there is one.
 */
bool emulator_beside(const char *name, char *path, size_t size);

/**
 * emulator_find() - finds QEMU and the kernel for @e->machine
 * @qemu, @kernel: files that the user named; or NULL.
 */
int emulator_find(struct emulator *e, const char *qemu, const char *kernel, struct failure *f);

/**
 * emulator_find_kernel() - finds the kernel for @e->machine
 * @named: a file that the user named; or NULL.
 */
int emulator_find_kernel(struct emulator *e, const char *named, struct failure *f);

/**
 * emulator_set_cpu() - chooses the CPU for @e->machine
 * @name: "max", which is the default, or "skylake" for x86-64.
 */
int emulator_set_cpu(struct emulator *e, const char *name, struct failure *f);

/** emulator_branches_cpu() - the name of the CPU of a machine with branch records */
const char *emulator_branches_cpu(const struct emulator *e);

/** emulator_execute() - becomes QEMU. Returns only if it fails. */
void emulator_execute(const struct emulator *e, const struct emulator_fds *fds);

#endif
