/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Saves and loads the state of a PMU. The architecture says what its state consists of. */
#include "saved.h"

#include "../refuse.h"

#define CRC_SIZE 4u
#define VERSION 1u

const char vpmu_impossible_value_[] = "the saved PMU state has a value where none can be";

struct header {
    uint32_t magic;
    uint16_t version;
    uint16_t size;
};

static void pass_header(struct vpmu_cursor_ *cursor, struct header *h)
{
    VPMU_PASS_(cursor, h->magic);
    VPMU_PASS_(cursor, h->version);
    VPMU_PASS_(cursor, h->size);
}

static void pass_mask(struct vpmu_cursor_ *cursor, vpmu_sources *mask)
{
    uint64_t low = (uint64_t)*mask;
    uint64_t high = (uint64_t)(*mask >> 64);

    VPMU_PASS_(cursor, low);
    VPMU_PASS_(cursor, high);
    *mask = (vpmu_sources)high << 64 | low;
}

static void pass_sources(struct vpmu_cursor_ *cursor, struct vpmu_saved_ *s)
{
    pass_mask(cursor, &s->sources);
    pass_mask(cursor, &s->timed);
}

int vpmu_saved_write_(const struct vpmu_count *c, struct vpmu_saved_ *s, void *buf, size_t len)
{
    const struct vpmu_state_format_ *format = c->arch->state;
    struct vpmu_cursor_ cursor = {.bytes = buf, .out = buf};
    struct header h = {format->magic, VERSION, format->size};
    uint32_t crc;

    if (len < format->size) {
        return -VPMU_ERR_SPACE;
    }
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        s->value[idx] = c->counter[idx].value;
        s->remainder[idx] = c->counter[idx].remainder;
    }
    for (unsigned idx = 0; idx < VPMU_PACE_COUNT; idx++) {
        s->cycle[idx] = c->pace[idx].value;
        s->link[idx] = c->pace[idx].link;
        s->met |= (uint32_t)c->pace[idx].met << idx;
    }
    format->sources(c, s);
    pass_header(&cursor, &h);
    pass_sources(&cursor, s);
    format->pass_config(&cursor, c);
    format->pass(&cursor, s);
    crc = vpmu_crc32_(buf, cursor.at);
    VPMU_PASS_(&cursor, crc);
    return 0;
}

const char *vpmu_saved_fault_(const struct vpmu_state_format_ *format, const uint8_t *bytes,
                              size_t len)
{
    struct vpmu_cursor_ cursor = {.bytes = bytes};
    struct header h = {0};
    uint32_t crc = 0;

    if (len < format->size) {
        return "the saved PMU state is truncated";
    }
    pass_header(&cursor, &h);
    if (h.magic != format->magic) {
        return format->other_magic;
    }
    if (h.version != VERSION) {
        return "the saved PMU state is of another version; this library reads version 1";
    }
    if (h.size != format->size || len != h.size) {
        return "the saved PMU state has the wrong size for its version";
    }
    cursor.at = len - CRC_SIZE;
    VPMU_PASS_(&cursor, crc);
    return crc == vpmu_crc32_(bytes, len - CRC_SIZE)
               ? NULL
               : "the saved PMU state is damaged: its checksum does not match";
}

/* Reads the configuration, which must be that of the PMU. */
static const char *compare_config(struct vpmu_cursor_ *cursor, const struct vpmu_count *c,
                                  struct vpmu_saved_ *s)
{
    const struct vpmu_state_format_ *format = c->arch->state;
    uint8_t own[VPMU_SAVED_CONFIG_MAX_];
    struct vpmu_cursor_ writer = {.bytes = own, .out = own};
    struct vpmu_saved_ here = {.sources = 0};

    format->sources(c, &here);
    pass_sources(cursor, s);
    if (s->timed != here.timed) {
        return "the saved PMU state has cycles of another clock";
    }
    if (s->sources & ~here.sources) {
        return "the saved PMU state is of a PMU that counts more kinds of events";
    }
    format->pass_config(&writer, c);
    for (size_t i = 0; i < writer.at; i++) {
        if (own[i] != cursor->bytes[cursor->at++]) {
            return "the saved PMU state is of a PMU with another version, other counters or other "
                   "features";
        }
    }
    return NULL;
}

bool vpmu_saved_parts_fit_(const struct vpmu_count *c, const struct vpmu_saved_ *s, unsigned idx,
                           const struct vpmu_assignment_ *assignment)
{
    bool has_cycle =
        idx < VPMU_PACE_COUNT && (s->cycle[idx] || s->link[idx] || (s->met & VPMU_BIT(idx)));

    return assignment->paced ? s->remainder[idx] < c->cycle_units
                             : s->remainder[idx] < assignment->unit && !has_cycle;
}

static const char *find_fault(const struct vpmu_count *c, struct vpmu_saved_ *s,
                              const uint8_t *bytes, size_t len)
{
    const struct vpmu_state_format_ *format = c->arch->state;
    struct vpmu_cursor_ cursor = {.bytes = bytes};
    const char *fault = vpmu_saved_fault_(format, bytes, len);

    if (fault) {
        return fault;
    }
    cursor.at = VPMU_SAVED_SOURCES_AT_;
    fault = compare_config(&cursor, c, s);
    if (fault) {
        return fault;
    }
    format->pass(&cursor, s);
    fault = format->find_fault(c, s);
    return fault || !(s->met >> format->cycles) ? fault : vpmu_impossible_value_;
}

static void take_counters(struct vpmu_count *c, const struct vpmu_saved_ *s)
{
    vpmu_count_clear_(c);
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        c->counter[idx].value = s->value[idx];
        c->counter[idx].remainder = s->remainder[idx];
    }
    for (unsigned idx = 0; idx < VPMU_PACE_COUNT; idx++) {
        c->pace[idx].value = s->cycle[idx];
        c->pace[idx].link = s->link[idx];
    }
}

int vpmu_saved_read_(struct vpmu_count *c, struct vpmu_saved_ *s, const void *buf, size_t len,
                     const struct vpmu_now *now, const char **why)
{
    const char *fault = find_fault(c, s, buf, len);
    bool edge;
    int due;

    if (fault) {
        return vpmu_refuse_(fault, VPMU_ERR_STATE, why);
    }
    edge = vpmu_begin_(c, now);
    c->arch->state->take(c, s);
    take_counters(c, s);
    due = vpmu_end_(c, UINT64_MAX, edge);
    /* This is done last, because a counter that does not count forgets its condition. */
    for (unsigned idx = 0; idx < VPMU_PACE_COUNT; idx++) {
        c->pace[idx].met = s->met & VPMU_BIT(idx);
    }
    return due;
}
