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

/* Entries of the device's directory, as far as they are read. */
#define DIRECTORY_SIZE (16 * PAGE)
/* Files up to this size are read into pages that the machine has from its boot. */
#define READY_PAGES 4096u
#define READY_SIZE ((size_t)READY_PAGES * PAGE)

static int pagemap = -1;
static volatile struct dma *request;
static uint64_t request_at;
static char *directory, *ready;
static uint64_t directory_frames[DIRECTORY_SIZE / PAGE], ready_frames[READY_PAGES];

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

/* read_pages() - reads the next @size bytes of the selected item, runs of pages at a time */
static void read_pages(const uint64_t *frame, size_t size)
{
    size_t n = (size + PAGE - 1) / PAGE;

    for (size_t i = 0, run; i < n; i += run) {
        size_t bytes;

        for (run = 1; i + run < n && frame[i + run] == frame[i] + run * PAGE; run++) {
        }
        bytes = run * PAGE < size ? run * PAGE : size;
        transfer(DMA_READ, frame[i], bytes);
        size -= bytes;
    }
}

static void select_item(uint16_t key)
{
    transfer(DMA_SELECT | (uint32_t)key << 16, 0, 0);
}

static void open_pagemap(void)
{
    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0) {
        guest_die("cannot open pagemap: %s", strerror(errno));
    }
}

void firmware_prepare(void)
{
    open_pagemap();
    request = allocate(PAGE);
    frames((const void *)request, &request_at, 1);
    directory = allocate(DIRECTORY_SIZE);
    frames(directory, directory_frames, DIRECTORY_SIZE / PAGE);
    ready = allocate(READY_SIZE);
    frames(ready, ready_frames, READY_PAGES);
    /* A process that is forked must not share them: writing to them would then move them. */
    madvise((void *)(uintptr_t)request, PAGE, MADV_DONTFORK);
    madvise(directory, DIRECTORY_SIZE, MADV_DONTFORK);
    madvise(ready, READY_SIZE, MADV_DONTFORK);
    close(pagemap);
}

/* read_large() - reads an item into pages of its own */
static char *read_large(size_t size)
{
    static uint64_t frame[512];
    char *data = allocate((size + PAGE - 1) / PAGE * PAGE);

    open_pagemap();
    for (size_t at = 0, bytes; at < size; at += bytes) {
        size_t n;

        bytes = size - at < sizeof(frame) / sizeof(frame[0]) * PAGE
                    ? size - at
                    : sizeof(frame) / sizeof(frame[0]) * PAGE;
        n = (bytes + PAGE - 1) / PAGE;
        frames(data + at, frame, n);
        read_pages(frame, bytes);
    }
    close(pagemap);
    return data;
}

char *firmware_read(const char *name, size_t *size)
{
    uint32_t count;

    select_item(DIRECTORY_KEY);
    read_pages(directory_frames, DIRECTORY_SIZE);
    memcpy(&count, directory, sizeof(count));
    count = be32toh(count);
    for (uint32_t i = 0; i < count && i < 1000; i++) {
        struct entry e;

        memcpy(&e, directory + sizeof(count) + i * sizeof(e), sizeof(e));
        if (strncmp(e.name, name, sizeof(e.name)) == 0) {
            *size = be32toh(e.size);
            select_item(be16toh(e.key));
            if (*size > READY_SIZE) {
                return read_large(*size);
            }
            read_pages(ready_frames, *size);
            return ready;
        }
    }
    guest_die("the firmware device has no %s", name);
}

void firmware_free(char *data, size_t size)
{
    if (data != ready) {
        munmap(data, size);
    }
}
