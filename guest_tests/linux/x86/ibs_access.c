/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Access to the registers of instruction-based sampling, by Linux's driver of MSRs and /dev/mem. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command.h"
#include "ibs.h"
#include "suite.h"

#define APIC 0xfee00000
#define APIC_BYTES 4096

static int msrs = -1;
static volatile uint32_t *apic;

bool ibs_begin(void)
{
    int module, memory;

    if (apic != NULL) {
        return true;
    }
    module = open("/msr.ko", O_RDONLY | O_CLOEXEC);
    syscall(SYS_finit_module, module, "allow_writes=on", 0);
    close(module);
    msrs = open("/dev/cpu/0/msr", O_RDWR | O_CLOEXEC);
    memory = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
    apic = mmap(NULL, APIC_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, APIC);
    if (msrs < 0 || apic == MAP_FAILED) {
        test_fail("there is no /dev/cpu/0/msr, or no APIC in /dev/mem");
        apic = NULL;
    }
    return apic != NULL;
}

uint64_t ibs_rdmsr(uint32_t msr)
{
    uint64_t value = 0;

    if (pread(msrs, &value, sizeof(value), msr) != (ssize_t)sizeof(value)) {
        test_fail("MSR %#x cannot be read", msr);
    }
    return value;
}

bool ibs_wrmsr(uint32_t msr, uint64_t value)
{
    return pwrite(msrs, &value, sizeof(value), msr) == (ssize_t)sizeof(value);
}

uint32_t ibs_apic_read(unsigned offset)
{
    return apic[offset / sizeof(*apic)];
}

void ibs_apic_write(unsigned offset, uint32_t value)
{
    apic[offset / sizeof(*apic)] = value;
}

void ibs_on_first_cpu(void (*body)(void))
{
    if (ibs_begin()) {
        keep_to_first_cpu(true);
        body();
        keep_to_first_cpu(false);
    }
}
