/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/raw.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "protocol.h"

static int map_file(struct raw *r, int fd, struct failure *f)
{
    struct stat st;

    if (fstat(fd, &st) != 0 || st.st_size == 0) {
        return failure_set(f, FAILURE_RUN, "the machine recorded nothing");
    }
    r->map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (r->map == MAP_FAILED) {
        r->map = NULL;
        return failure_set(f, FAILURE_RUN, "cannot read the recording: %s", strerror(errno));
    }
    r->map_size = (size_t)st.st_size;
    return 0;
}

/* take() - decodes a record. Return: false if it is damaged. */
static bool take(struct raw_record *to, const struct perf_event_attr *attr,
                 const struct perf_event_header *head, const unsigned char *body, size_t order)
{
    *to = (struct raw_record){
        .type = head->type,
        .misc = head->misc,
        .body = {.at = body, .left = head->size - sizeof(*head)},
        .order = order,
    };
    if (head->type == PERF_RECORD_SAMPLE) {
        return perfsample_decode(attr, to->body, &to->at);
    }
    perfsample_trailer(attr, to->body, &to->at);
    return true;
}

/* struct texts - the texts among the records */
struct texts {
    FILE *symbols;
    FILE *lists;
    FILE *vdso;
    FILE *notes;
};

/* take_text() - Return: false if the record is none that has a text or a file */
static bool take_text(const struct perf_event_header *head, const unsigned char *body,
                      const struct texts *to)
{
    FILE *text = head->type == RUN_RECORD_SYMBOLS ? to->symbols
                 : head->type == RUN_RECORD_LISTS ? to->lists
                 : head->type == RUN_RECORD_VDSO  ? to->vdso
                 : head->type == RUN_RECORD_NOTES ? to->notes
                                                  : NULL;

    if (text) {
        fwrite(body, 1, head->size - sizeof(*head), text);
    }
    return head->type == RUN_RECORD_SYMBOLS || head->type == RUN_RECORD_LISTS ||
           head->type == RUN_RECORD_VDSO || head->type == RUN_RECORD_NOTES ||
           head->type == RUN_RECORD_FILES;
}

/* walk() - each record, and the texts. @r->record: NULL to count records only. */
static int walk(struct raw *r, const struct perf_event_attr *attr, const struct texts *texts,
                struct failure *f)
{
    struct perf_event_header head;
    size_t n = 0;

    for (size_t at = 0; at < r->map_size; at += head.size) {
        const unsigned char *body = r->map + at + sizeof(head);

        if (r->map_size - at >= sizeof(head)) {
            memcpy(&head, r->map + at, sizeof(head));
        }
        if (r->map_size - at < sizeof(head) || head.size < sizeof(head) ||
            head.size > r->map_size - at) {
            return failure_set(f, FAILURE_RUN, "the machine's recording is damaged at byte %zu",
                               at);
        }
        if (take_text(&head, body, texts)) {
            continue;
        }
        if (r->record && !take(&r->record[n], attr, &head, body, n)) {
            return failure_set(f, FAILURE_RUN, "the machine recorded a sample that is too short");
        }
        n++;
    }
    r->n = n;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct raw_record *x = a, *y = b;

    if (x->at.time != y->at.time) {
        return x->at.time < y->at.time ? -1 : 1;
    }
    return x->order < y->order ? -1 : 1;
}

/* read_texts() - counts the records, too */
static int read_texts(struct raw *r, const struct perf_event_attr *attr, struct failure *f)
{
    struct texts texts = {.symbols = open_memstream(&r->symbols, &r->symbols_size),
                          .lists = open_memstream(&r->lists, &r->lists_size),
                          .vdso = open_memstream(&r->vdso, &r->vdso_size),
                          .notes = open_memstream(&r->notes, &r->notes_size)};
    FILE *const all[] = {texts.symbols, texts.lists, texts.vdso, texts.notes};
    int err = texts.symbols && texts.lists && texts.vdso && texts.notes ? walk(r, attr, &texts, f)
                                                                        : failure_memory(f);

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (all[i] && fclose(all[i]) != 0) {
            err = failure_memory(f);
        }
    }
    return err;
}

int raw_open(struct raw *r, int fd, const struct raw_contents *contents, struct failure *f)
{
    const struct perf_event_attr attr = {
        .sample_type = RUN_SAMPLE_TYPE | (contents->chains ? PERF_SAMPLE_CALLCHAIN : 0) |
                       (contents->branches ? PERF_SAMPLE_BRANCH_STACK : 0) |
                       (contents->stack ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0),
        .branch_sample_type = contents->branches ? RUN_BRANCHES : 0,
        .sample_regs_user = contents->registers,
        .sample_id_all = 1,
    };
    struct texts texts = {0};
    int err;

    memset(r, 0, sizeof(*r));
    if (map_file(r, fd, f) != 0) {
        return -1;
    }
    err = read_texts(r, &attr, f);
    if (err) {
        return -1;
    }
    r->record = calloc(r->n + 1, sizeof(*r->record));
    if (!r->record) {
        return failure_memory(f);
    }
    err = walk(r, &attr, &texts, f);
    if (!err) {
        raw_sort(r);
    }
    return err;
}

const unsigned char *raw_build_id(const struct raw *r, size_t size)
{
    size_t at = 0;
    Elf64_Nhdr note;

    while (r->notes_size - at >= sizeof(note)) {
        size_t name, content;

        memcpy(&note, r->notes + at, sizeof(note));
        at += sizeof(note);
        /* Both have 32 bits, and are padded to 4 bytes. */
        name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
        content = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (name + content > r->notes_size - at) {
            break;
        }
        if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz == size && name == sizeof("GNU") &&
            memcmp(r->notes + at, "GNU", sizeof("GNU")) == 0) {
            return (const unsigned char *)r->notes + at + name;
        }
        at += name + content;
    }
    return NULL;
}

void raw_sort(struct raw *r)
{
    qsort(r->record, r->n, sizeof(*r->record), compare);
}

void raw_close(struct raw *r)
{
    free(r->record);
    free(r->chain);
    free(r->symbols);
    free(r->lists);
    free(r->vdso);
    free(r->notes);
    if (r->map) {
        munmap(r->map, r->map_size);
    }
    memset(r, 0, sizeof(*r));
}
