/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_RECORD_H
#define VPMU_RECORD_H

#include <stdint.h>

/*
 * How samples of observers travel from an emulator to a tool on the same machine: a stream of
 * records, in that machine's byte order. The library neither writes nor reads it; here so that both
 * ends have one description.
 *
 * A stream is one VPMU_RECORD_START, as many VPMU_RECORD_EVENT as that says, then samples, with
 * what is said of those that come next, and what was lost, in order of time for each CPU, but not
 * of one CPU against another. A recording that was brought to its end closes with a
 * VPMU_RECORD_COUNT for each CPU and event, and one VPMU_RECORD_END. Readers skip records of types
 * that they do not know.
 */

/* As bytes of a little-endian machine: "VPMUREC" and a 2, the version. */
#define VPMU_RECORD_MAGIC 0x02434552554d5056ull

/*
 * Events that there can be; bytes of an event's name with its NUL; addresses of a call chain; bytes
 * of a thread's name, as Linux has them; of a file's path with its NUL; of its build ID.
 */
#define VPMU_RECORD_EVENTS 32u
#define VPMU_RECORD_NAME 64u
#define VPMU_RECORD_CHAIN 128u
#define VPMU_RECORD_COMM 16u
#define VPMU_RECORD_PATH 512u
#define VPMU_RECORD_BUILD_ID 20u

enum vpmu_record_type {
    VPMU_RECORD_START = 1,
    VPMU_RECORD_EVENT,
    VPMU_RECORD_SAMPLE,
    VPMU_RECORD_LOST,
    VPMU_RECORD_COUNT,
    VPMU_RECORD_END,
    VPMU_RECORD_THREAD,
    VPMU_RECORD_SPAN,
    VPMU_RECORD_HOST,
    VPMU_RECORD_MAP,
};

/**
 * struct vpmu_record_head - what each record begins with
 * @type: enum vpmu_record_type.
 * @size: of the record with this, in bytes; a multiple of 8.
 * @cpu: which CPU it is about, counted from 0; 0 if it is about none.
 */
struct vpmu_record_head {
    uint16_t type;
    uint16_t size;
    uint32_t cpu;
};

/* Bits of vpmu_record_start.flags. */
#define VPMU_RECORD_VALUES (1u << 0) /* each sample has the values of all events */
#define VPMU_RECORD_X86 (1u << 1)    /* the machine is an x86-64; otherwise it is Arm's */

/**
 * struct vpmu_record_start - what is recorded
 * @magic: VPMU_RECORD_MAGIC.
 * @cpus: numbers of CPUs are below this, 1 or more.
 * @events: events, 1 to VPMU_RECORD_EVENTS.
 * @flags: a mask. A reader cannot understand samples if there is a bit that it does not know.
 * @time: nanoseconds of the machine's virtual clock.
 */
struct vpmu_record_start {
    struct vpmu_record_head head;
    uint64_t magic;
    uint32_t cpus;
    uint16_t events;
    uint16_t flags;
    uint64_t time;
};

/**
 * struct vpmu_record_event - one event; they come in the order of their numbers
 * @period: it is sampled each time it has happened so often; 0: it is not, or has a frequency.
 * @frequency: it is sampled so often in a second, with periods that change; otherwise 0.
 * @name: as the user gave it; ends in NUL.
 */
struct vpmu_record_event {
    struct vpmu_record_head head;
    uint64_t period;
    uint64_t frequency;
    char name[VPMU_RECORD_NAME];
};

/* Bits of vpmu_record_sample.flags. */
#define VPMU_RECORD_AARCH32 (1u << 0)
#define VPMU_RECORD_SECURE (1u << 1)
#define VPMU_RECORD_SMM (1u << 2)

/**
 * struct vpmu_record_sample - an event has happened as often as its period says
 * @time: nanoseconds of the machine's virtual clock.
 * @pc: address of the instruction that comes next after the one that ended the period.
 * @weight: how many events it stands for: the period, or a multiple; never 0.
 * @contextidr: CONTEXTIDR of who runs there; of the host's kernel at EL2, that of EL2.
 * @vmid: the guest's, if one runs there.
 * @event: its number.
 * @el: exception level of @pc.
 * @world: enum vpmu_world: who runs there.
 * @flags: a mask.
 * @values: how many values follow: as many as there are events, or none.
 * @chain: how many addresses of a call chain follow them.
 *
 * Behind it, a uint64_t for each of @values: what each event has counted on this CPU. Then one for
 * each of @chain: the link register, and the return addresses of the frames that the frame pointer
 * leads to, from the innermost one on. The link register is one more return address in a function
 * that has no frame of its own, and of no use in one that has; which it is, symbols can tell.
 *
 * Of an x86-64 there is no link register: all are return addresses. @el is 0 at CPL 1 to 3, and 1
 * at CPL 0 and in SMM; @world is VPMU_WORLD_NVHE, or VPMU_WORLD_GUEST in a guest of SVM;
 * @contextidr is CR3 without its last 12 bits; @vmid is 0.
 */
struct vpmu_record_sample {
    struct vpmu_record_head head;
    uint64_t time;
    uint64_t pc;
    uint64_t weight;
    uint32_t contextidr;
    uint16_t vmid;
    uint8_t event;
    uint8_t el;
    uint8_t world;
    uint8_t flags;
    uint16_t values;
    uint16_t chain;
    uint16_t reserved;
};

