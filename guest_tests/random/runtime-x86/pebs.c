/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../hash.h"
#include "runtime.h"

#define MSR_DS_AREA 0x600u

/* The DS management area (SDM 3B, DS Save Area), and a record of format 2. */
enum {
    DS_BASE = 4,
    DS_INDEX,
    DS_MAXIMUM,
    DS_THRESHOLD,
    DS_RESET,
};

#define RECORD_BYTES 192u
#define MOST_RECORDS 20u

static uint64_t *const ds = (uint64_t *)(PLAYGROUND_BASE + PAGE_DS * PAGE_BYTES);
static const uintptr_t records = PLAYGROUND_BASE + PAGE_RECORDS * PAGE_BYTES;

/* An interrupt comes after a few records. */
#define THRESHOLD_RECORDS 4u

void pebs_set(void)
{
    ds[DS_BASE] = ds[DS_INDEX] = records;
    ds[DS_MAXIMUM] = records + MOST_RECORDS * RECORD_BYTES;
    ds[DS_THRESHOLD] = records + THRESHOLD_RECORDS * RECORD_BYTES;
    for (unsigned i = 0; i < 4; i++) {
        ds[DS_RESET + i] = program->reload[i];
    }
    write_msr(MSR_DS_AREA, (uintptr_t)ds);
}

/* Takes what was recorded since the last call. */
void pebs_take(void)
{
    uint64_t bytes = ds[DS_INDEX] - records;

    ds[DS_INDEX] = records;
    if (bytes > PAGE_BYTES) {
        return;
    }
    result->records += bytes / RECORD_BYTES;
    result->records_hash = hash_mix(result->records_hash,
                                    hash_words((const uint64_t *)records, (unsigned)(bytes / 8)));
}
