/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the header of perf's file and its feature EVENT_DESC. */
#include "perfdata/perfheader.h"

#include <string.h>

#include "perfdata/filesymbols.h"
#include "perfdata/perffile.h"

#define MAGIC_SWAPPED "2ELIFREP"
#define MAX_ATTR_SIZE 1024
#define MAX_NAME 256

/* The file to read, its name for messages, and the events to fill in. */
struct from {
    FILE *file;
    const char *name;
    struct perfevents *events;
};

int perfheader_wrong(const char *name, struct error *t, const char *what)
{
    return error_set(t, ERROR_USAGE, "cannot read %s: %s", name, what);
}

int perfheader_prefix(const char *name, struct error *t)
{
    struct error plain = *t;

    if (plain.code == ERROR_USAGE) {
        perfheader_wrong(name, t, plain.text);
    }
    return -1;
}

/* Returns false if the file has fewer bytes, or none at all at an offset of more than 63 bits. */
static bool read_at(FILE *file, uint64_t at, void *to, size_t size)
{
    return fseeko(file, (off_t)at, SEEK_SET) == 0 && fread(to, 1, size, file) == size;
}

static int take_ids(const struct from *f, unsigned event, const struct perffile_section *ids,
                    struct error *t)
{
    uint64_t id;

    for (uint64_t i = 0; i < ids->size / sizeof(id); i++) {
        if (i == 0 ? !read_at(f->file, ids->offset, &id, sizeof(id))
                   : fread(&id, sizeof(id), 1, f->file) != 1) {
            return perfheader_wrong(f->name, t, "it ends before the ids of its events");
        }
        if (perfevents_add_id(f->events, event, id, t)) {
            return perfheader_prefix(f->name, t);
        }
    }
    return 0;
}

static int take_attrs(const struct from *f, const struct perffile_header *h, struct error *t)
{
    unsigned char attr[MAX_ATTR_SIZE];
    size_t size = (size_t)h->attr_size - sizeof(struct perffile_section);

    for (uint64_t at = 0; at + h->attr_size <= h->attrs.size; at += h->attr_size) {
        struct perffile_section ids;

        if (!read_at(f->file, h->attrs.offset + at, attr, (size_t)h->attr_size)) {
            return perfheader_wrong(f->name, t, "it ends before its events");
        }
        memcpy(&ids, attr + size, sizeof(ids));
        if (perfevents_add(f->events, attr, size, t)) {
            return perfheader_prefix(f->name, t);
        }
        if (take_ids(f, (unsigned)f->events->n - 1, &ids, t)) {
            return -1;
        }
    }
    return f->events->n ? 0 : perfheader_wrong(f->name, t, "it has no events");
}

/*
 * Reads the name of event @i from the current position of the feature. Returns false if the feature
 * ends or on an error.
 */
static bool take_name(struct perfevents *events, FILE *file, size_t i, uint32_t attr_size,
                      struct error *t)
{
    char name[MAX_NAME] = "";
    struct {
        uint32_t ids;
        uint32_t size;
    } head;
    size_t size;

    if (fseeko(file, attr_size, SEEK_CUR) || fread(&head, sizeof(head), 1, file) != 1) {
        return false;
    }
    size = head.size < MAX_NAME - 1 ? head.size : MAX_NAME - 1;
    return fread(name, 1, size, file) == size &&
           fseeko(file, (off_t)(head.size - size + head.ids * 8ull), SEEK_CUR) == 0 &&
           (!name[0] || perfevents_rename(events, i, name, t) == 0);
}

int perfheader_names(struct perfevents *events, FILE *file, struct error *t)
{
    struct {
        uint32_t n;
        uint32_t attr_size;
    } head;

    if (fread(&head, sizeof(head), 1, file) != 1) {
        return 0;
    }
    for (size_t i = 0; i < head.n && i < events->n; i++) {
        if (!take_name(events, file, i, head.attr_size, t)) {
            return t->code == ERROR_NONE ? 0 : -1;
        }
    }
    return 0;
}

