/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds and prints the tree of a row's call chains. */
#include "profile/call-tree.h"

#include <stdlib.h>
#include <string.h>

/* Columns of perf's trees. */
#define MARGIN "            "
#define STEP "          "

uint32_t call_tree_frames(const struct report *r, const struct profile_entry *e)
{
    return e->n > r->n ? (e->n - r->n) / REPORT_FRAME_PARTS : 0;
}

void call_tree_row(const struct report *r, const struct profile_entry *e, uint32_t i, uint32_t *key)
{
    for (uint32_t c = 0; c < r->n; c++) {
        int part = report_frame_part(r, c);

        key[c] = part < 0 ? e->key[c] : e->key[r->n + i * REPORT_FRAME_PARTS + (uint32_t)part];
    }
}

uint32_t call_tree_leaf(const struct report *r, const struct profile *p,
                        const struct profile_entry *e)
{
    uint32_t n = call_tree_frames(r, e);
    uint32_t i = 0;

    while (i + 1 < n && report_is_inlined(r, p, e, i)) {
        i++;
    }
    return i;
}

static bool is_of_row(const struct report *r, const struct profile_entry *e, uint32_t i,
                      const struct profile_entry *row)
{
    uint32_t key[REPORT_MAX_COLUMNS];

    call_tree_row(r, e, i, key);
    return memcmp(key, row->key, r->n * sizeof(key[0])) == 0;
}

/*
 * Making it
 */

/*
 * Returns the child of @at with this text, and adds it if there is none. NULL if there is no
 * memory.
 */
static struct call_tree *child_of(struct call_tree *at, uint32_t text, struct error *t)
{
    struct call_tree **place = &at->child;

    while (*place && (*place)->text != text) {
        place = &(*place)->next;
    }
    if (!*place) {
        *place = calloc(1, sizeof(**place));
        if (!*place) {
            error_memory(t);
            return NULL;
        }
        (*place)->text = text;
    }
    return *place;
}

/* Adds the frames from @first to @last. @last can be smaller than @first. */
static int add_path(const struct report *r, struct call_tree *tree, const struct profile_entry *e,
                    uint32_t first, uint32_t last, struct error *t)
{
    struct call_tree *at = tree;

    tree->period += e->period;
    for (uint32_t i = first;; i = first < last ? i + 1 : i - 1) {
        at = child_of(at, e->key[r->n + i * REPORT_FRAME_PARTS + REPORT_FRAME_SYMBOL], t);
        if (!at) {
            return -1;
        }
        at->period += e->period;
        if (i == last) {
            return 0;
        }
    }
}

/*
 * As in perf, a function that was sampled itself has the whole chain. A function that was only a
 * caller has only the frames on one side of it.
 */
static int add_entry(const struct report *r, const struct profile *p, struct call_tree *tree,
                     const struct profile_entry *e, const struct profile_entry *row,
                     struct error *t)
{
    uint32_t n = call_tree_frames(r, e);

    if (n && is_of_row(r, e, call_tree_leaf(r, p, e), row)) {
        return r->caller ? add_path(r, tree, e, n - 1, 0, t) : add_path(r, tree, e, 0, n - 1, t);
    }
    if (!r->children) {
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t frame = r->caller ? n - 1 - i : i;

        if (is_of_row(r, e, frame, row)) {
            return add_path(r, tree, e, frame, r->caller ? 0 : n - 1, t);
        }
    }
    return 0;
}

struct call_tree *call_tree_of(const struct report *r, const struct profile *p,
                               const struct profile_entry *row, struct error *t)
{
    struct call_tree *tree = calloc(1, sizeof(*tree));

    if (!tree) {
        error_memory(t);
        return NULL;
    }
    for (size_t i = 0; i < p->n; i++) {
        if (p->entry[i]->event == row->event && add_entry(r, p, tree, p->entry[i], row, t)) {
            call_tree_free(tree);
            return NULL;
        }
    }
    return tree;
}

/* Not recursive, because the chains of a hostile file can make a very deep tree. */
void call_tree_free(struct call_tree *tree)
{
    while (tree) {
        struct call_tree *next = tree->next;

        if (tree->child) {
            struct call_tree *last = tree->child;

            while (last->next) {
                last = last->next;
            }
            last->next = next;
            next = tree->child;
        }
        free(tree);
        tree = next;
    }
}

/*
 * Printing it
 */

/**
 * struct tree_print - how a tree is printed
 * @all: the period that is 100 %.
 * @prefix: what the lines of this level begin with.
 */
