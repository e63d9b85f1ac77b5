/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What init does to the machine itself. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
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
/* The firmware configuration device of the machine virt. */
#define FW_CFG_BASE 0x09020000
#define FW_CFG_DMA 16
#define PAGE 4096
/* The device pvpanic-pci. QEMU stops the CPU at the instruction that reports a panic. */
#define PCI_DEVICES "/sys/bus/pci/devices/*"
#define PVPANIC "0x1b36 0x0011"
#define PVPANIC_PANICKED 1

static volatile uint64_t *dma;
static volatile uint8_t *panic;

static void *map_page(const char *path, off_t at)
{
    int fd = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
    char *base = MAP_FAILED;

    if (fd >= 0) {
        base = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
        close(fd);
    }
    if (base == MAP_FAILED) {
        guest_die("the kernel does not permit access to devices: %s: %s", path, strerror(errno));
    }
    return base;
}

/* read_word() - the first word of @directory/@name */
static void read_word(const char *directory, const char *name, char *word, size_t size)
{
    char path[256];
    ssize_t n = -1;
    int fd;

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, word, size - 1);
        close(fd);
    }
    word[n < 0 ? 0 : n] = '\0';
    word[strcspn(word, " \n")] = '\0';
}

/* open_panic() - maps the device if @directory is it. A page of sysfs begins below its registers.
 */
static bool open_panic(const char *directory)
{
    char vendor[16], device[16], found[40], address[64], path[256];
    int fd;

    read_word(directory, "vendor", vendor, sizeof(vendor));
    read_word(directory, "device", device, sizeof(device));
    snprintf(found, sizeof(found), "%s %s", vendor, device);
    if (strcmp(found, PVPANIC) != 0) {
        return false;
    }
    snprintf(path, sizeof(path), "%s/enable", directory);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "1", 1) < 0) {
        guest_die("the kernel does not permit access to devices: %s: %s", path, strerror(errno));
    }
    close(fd);
    read_word(directory, "resource", address, sizeof(address));
    snprintf(path, sizeof(path), "%s/resource0", directory);
    panic = (volatile uint8_t *)map_page(path, 0) + strtoull(address, NULL, 16) % PAGE;
    return true;
}

void platform_open(void)
{
    glob_t devices;

    dma = (volatile uint64_t *)(void *)((char *)map_page("/dev/mem", FW_CFG_BASE) + FW_CFG_DMA);
    if (glob(PCI_DEVICES, 0, NULL, &devices) == 0) {
        for (size_t i = 0; i < devices.gl_pathc && !open_panic(devices.gl_pathv[i]); i++) {
        }
        globfree(&devices);
    }
    if (!panic) {
        guest_die("the machine has no pvpanic-pci");
    }
}

void platform_dma(uint64_t request)
{
    __sync_synchronize();
    *dma = htobe64(request);
    __sync_synchronize();
}

void platform_stop_here(void)
{
    *panic = PVPANIC_PANICKED;
}

#endif
