/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_SAVED_H
#define VPMU_TESTS_SAVED_H

#include <stddef.h>
#include <stdint.h>

/* At least as many bytes as any of these states has. */
#define SAVED_MAX 2048

/**
 * struct saved_part - a part of a PMU that has a saved state of its own, such as SPE
 * @size: bytes of its state. The last four are the checksum.
 * @of: a part to fill, save and load.
 * @fill: sets all its registers.
 */
struct saved_part {
    size_t size;
    void *of;
    void (*fill)(void *of);
    int (*save)(const void *of, void *to, size_t size);
    int (*load)(void *of, const void *from, size_t size, const char **why);
};

/* A state with another byte @val at @at is refused with @why. */
struct saved_fault {
    unsigned at;
    uint8_t val;
    const char *why;
};

/* Defines NAME_save() and NAME_load() for struct saved_part, of a struct vpmu_NAME. */
#define SAVED_CALLS(name)                                                                          \
    static int name##_save(const void *of, void *to, size_t size)                                  \
    {                                                                                              \
        return vpmu_##name##_save(of, to, size);                                                   \
    }                                                                                              \
    static int name##_load(void *of, const void *from, size_t size, const char **why)              \
    {                                                                                              \
        return vpmu_##name##_load(of, from, size, why);                                            \
    }

/* Fills the part, and fails the test unless its state is @want, which need not be sealed. */
void saved_layout(const struct saved_part *part, uint8_t *want);

/* Fails the test unless a filled part refuses the state with this fault, and stays as it was. */
void saved_fault(const struct saved_part *part, const struct saved_fault *fault);

#endif
