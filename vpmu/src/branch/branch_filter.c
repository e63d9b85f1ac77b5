/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* A filter of branches, as perf writes it. */
#include <stddef.h>

#include "../refuse.h"
#include "vpmu/branch_observer.h"
#include "vpmu/errors.h"

#define USER 1u
#define KERNEL 0xeu

static const struct word {
    const char *name;
    struct vpmu_branch_filter adds;
} words[] = {
    {"any", {.groups = VPMU_BRGROUP_ALL, .exceptions = true, .returns = true}},
    {"any_call", {.groups = VPMU_BRGROUP_CALL | VPMU_BRGROUP_INDIRECT_CALL, .exceptions = true}},
    {"any_ret", {.groups = VPMU_BRGROUP_RETURN, .returns = true}},
    {"call", {.groups = VPMU_BRGROUP_CALL}},
    {"ind_call", {.groups = VPMU_BRGROUP_INDIRECT_CALL}},
    {"ind_jmp", {.groups = VPMU_BRGROUP_INDIRECT}},
    {"cond", {.groups = VPMU_BRGROUP_CONDITIONAL}},
    {"u", {.levels = USER}},
    {"k", {.levels = KERNEL}},
    {"flags", {.mispredictions = true}},
    {"cycles", {.cycles = true}},
    {"no_flags", {0}},
    {"no_cycles", {0}},
    {"save_type", {0}},
};

/* Compares @word with the characters of @text up to a comma or the end. */
static bool is_word(const char *word, const char *text)
{
    while (*word && *word == *text) {
        word++;
        text++;
    }
    return !*word && (!*text || *text == ',');
}

static const struct word *find_word(const char *text)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (is_word(words[i].name, text)) {
            return &words[i];
        }
    }
    return NULL;
}

static void add_word(struct vpmu_branch_filter *filter, const struct vpmu_branch_filter *adds)
{
    filter->levels |= adds->levels;
    filter->groups |= adds->groups & (uint8_t)~VPMU_BRGROUP_EXCEPTION;
    filter->exceptions |= adds->exceptions;
    filter->returns |= adds->returns;
    filter->mispredictions |= adds->mispredictions;
    filter->cycles |= adds->cycles;
}

int vpmu_branch_filter_parse(struct vpmu_branch_filter *filter, const char *text, const char **why)
{
    struct vpmu_branch_filter parsed = {0};

    for (bool more = true; more;) {
        const struct word *word = find_word(text);

        if (!word) {
            return vpmu_refuse_("a branch filter has only the words " VPMU_BRANCH_FILTER_WORDS
                                ", with commas between them",
                                VPMU_ERR_ATTR, why);
        }
        add_word(&parsed, &word->adds);
        while (*text && *text != ',') {
            text++;
        }
        more = *text++;
    }
    if (!parsed.groups && !parsed.exceptions && !parsed.returns) {
        add_word(&parsed, &words[0].adds);
    }
    parsed.levels = parsed.levels ? parsed.levels : USER | KERNEL;
    *filter = parsed;
    return 0;
}
