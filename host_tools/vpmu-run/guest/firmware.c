/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the program's files from QEMU's firmware configuration device (docs/specs/fw_cfg.rst of
 * QEMU). Each access takes effect at once, so that the time it takes does not depend on the host.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest.h"

#define PAGE 4096u
#define DIRECTORY_KEY 0x19
/* What the device does with a request, and the bit that reports an error. */
#define DMA_ERROR 1u
#define DMA_READ 2u
#define DMA_SELECT 8u
/* An entry of /proc/self/pagemap: the page is present; its frame. */
#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_FRAME ((1ull << 55) - 1)

/* All numbers are big-endian. */
struct dma {
    uint32_t control;
    uint32_t length;
    uint64_t address;
};

struct entry {
    uint32_t size;
    uint16_t key;
    uint16_t reserved;
    char name[56];
};

static int pagemap = -1;
static volatile struct dma *request;
static uint64_t request_at;

/* frames() - the physical addresses of @n pages */
static void frames(const void *at, uint64_t *to, size_t n)
{
    off_t offset = (off_t)((uintptr_t)at / PAGE * sizeof(*to));

    if (pread(pagemap, to, n * sizeof(*to), offset) != (ssize_t)(n * sizeof(*to))) {
        guest_die("cannot read pagemap: %s", strerror(errno));
    }
    for (size_t i = 0; i < n; i++) {
        if (!(to[i] & PAGEMAP_PRESENT)) {
            guest_die("a page has no memory");
        }
        to[i] = (to[i] & PAGEMAP_FRAME) * PAGE;
    }
}

/* allocate() - memory that stays where it is */
static void *allocate(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_LOCKED, -1, 0);

    if (at == MAP_FAILED) {
        guest_die("no memory for the files: raise --memory");
    }
    return at;
}

static void transfer(uint32_t control, uint64_t to, size_t size)
{
    request->control = htobe32(control);
    request->length = htobe32((uint32_t)size);
    request->address = htobe64(to);
    platform_dma(request_at);
    if (be32toh(request->control) & DMA_ERROR) {
        guest_die("the firmware device reports an error");
    }
}

/* read_item() - reads the next @size bytes of an item into pages, runs of pages at a time */
static void read_item(uint16_t key, char *to, size_t size)
{
    static uint64_t frame[512];

    transfer(DMA_SELECT | (uint32_t)key << 16, 0, 0);
    while (size > 0) {
        size_t pages = (size + PAGE - 1) / PAGE, n = pages < 512 ? pages : 512;

        frames(to, frame, n);
        for (size_t i = 0, run; i < n; i += run) {
            size_t bytes;

            for (run = 1; i + run < n && frame[i + run] == frame[i] + run * PAGE; run++) {
            }
            bytes = run * PAGE < size ? run * PAGE : size;
            transfer(DMA_READ, frame[i], bytes);
            to += bytes;
            size -= bytes;
        }
    }
}

static void open_device(void)
{
    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0) {
        guest_die("cannot open pagemap: %s", strerror(errno));
    }
    request = allocate(PAGE);
    frames((const void *)request, &request_at, 1);
}

char *firmware_read(const char *name, size_t *size)
{
    char *directory, *data;
    uint32_t count;

    open_device();
    directory = allocate(16 * PAGE);
    read_item(DIRECTORY_KEY, directory, 16 * PAGE);
    memcpy(&count, directory, sizeof(count));
    count = be32toh(count);
    for (uint32_t i = 0; i < count && i < 1000; i++) {
        struct entry e;

        memcpy(&e, directory + sizeof(count) + i * sizeof(e), sizeof(e));
        if (strncmp(e.name, name, sizeof(e.name)) == 0) {
            *size = be32toh(e.size);
            data = allocate((*size + PAGE - 1) / PAGE * PAGE);
            read_item(be16toh(e.key), data, *size);
            munmap(directory, 16 * PAGE);
            close(pagemap);
            return data;
        }
    }
    guest_die("the firmware device has no %s", name);
}
