/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../hash.h"
#include "runtime.h"

#define MSR_PERF_CAPABILITIES 0x345u
#define MSR_PEBS_DATA_CFG 0x3f2u
#define MSR_DS_AREA 0x600u

/* The DS management area (SDM 3B, DS Save Area). */
enum {
    DS_BASE = 4,
    DS_INDEX,
    DS_MAXIMUM,
    DS_THRESHOLD,
    DS_RESET,
    DS_RESET_FIXED = DS_RESET + 8,
};

/* A record of format 2; an adaptive one has its size and its groups in the first word. */
#define RECORD_BYTES 192u
#define BASIC_BYTES 32u
#define SIZE_SHIFT 48
#define GROUP_LBR BIT(3)
#define LBR_SHIFT 24
#define LBR_WORDS 3u
#define TIME_WORD 3
/* The buffer; an interrupt comes after a few records. */
#define BUFFER_BYTES (20 * RECORD_BYTES)
#define THRESHOLD_BYTES (4 * RECORD_BYTES)

static volatile uint64_t *const ds = (volatile uint64_t *)(PLAYGROUND_BASE + PAGE_DS * PAGE_BYTES);
static const uintptr_t records = PLAYGROUND_BASE + PAGE_RECORDS * PAGE_BYTES;
static bool adaptive;

void pebs_init(void)
{
    adaptive = (read_msr(MSR_PERF_CAPABILITIES) >> 8 & 0xf) >= 4;
}

void pebs_set(void)
{
    ds[DS_BASE] = ds[DS_INDEX] = records;
    ds[DS_MAXIMUM] = records + BUFFER_BYTES;
    ds[DS_THRESHOLD] = records + THRESHOLD_BYTES;
    for (unsigned i = 0; i < (adaptive ? PROGRAM_COUNTERS : 4); i++) {
        ds[DS_RESET + i] = program->reload[i];
    }
    write_msr(MSR_DS_AREA, (uintptr_t)ds);
    if (adaptive) {
        ds[DS_RESET_FIXED] = program->reload[FIXED_RELOAD];
        write_msr(MSR_PEBS_DATA_CFG, program->pebs_data_cfg);
    }
}

/* Without the time, and without what last branch records have of predictions. */
static void hide(uint64_t *record, unsigned words)
{
    uint64_t groups = record[0];
    unsigned lbrs = groups & GROUP_LBR ? (groups >> LBR_SHIFT & 0xff) + 1 : 0;

    record[TIME_WORD] = 0;
    for (unsigned i = 0; i < lbrs && LBR_WORDS * i < words; i++) {
        record[words - 1 - LBR_WORDS * i] &= LBR_INFO_TYPE;
    }
}

/* Takes the record at an offset. Returns its size, or 0 if it has none. */
static unsigned take(unsigned at, unsigned bytes)
{
    uint64_t *record = (uint64_t *)(records + at);
    unsigned size = adaptive ? (unsigned)(record[0] >> SIZE_SHIFT) : RECORD_BYTES;

    if (size < BASIC_BYTES || size % 8 != 0 || size > bytes - at) {
        return 0;
    }
    if (adaptive) {
        hide(record, size / 8);
    }
    result->records++;
    result->records_hash = hash_mix(result->records_hash, hash_words(record, size / 8));
    return size;
}

/*
 * Takes what was recorded since the last call. Meanwhile this code makes no records, which would
 * overwrite them: an index below the buffer leaves no room, and is below the threshold.
 */
void pebs_take(void)
{
    uint64_t bytes = ds[DS_INDEX] - records;
    unsigned at = 0;
    unsigned size = 1;

    ds[DS_INDEX] = 0;
    while (bytes <= PAGE_BYTES && at < bytes && size != 0) {
        size = take(at, (unsigned)bytes);
        at += size;
    }
    if (size == 0) {
        result->misplaced = records + at;
    }
    ds[DS_INDEX] = records;
}
