/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernels.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

#define PAGE 4096u
/* A token that is more than a character: of no character that names have. */
#define TOKEN_DIR '\1'

#define LONG                                                                                       \
    "a_name_of_two_hundred_characters_at_least_which_has_a_length_of_two_bytes_in_the_list_since_" \
    "it_has_more_than_one_hundred_and_twenty_seven_of_them_and_is_cut_off_where_a_line_of_the_"    \
    "list_has_no_room_for_more_of_it"

/* Type and name, and where. */
static const struct {
    const char *name;
    uint32_t offset;
} symbols[] = {
    {"T_text", 0},
    {"Tfirst", 0x100},
    {"tsecond", 0x200},
    {"T" LONG, 0x300},
    {"T_etext", 0x400},
    {"Rtramp\1", KERNELS_TABLES - 2 * PAGE},
    {"Rswapper\1", KERNELS_TABLES},
    {"D__entry_task", 0x500},
    {"dkimage_voffset", KERNELS_VARIABLE},
    {"r__start_BTF", KERNELS_TYPES},
    {"r__stop_BTF", 0},
};

#define SYMBOLS (sizeof(symbols) / sizeof(symbols[0]))

static int read_ram(struct memory *m, uint64_t at, void *to, size_t size, struct trouble *t)
{
    const struct made_kernel *k = (const struct made_kernel *)m;

    if (at < KERNELS_RAM || at - KERNELS_RAM > KERNELS_SIZE ||
        size > KERNELS_SIZE - (at - KERNELS_RAM)) {
        return trouble_set(t, TROUBLE_TALK, "vpmu-read: not all of that is RAM");
    }
    memcpy(to, k->ram + (at - KERNELS_RAM), size);
    return 0;
}

static int find_pages(struct memory *m, const char *text, uint64_t *found, size_t *n,
                      struct trouble *t)
{
    const struct made_kernel *k = (const struct made_kernel *)m;

    (void)t;
    *n = 0;
    for (unsigned at = 0; at < KERNELS_SIZE; at += PAGE) {
        if (memcmp(k->ram + at, text, strlen(text)) == 0) {
            found[(*n)++] = KERNELS_RAM + at;
        }
    }
    return 0;
}

static int find_tables(struct memory *m, uint64_t *tables, size_t *n, struct trouble *t)
{
    (void)t;
    tables[0] = 0;
    tables[1] = ((const struct made_kernel *)m)->table;
    *n = 2;
    return 0;
}

/* Each character is a token, and there is one of several. */
static void make_tokens(struct made_kernel *k)
{
    uint16_t at = 0;

    for (unsigned i = 0; i < 256; i++) {
        const char text[2] = {(char)(i >= ' ' && i < 0x7f ? i : 0), '\0'};
        const char *token = i == TOKEN_DIR ? "_pg_dir" : text;

        memcpy(k->ram + KERNELS_INDEX + i * sizeof(at), &at, sizeof(at));
        strcpy((char *)k->ram + KERNELS_TOKENS + at, token);
        at = (uint16_t)(at + strlen(token) + 1);
    }
}

static void make_symbols(struct made_kernel *k, bool by_place, uint32_t types_end)
{
    const uint64_t base = KERNELS_TEXT;
    const uint32_t n = SYMBOLS;
    size_t at = KERNELS_NAMES;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t offset = symbols[i].offset;
        size_t len = strlen(symbols[i].name);

        offset = i == n - 1 ? types_end : offset;
        offset -= by_place ? KERNELS_OFFSETS + 4 * i : 0;
        memcpy(k->ram + KERNELS_OFFSETS + 4 * (size_t)i, &offset, sizeof(offset));
        k->ram[at++] = (unsigned char)(len > 127 ? len | 0x80 : len);
        if (len > 127) {
            k->ram[at++] = (unsigned char)(len >> 7);
        }
        memcpy(k->ram + at, symbols[i].name, len);
        at += len;
    }
    memcpy(k->ram + KERNELS_NUMBER, &n, sizeof(n));
    memcpy(k->ram + KERNELS_BASE, &base, sizeof(base));
}

