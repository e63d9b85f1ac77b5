/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/state-clock.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define SECOND 1000000000ull

/*
 * How the subsection with the bias begins (QEMU_VM_SUBSECTION, and the name after its length). Its
 * version of 4 bytes follows, and then the bias. Numbers are big-endian. It lies behind the memory
 * of the guest, which could contain the same bytes.
 */
static const unsigned char section[] = "\x05\x0ctimer/icount";
#define SECTION_SIZE (sizeof(section) - 1)
#define VERSION_SIZE 4u

int state_clock_settle(unsigned char *state, size_t size)
{
    size_t whole = SECTION_SIZE + VERSION_SIZE + sizeof(uint64_t);
    uint64_t bias;

    for (size_t at = size < whole ? 0 : size - whole + 1; at-- > 0;) {
        unsigned char *field = state + at + SECTION_SIZE + VERSION_SIZE;

        if (memcmp(state + at, section, SECTION_SIZE) == 0) {
            memcpy(&bias, field, sizeof(bias));
            bias = htobe64((be64toh(bias) / SECOND + 1) * SECOND);
            memcpy(field, &bias, sizeof(bias));
            return 0;
        }
    }
    return -1;
}

int state_clock_settle_file(int fd, struct failure *f)
{
    struct stat st;
    void *map = MAP_FAILED;
    int err;

    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (map == MAP_FAILED) {
        return failure_set(f, FAILURE_RUN, "cannot read the machine's state: %s", strerror(errno));
    }
    err = state_clock_settle(map, (size_t)st.st_size);
    munmap(map, (size_t)st.st_size);
    return err ? failure_set(f, FAILURE_RUN, "the emulator saved no virtual clock") : 0;
}