/**
 * struct vpmu_record_lost - samples that found no room, since the CPU's last sample
 * @time: nanoseconds of the machine's virtual clock, when there was room again.
 * @samples: how many.
 * @event: of which.
 */
struct vpmu_record_lost {
    struct vpmu_record_head head;
    uint64_t time;
    uint64_t samples;
    uint32_t event;
    uint32_t reserved;
};

/**
 * struct vpmu_record_thread - whose the CPU's samples are that come next
 * @time: nanoseconds of the machine's virtual clock.
 * @tid: the thread's number; 0: the CPU is idle.
 * @pid: its process's.
 * @known: 1; or 0 if it is not known any more, and all else is 0.
 * @comm: its name; without a NUL if it has all bytes.
 *
 * Applies to samples of the machine's own kernel and its programs, not to those of its guests or of
 * firmware. It is what the guest's memory said: it can be anything.
 */
struct vpmu_record_thread {
    struct vpmu_record_head head;
    uint64_t time;
    uint32_t tid;
    uint32_t pid;
    uint32_t known;
    char comm[VPMU_RECORD_COMM];
    uint32_t reserved;
};

/**
 * struct vpmu_record_map - what is in memory of the process whose the CPU's samples are
 * @time: nanoseconds of the machine's virtual clock.
 * @start, @end: addresses of the program; @end is behind it.
 * @offset: where that is in the file.
 * @space: is another one once the process executes another program.
 * @file: is another one for another file of the same path.
 * @pid: the process's number.
 * @path: bytes of the file's path behind this, with a NUL and up to 7 more.
 * @build_id_size: how many bytes of @build_id there are; 0 if it is not known.
 *
 * Comes before the first sample that has an address there. It is what the guest's memory said: it
 * can be anything.
 */
struct vpmu_record_map {
    struct vpmu_record_head head;
    uint64_t time;
    uint64_t start;
    uint64_t end;
    uint64_t offset;
    uint64_t space;
    uint64_t file;
    uint32_t pid;
    uint16_t path;
    uint16_t build_id_size;
    uint8_t build_id[VPMU_RECORD_BUILD_ID];
    uint32_t reserved;
};

/**
 * struct vpmu_record_span - what the CPU's next record, a sample, is of has lasted for some time
 * @ns: for how long, up to the sample's time, in nanoseconds of the machine's virtual clock.
 */
struct vpmu_record_span {
    struct vpmu_record_head head;
    uint64_t ns;
};

/**
 * struct vpmu_record_host - an event that the host's PMU has counted, at the end
 * @enabled: nanoseconds that the CPU's thread ran.
 * @running: nanoseconds of these that the event had a counter.
 * @elsewhere: samples, of the lost ones, that did not say where the CPU was.
 * @throttled: how often the host's kernel stopped the event because there were too many samples.
 * @event: its number.
 *
 * Comes before the event's VPMU_RECORD_COUNT, where the CPU is not emulated. Times of samples are
 * then those of the host's CLOCK_MONOTONIC, and each @pc is where the CPU was interrupted, some
 * instructions after the one that ended the period.
 */
struct vpmu_record_host {
    struct vpmu_record_head head;
    uint64_t enabled;
    uint64_t running;
    uint64_t elsewhere;
    uint64_t throttled;
    uint32_t event;
    uint32_t reserved;
};

/**
 * struct vpmu_record_count - an event, at the end
 * @count: how often it has happened on this CPU in all.
 * @weight: what all samples stand for, lost ones as well: less than @period short of @count, if
 *     there was no VPMU_RECORD_HOST; else @count or less.
 * @samples: samples in the stream.
 * @lost: samples that are not.
 * @period: the one that has begun; 0 of an event that is not sampled.
 * @event: its number.
 */
struct vpmu_record_count {
    struct vpmu_record_head head;
    uint64_t count;
    uint64_t weight;
    uint64_t samples;
    uint64_t lost;
    uint64_t period;
    uint32_t event;
    uint32_t reserved;
};

/* Why a recording ended. */
enum vpmu_record_why {
    VPMU_RECORD_ASKED,
    VPMU_RECORD_FULL,     /* a buffer was, and the user wanted it to end then */
    VPMU_RECORD_SHUTDOWN, /* the machine is switched off */
};

/**
 * struct vpmu_record_end - the last record
 * @time: nanoseconds of the machine's virtual clock.
 * @why: enum vpmu_record_why.
 */
struct vpmu_record_end {
    struct vpmu_record_head head;
    uint64_t time;
    uint32_t why;
    uint32_t reserved;
};

_Static_assert(sizeof(struct vpmu_record_head) == 8, "layout");
_Static_assert(sizeof(struct vpmu_record_start) == 32, "layout");
_Static_assert(sizeof(struct vpmu_record_event) == 24 + VPMU_RECORD_NAME, "layout");
_Static_assert(sizeof(struct vpmu_record_sample) == 48, "layout");
_Static_assert(sizeof(struct vpmu_record_lost) == 32, "layout");
_Static_assert(sizeof(struct vpmu_record_thread) == 48, "layout");
_Static_assert(sizeof(struct vpmu_record_map) == 88, "layout");
_Static_assert(sizeof(struct vpmu_record_span) == 16, "layout");
_Static_assert(sizeof(struct vpmu_record_host) == 48, "layout");
_Static_assert(sizeof(struct vpmu_record_count) == 56, "layout");
_Static_assert(sizeof(struct vpmu_record_end) == 24, "layout");

#endif
