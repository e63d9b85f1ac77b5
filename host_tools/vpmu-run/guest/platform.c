/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What init does to the machine itself. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest.h"

#if defined(__x86_64__)
#include <sys/io.h>

#define FW_CFG_DMA_HIGH 0x514
#define FW_CFG_DMA_LOW 0x518
/* The reset control register of the chipset. QEMU stops the CPU at the instruction that writes it.
 */
#define RESET_CONTROL 0xcf9
#define RESET_SYSTEM 0x06

void platform_open(void)
{
    if (iopl(3) != 0) {
        guest_die("the kernel does not permit port access: %s", strerror(errno));
    }
}

void platform_dma(uint64_t request)
{
    __sync_synchronize();
    outl(htobe32((uint32_t)(request >> 32)), FW_CFG_DMA_HIGH);
    outl(htobe32((uint32_t)request), FW_CFG_DMA_LOW);
    __sync_synchronize();
}

void platform_stop_here(void)
{
    outb(RESET_SYSTEM, RESET_CONTROL);
}

#else
/* The device of the machine virt. */
#define FW_CFG_BASE 0x09020000
#define FW_CFG_DMA 16

static volatile uint64_t *dma;

void platform_open(void)
{
    int fd = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
    char *base = MAP_FAILED;

    if (fd >= 0) {
        base = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, FW_CFG_BASE);
    }
    if (base == MAP_FAILED) {
        guest_die("the kernel does not permit access to devices: %s", strerror(errno));
    }
    dma = (volatile uint64_t *)(void *)(base + FW_CFG_DMA);
}

void platform_dma(uint64_t request)
{
    __sync_synchronize();
    *dma = htobe64(request);
    __sync_synchronize();
}

/* This machine has no such register: each run boots it. */
void platform_stop_here(void)
{
}

#endif