struct tree_print {
    const struct report *r;
    const struct profile *p;
    uint64_t all;
    FILE *file;
    char *prefix;
    size_t length;
    unsigned printed;
};

static double share(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

static const char *name_of(const struct tree_print *o, const struct call_tree *node)
{
    return string_table_get(&o->p->texts, node->text) + REPORT_LEVEL_SIZE;
}

/* Sorts siblings by falling period, then by name. It merges lists, because they can be long. */
static struct call_tree *merge(const struct tree_print *o, struct call_tree *a, struct call_tree *b)
{
    struct call_tree *head = NULL;
    struct call_tree **end = &head;

    while (a && b) {
        bool first = a->period != b->period ? a->period > b->period
                                            : strcmp(name_of(o, a), name_of(o, b)) <= 0;
        struct call_tree **from = first ? &a : &b;

        *end = *from;
        *from = (*from)->next;
        end = &(*end)->next;
    }
    *end = a ? a : b;
    return head;
}

static struct call_tree *sort(const struct tree_print *o, struct call_tree *list)
{
    struct call_tree *slow = list;
    struct call_tree *second;

    if (!list || !list->next) {
        return list;
    }
    for (struct call_tree *fast = list->next; fast && fast->next; fast = fast->next->next) {
        slow = slow->next;
    }
    second = slow->next;
    slow->next = NULL;
    return merge(o, sort(o, list), sort(o, second));
}

static bool is_shown(const struct tree_print *o, const struct call_tree *node, uint64_t parent)
{
    return node && node->period > 0 &&
           share(node->period, o->r->fractal ? parent : o->all) >= o->r->threshold;
}

/* Prints the nodes that follow each other without a fork, one per line. Returns the last one. */
static struct call_tree *print_run(struct tree_print *o, struct call_tree *node, const char *indent)
{
    while (node->child && !node->child->next && node->child->period == node->period) {
        node = node->child;
        fprintf(o->file, "%s%s%s%s\n", MARGIN, o->prefix, indent, name_of(o, node));
    }
    return node;
}

static void print_branches(struct tree_print *o, struct call_tree *node);

/* Goes one level deeper. @bar: draw a line at the left, because more siblings follow. */
static void print_deeper(struct tree_print *o, struct call_tree *node, const char *bar)
{
    size_t length = o->length;
    size_t size = length + strlen(bar) + 1;
    char *prefix = realloc(o->prefix, size);

    if (!prefix) {
        return;
    }
    o->prefix = prefix;
    memcpy(o->prefix + length, bar, size - length);
    o->length = size - 1;
    print_branches(o, node);
    o->length = length;
    o->prefix[length] = '\0';
}

static void print_branch(struct tree_print *o, struct call_tree *node, uint64_t parent, bool last)
{
    char head[32];
    char indent[32];

    snprintf(head, sizeof(head), "%s--%.2f%%--", last ? " " : "|",
             share(node->period, o->r->fractal ? parent : o->all));
    snprintf(indent, sizeof(indent), "%s%*s", last ? " " : "|", (int)strlen(head) - 1, "");
    fprintf(o->file, "%s%s%s%s\n", MARGIN, o->prefix, head, name_of(o, node));
    print_deeper(o, print_run(o, node, indent), last ? " " STEP : "|" STEP);
}

static void print_branches(struct tree_print *o, struct call_tree *node)
{
    node->child = sort(o, node->child);
    for (struct call_tree *child = node->child; is_shown(o, child, node->period);) {
        struct call_tree *next = child->next;
        bool is_last;

        if (o->r->limit && o->printed == o->r->limit) {
            return;
        }
        o->printed++;
        is_last = !is_shown(o, next, node->period) || (o->r->limit && o->printed == o->r->limit);
        fprintf(o->file, "%s%s|\n", MARGIN, o->prefix);
        print_branch(o, child, node->period, is_last);
        child = next;
    }
}

/* If all chains begin with the same function, its line has no percentage: it is that of the row. */
static void print_only(struct tree_print *o, struct call_tree *node)
{
    fprintf(o->file, "%s|\n%s---%s\n", MARGIN, MARGIN, name_of(o, node));
    print_deeper(o, print_run(o, node, "   "), "   ");
}

void call_tree_print(const struct report *r, const struct profile *p, struct call_tree *tree,
                     uint64_t all, FILE *file)
{
    struct tree_print o = {.r = r, .p = p, .all = all, .file = file, .prefix = calloc(1, 1)};

    if (o.prefix && tree->child) {
        if (tree->child->next) {
            print_branches(&o, tree);
        } else {
            print_only(&o, tree->child);
        }
        fputc('\n', file);
    }
    free(o.prefix);
}
