/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PMUs of the host's cores. Different kinds of core have different PMUs. */
#include "kvm_glue/host_pmu.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define DEVICES "/sys/bus/event_source/devices"
#define MAX_LIST 4096

static bool parse_cpu(const char **text, unsigned *cpu)
{
    const char *at = *text;

    *cpu = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*cpu < KVM_GLUE_MAX_CPUS) {
            *cpu = *cpu * 10 + (unsigned)(*at - '0');
        }
    }
    if (at == *text) {
        return false;
    }
    *text = at;
    return true;
}

static int add_range(struct kvm_glue_cpus *cpus, const char **text)
{
    unsigned first;
    unsigned last;

    if (!parse_cpu(text, &first)) {
        return -EINVAL;
    }
    last = first;
    if (**text == '-') {
        *text += 1;
        if (!parse_cpu(text, &last) || last < first) {
            return -EINVAL;
        }
    }
    if (last >= KVM_GLUE_MAX_CPUS) {
        return -E2BIG;
    }
    for (unsigned cpu = first; cpu <= last; cpu++) {
        cpus->bits[cpu / 64] |= 1ull << cpu % 64;
    }
    return 0;
}

int kvm_glue_cpus_parse(const char *text, struct kvm_glue_cpus *cpus)
{
    memset(cpus, 0, sizeof(*cpus));
    if (*text == '\n' || *text == '\0') {
        return 0;
    }
    for (;;) {
        int ret = add_range(cpus, &text);

        if (ret < 0) {
            return ret;
        }
        if (*text != ',') {
            return *text == '\n' || *text == '\0' ? 0 : -EINVAL;
        }
        text++;
    }
}

static bool is_subset(const struct kvm_glue_cpus *of, const struct kvm_glue_cpus *cpus)
{
    for (size_t i = 0; i < KVM_GLUE_COUNT_OF(cpus->bits); i++) {
        if (cpus->bits[i] & ~of->bits[i]) {
            return false;
        }
    }
    return true;
}

/* The state of the search. */
struct search {
    const struct kvm_glue_os *os;
    struct kvm_glue_host_pmus *found;
    struct kvm_glue_error *err;
};

static int read_file(const struct search *search, const char *pmu, const char *file, char *buf)
{
    char path[sizeof(DEVICES) + 300];

    snprintf(path, sizeof(path), DEVICES "/%s/%s", pmu, file);
    return kvm_glue_read_text_(search->os, path, buf, MAX_LIST);
}

static int bad_file(const struct search *search, const char *pmu, const char *file)
{
    return kvm_glue_fail_(search->err, -EINVAL,
                          DEVICES "/%s/%s cannot be parsed; name the PMU's type by number", pmu,
                          file);
}

/* Parses a file that contains one int on a line. */
static bool parse_type(const char *text, int *type)
{
    char *end;
    long number = strtol(text, &end, 10);

    *type = (int)number;
    return end != text && (*end == '\n' || *end == '\0') && number >= 0 && number <= INT_MAX;
}

/* Called for each PMU. A PMU without "cpus" does not belong to a core. */
static int consider(void *arg, const char *name)
{
    struct search *search = arg;
    struct kvm_glue_host_pmus *found = search->found;
    struct kvm_glue_host_pmu *pmu = &found->pmu[found->count];
    char text[MAX_LIST];

    if (strlen(name) >= sizeof(pmu->name) || read_file(search, name, "cpus", text) < 0) {
        return 0;
    }
    if (found->count == KVM_GLUE_MAX_HOST_PMUS) {
        return kvm_glue_fail_(search->err, -E2BIG, "the host has more than %u kinds of core",
                              KVM_GLUE_MAX_HOST_PMUS);
    }
    /* A text that fills the buffer has been truncated. */
    if (strlen(text) == MAX_LIST - 1 || kvm_glue_cpus_parse(text, &pmu->cpus) < 0) {
        return bad_file(search, name, "cpus");
    }
    if (read_file(search, name, "type", text) < 0 || !parse_type(text, &pmu->type)) {
        return bad_file(search, name, "type");
    }
    strcpy(pmu->name, name);
    found->count++;
    return 0;
}

static int by_type(const void *a, const void *b)
{
    return ((const struct kvm_glue_host_pmu *)a)->type -
           ((const struct kvm_glue_host_pmu *)b)->type;
}

int kvm_glue_host_pmus_find(const struct kvm_glue_os *os, struct kvm_glue_host_pmus *found,
                            struct kvm_glue_error *err)
{
    struct kvm_glue_error why = {.error = 0};
    struct search search = {os, found, &why};
    int ret;

    memset(found, 0, sizeof(*found));
    ret = os->list(DEVICES, consider, &search);
    if (ret < 0 && why.error == 0) {
        return kvm_glue_fail_(err, ret, DEVICES " cannot be read: %s", strerror(-ret));
    }
    if (ret < 0) {
        return kvm_glue_fail_(err, ret, "%s", why.text);
    }
    qsort(found->pmu, found->count, sizeof(found->pmu[0]), by_type);
    return 0;
}

/* The names of all PMUs, for messages. */
static const char *names_of(const struct kvm_glue_host_pmus *pmus, char *buf, size_t len)
{
    size_t used = 0;

    snprintf(buf, len, "none");
    for (unsigned i = 0; i < pmus->count && used < len; i++) {
        used += (size_t)snprintf(buf + used, len - used, "%s%s (%d)", i == 0 ? "" : ", ",
                                 pmus->pmu[i].name, pmus->pmu[i].type);
    }
    return buf;
}

int kvm_glue_host_pmu_by_name(const struct kvm_glue_host_pmus *pmus, const char *name,
                              struct kvm_glue_error *err)
{
    char names[200];

    for (unsigned i = 0; i < pmus->count; i++) {
        char number[16];

        snprintf(number, sizeof(number), "%d", pmus->pmu[i].type);
        if (strcmp(name, pmus->pmu[i].name) == 0 || strcmp(name, number) == 0) {
            return pmus->pmu[i].type;
        }
    }
    return kvm_glue_fail_(err, -ENOENT, "the host's cores have no PMU '%.40s'; there are: %s", name,
                          names_of(pmus, names, sizeof(names)));
}

int kvm_glue_host_pmu_choose(const struct kvm_glue_host_pmus *pmus,
                             const struct kvm_glue_cpus *cpus, struct kvm_glue_error *err)
{
    char names[200];

    if (pmus->count == 0) {
        return kvm_glue_fail_(err, -ENOENT, "the host's cores have no PMU; give the guest none");
    }
    for (unsigned i = 0; i < pmus->count; i++) {
        if (is_subset(&pmus->pmu[i].cpus, cpus)) {
            return pmus->pmu[i].type;
        }
    }
    return kvm_glue_fail_(err, -EXDEV,
                          "the CPUs that the vCPUs may run on do not share a PMU; pin them to the "
                          "CPUs of one of: %s",
                          names_of(pmus, names, sizeof(names)));
}