/* Finds the position of a feature. Returns false if the file does not have it. */
static bool find_feature(const struct from *f, const struct perffile_header *h, unsigned feature,
                         struct perffile_section *section)
{
    uint64_t table = h->data.offset + h->data.size;
    uint64_t last = h->features[feature / 64];
    int before = __builtin_popcountll(last & ((1ull << feature % 64) - 1));

    if (!(last >> feature % 64 & 1) || h->data.size == 0) {
        return false;
    }
    for (unsigned i = 0; i < feature / 64; i++) {
        before += __builtin_popcountll(h->features[i]);
    }
    return read_at(f->file, table + (uint64_t)before * sizeof(*section), section, sizeof(*section));
}

static int take_features(const struct from *f, const struct perffile_header *h,
                         struct perfheader *to, struct error *t)
{
    struct perffile_section section;

    if (find_feature(f, h, FILESYMBOLS_FEATURE, &section)) {
        to->symbols = section.offset;
        to->symbols_size = section.size;
    }
    if (!find_feature(f, h, PERFFILE_FEATURE_EVENT_DESC, &section) ||
        fseeko(f->file, (off_t)section.offset, SEEK_SET)) {
        return 0;
    }
    return perfheader_names(f->events, f->file, t);
}

static int check_magic(const struct from *f, const struct perffile_header *h, size_t size,
                       struct error *t)
{
    static const struct perffile_header zero;

    if (size == 0) {
        return perfheader_wrong(f->name, t, "it is empty");
    }
    if (size >= sizeof(h->magic) && memcmp(h, &zero, size) == 0) {
        return perfheader_wrong(f->name, t, "its header is empty: the recorder did not write it");
    }
    if (size >= sizeof(h->magic) && memcmp(h->magic, MAGIC_SWAPPED, sizeof(h->magic)) == 0) {
        return perfheader_wrong(f->name, t, "it has the other byte order");
    }
    if (size < PERFFILE_PIPE_HEADER_SIZE ||
        memcmp(h->magic, PERFFILE_MAGIC, sizeof(h->magic)) != 0) {
        return perfheader_wrong(f->name, t,
                                "it is not a perf file: it does not begin with " PERFFILE_MAGIC);
    }
    return 0;
}

static int check_header(const struct from *f, const struct perffile_header *h, size_t size,
                        struct error *t)
{
    if (size < sizeof(*h) || h->size < sizeof(*h)) {
        return perfheader_wrong(f->name, t, "its header is too short");
    }
    if (h->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct perffile_section) ||
        h->attr_size > MAX_ATTR_SIZE) {
        return perfheader_wrong(f->name, t, "its event descriptions are not those of perf");
    }
    if (h->attrs.offset > INT64_MAX || h->data.offset > INT64_MAX || h->data.size > INT64_MAX) {
        return perfheader_wrong(f->name, t, "its header has impossible offsets");
    }
    return 0;
}

/*
 * perf writes the features last. Until then, the size in the header is not that of the whole file.
 */
static bool is_finished(const struct perffile_header *h)
{
    return h->data.size && (h->features[0] | h->features[1] | h->features[2] | h->features[3]);
}

int perfheader_read(struct perfheader *to, FILE *file, const char *name, struct perfevents *events,
                    struct error *t)
{
    const struct from f = {file, name, events};
    struct perffile_header h = {0};
    size_t size;

    rewind(file);
    size = fread(&h, 1, sizeof(h), file);
    if (check_magic(&f, &h, size, t)) {
        return -1;
    }
    if (h.size == PERFFILE_PIPE_HEADER_SIZE) {
        *to =
            (struct perfheader){.pipe = true, .data = PERFFILE_PIPE_HEADER_SIZE, .end = UINT64_MAX};
        return 0;
    }
    *to = (struct perfheader){
        .data = h.data.offset,
        .end = is_finished(&h) ? h.data.offset + h.data.size : UINT64_MAX,
    };
    return check_header(&f, &h, size, t) || take_attrs(&f, &h, t) || take_features(&f, &h, to, t)
               ? -1
               : 0;
}