/* A task_struct: pid at 8, tgid at 12, comm at 16. Returns behind them. */
static uint32_t make_types(struct made_kernel *k)
{
    struct btf *btf = btf__new_empty();
    int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
    int text = btf__add_array(btf, number, btf__add_int(btf, "char", 1, 0), 16);
    const void *data;
    uint32_t size;

    btf__add_struct(btf, "task_struct", 64);
    btf__add_field(btf, "pid", number, 64, 0);
    btf__add_field(btf, "tgid", number, 96, 0);
    btf__add_field(btf, "comm", text, 128, 0);
    data = btf__raw_data(btf, &size);
    memcpy(k->ram + KERNELS_TYPES, data, size);
    btf__free(btf);
    return KERNELS_TYPES + size;
}

void kernels_info(struct made_kernel *k, unsigned page, uint64_t distance, bool by_place)
{
    static const struct {
        const char *name;
        unsigned at;
    } places[] = {
        {"swapper_pg_dir", KERNELS_TABLES},       {"kallsyms_names", KERNELS_NAMES},
        {"kallsyms_num_syms", KERNELS_NUMBER},    {"kallsyms_token_table", KERNELS_TOKENS},
        {"kallsyms_token_index", KERNELS_INDEX},  {"kallsyms_offsets", KERNELS_OFFSETS},
        {"kallsyms_relative_base", KERNELS_BASE},
    };
    char *text = (char *)k->ram + page;
    int at = snprintf(text, PAGE, "OSRELEASE=6.1-made\nBUILD-ID=00\nPAGESIZE=4096\n");

    for (size_t i = 0; i < 6u + !by_place; i++) {
        at += snprintf(text + at, PAGE - (size_t)at, "SYMBOL(%s)=%llx\n", places[i].name,
                       (unsigned long long)(KERNELS_RAM + distance + places[i].at));
    }
    snprintf(text + at, PAGE - (size_t)at, "NUMBER(kimage_voffset)=0x%llx\n",
             (unsigned long long)distance);
}

void kernels_make(struct made_kernel *k, bool by_place)
{
    const uint64_t distance = KERNELS_DISTANCE;

    *k = (struct made_kernel){
        .memory = {.read = read_ram, .find = find_pages, .tables = find_tables},
        .table = KERNELS_RAM + KERNELS_TABLES,
    };
    make_tokens(k);
    make_symbols(k, by_place, make_types(k));
    memcpy(k->ram + KERNELS_VARIABLE, &distance, sizeof(distance));
    kernels_info(k, KERNELS_INFO, distance, by_place);
}

/* The last entry of each table that has the kernel; the same in all, but for who has used it. */
static void make_entries(struct made_kernel *k)
{
    const uint64_t kernels = KERNELS_RAM + 0x21;
    const uint64_t used = kernels | 0x40;
    const uint64_t programs = KERNELS_RAM + 0x1000 + 0x21;

    memcpy(k->ram + KERNELS_TABLES + PAGE - sizeof(kernels), &kernels, sizeof(kernels));
    memcpy(k->ram + KERNELS_PROCESS + PAGE - sizeof(used), &used, sizeof(used));
    memcpy(k->ram + KERNELS_PROCESS + 2 * PAGE - sizeof(programs), &programs, sizeof(programs));
}

void kernels_make_x86(struct made_kernel *k)
{
    const uint64_t place = 0xffffffff80000000ull - KERNELS_DISTANCE;
    char *text = (char *)k->ram + KERNELS_INFO;

    kernels_make(k, false);
    for (size_t i = 0; i < SYMBOLS; i++) {
        unsigned char *at = k->ram + KERNELS_OFFSETS + 4 * i;
        uint32_t offset;

        memcpy(&offset, at, sizeof(offset));
        offset = ~offset;
        memcpy(at, &offset, sizeof(offset));
    }
    memcpy(k->ram + KERNELS_VARIABLE, &place, sizeof(place));
    make_entries(k);
    sprintf(strstr(text, "NUMBER("), "NUMBER(phys_base)=%lld\n", (long long)place);
}
