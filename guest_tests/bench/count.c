/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count EVENT[,EVENT...] PROGRAM [ARGUMENT...]
 *
 * Runs a program while the CPU's PMU counts events in user and kernel mode. Events are given by
 * their architectural numbers. NUMBER:CONFIG1 has a threshold, encoded as in Linux's config1.
 * NUMBER@HZ and NUMBER%PERIOD are sampled into a buffer that nobody reads; NUMBER@HZu are sampled
 * in user mode only, and so is NUMBERu, which is counted. NUMBER@HZb are sampled with branch
 * records. "mem" is what perf mem record samples: on x86, with PEBS, loads above 30 cycles, 4000 a
 * second; on Arm, with SPE, one of 4096 operations, if it is a load or store above 30 cycles. It
 * does what perf stat or record do, but no more than needed. At the end it prints for each event
 *
 *     BENCH counted EVENT COUNT PERCENT
 *
 * where PERCENT says for how much of the time the event was counted: less than 100 if it was
 * multiplexed. COUNT is the number of records for SPE, whose event counts nothing. For an event
 * that is sampled in user mode only it also prints
 *
 *     BENCH sampled EVENT SAMPLES USER ADDRESS SAME
 *
 * SAMPLES is the number of samples in the buffer, the first ones. USER is how many of them have a
 * user address. ADDRESS is the address of the first other one, and SAME the number of samples with
 * that address.
 *
 *     BENCH unsupported EVENT
 *
 * is printed instead if the PMU does not announce the event. The program is not run then, because
 * Linux would accept the event and count nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
#define PMU "/sys/bus/event_source/devices/cpu"
#define MEMORY_PMU PMU
#define HAS_SPE false
#else
#define PMU "/sys/bus/event_source/devices/armv8_pmuv3*"
#define MEMORY_PMU "/sys/bus/event_source/devices/arm_spe_0"
#define HAS_SPE true
#endif

enum {
    MAX_EVENTS = 32,
    BUFFER_PAGES = 16,
    AUX_BYTES = 1 << 22,
    SPE_RECORD_BYTES = 64,
    MEMORY_CYCLES = 30,
    MEMORY_HZ = 4000,
    MEMORY_OPERATIONS = 4096,
    MEM_LOADS = 0x1cd
};

/* Of the event arm_spe_0: ts_enable, pa_enable, load_filter and store_filter. */
#define SPE_CONFIG (1ull << 0 | 1ull << 1 | 1ull << 33 | 1ull << 34)

struct event {
    char name[24];
    unsigned long number;
    unsigned long config1;
    unsigned long frequency; /* of samples, or */
    unsigned long period;    /* events for each sample, or neither */
    bool user;
    bool branches;
    bool memory;
    int fd;
    void *buffer; /* of samples */
};

/* What read() returns with the read_format below. */
struct reading {
    uint64_t value;
    uint64_t enabled;
    uint64_t running;
};

static void die(const char *what)
{
    fprintf(stderr, "count: %s: %s\n", what, errno ? strerror(errno) : "not as expected");
    exit(1);
}

/* Returns whether the first line of the file has the number after the text. */
static bool file_says(const char *path, const char *format, unsigned long *number)
{
    FILE *file = fopen(path, "re");
    bool found;

    if (file == NULL) {
        return false;
    }
    found = fscanf(file, format, number) == 1;
    fclose(file);
    return found;
}

/* Returns the type of the PMU with this path, or 0. */
static unsigned long pmu_type(const char *path)
{
    unsigned long type = 0;
    glob_t found;

    if (glob(path, 0, NULL, &found) == 0) {
        file_says(found.gl_pathv[0], "%lu", &type);
        globfree(&found);
    }
    return type;
}

/*
 * Linux lists the events that PMCEID announces. On x86 it lists a few names, whatever else exists.
 */
static bool is_announced(unsigned long event)
{
#ifdef __x86_64__
    bool announced = true;
#else
    bool announced = false;
#endif
    glob_t found;

    if (glob(PMU "/events/*", 0, NULL, &found) != 0) {
        return false;
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        unsigned long number;

        announced |= file_says(found.gl_pathv[i], "event=%lx", &number) && number == event;
    }
    globfree(&found);
    return announced;
}

static void parse_event(char *word, struct event *event)
{
    event->memory = strcmp(word, "mem") == 0;
    if (event->memory) {
        snprintf(event->name, sizeof(event->name), "mem");
        event->number = MEM_LOADS;
        event->config1 = MEMORY_CYCLES;
        event->frequency = HAS_SPE ? 0 : MEMORY_HZ;
        event->period = HAS_SPE ? MEMORY_OPERATIONS : 0;
        return;
    }
    event->number = strtoul(word, &word, 0);
    snprintf(event->name, sizeof(event->name), "0x%02lx", event->number);
    event->config1 = *word == ':' ? strtoul(word + 1, NULL, 0) : 0;
    event->frequency = *word == '@' ? strtoul(word + 1, &word, 0) : 0;
    event->period = *word == '%' ? strtoul(word + 1, NULL, 0) : 0;
    event->user = *word == 'u';
    event->branches = *word == 'b';
}

static size_t parse(char *list, struct event events[MAX_EVENTS])
{
    size_t n = 0;

    for (char *word = strtok(list, ","); word != NULL; word = strtok(NULL, ",")) {
        if (n == MAX_EVENTS) {
            die("too many events");
        }
        parse_event(word, &events[n++]);
    }
    return n;
}

static bool all_announced(const struct event *events, size_t n)
{
    bool all = true;

    for (size_t i = 0; i < n; i++) {
        if (events[i].memory ? !pmu_type(MEMORY_PMU "/type") : !is_announced(events[i].number)) {
            printf("BENCH unsupported %s\n", events[i].name);
            all = false;
        }
    }
    return all;
}

static bool has_aux(const struct event *event)
{
    return event->memory && HAS_SPE;
}

static bool is_sampled(const struct event *event)
{
    return event->frequency != 0 || event->period != 0;
}

/* As perf record opens it. An inherited event cannot have a buffer. */
static void sample(const struct event *event, struct perf_event_attr *attr)
{
    attr->inherit = 0;
    attr->freq = event->frequency != 0;
    attr->sample_period = event->frequency != 0 ? event->frequency : event->period;
    attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
    if (event->branches) {
        attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
        attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
    }
    if (event->memory) {
        attr->sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
        attr->precise_ip = HAS_SPE ? 0 : 2;
    }
}

/*
 * If the buffer is mapped writable, samples are lost when it is full; otherwise the oldest are
 * overwritten.
 */
static void *map_buffer(const struct event *event)
{
    void *buffer = mmap(NULL, (1 + BUFFER_PAGES) * (size_t)getpagesize(),
                        event->user || has_aux(event) ? PROT_READ | PROT_WRITE : PROT_READ,
                        MAP_SHARED, event->fd, 0);

    if (buffer == MAP_FAILED) {
        die("mapping the buffer of samples");
    }
    return buffer;
}

/* SPE writes its records into a buffer of its own. What does not fit is lost. */
static void map_aux(const struct event *event)
{
    struct perf_event_mmap_page *control = event->buffer;

    control->aux_offset = (1 + BUFFER_PAGES) * (size_t)getpagesize();
    control->aux_size = AUX_BYTES;
    if (mmap(NULL, AUX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, event->fd,
             (off_t)control->aux_offset) == MAP_FAILED) {
        die("mapping the buffer of SPE");
    }
}

static void open_event(struct event *event, unsigned long type, pid_t pid)
{
    struct perf_event_attr attr = {
        .size = sizeof(attr),
        .type = (uint32_t)type,
        .config = event->number,
        .config1 = event->config1,
        .disabled = 1,
        .enable_on_exec = 1,
        .inherit = 1,
        .exclude_hv = 1,
        .exclude_kernel = event->user,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };

    if (is_sampled(event)) {
        sample(event, &attr);
    }
    if (has_aux(event)) {
        attr.type = (uint32_t)pmu_type(MEMORY_PMU "/type");
        attr.config = SPE_CONFIG;
        attr.config1 = 0;
        attr.config2 = MEMORY_CYCLES;
    }
    event->fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (event->fd < 0) {
        die("perf_event_open");
    }
    if (is_sampled(event)) {
        event->buffer = map_buffer(event);
    }
    if (has_aux(event)) {
        map_aux(event);
    }
}

/* Nothing was ever taken out of the buffer, so its first record is at its beginning. */
static void report_samples(const struct event *event)
{
    const struct perf_event_mmap_page *control = event->buffer;
    const char *data = (const char *)event->buffer + getpagesize();
    unsigned long samples = 0, user = 0, same = 0;
    struct perf_event_header header;
    uint64_t ip, first = 0;

    for (uint64_t at = 0; at < control->data_head; at += header.size) {
        memcpy(&header, data + at, sizeof(header));
        if (header.type == PERF_RECORD_SAMPLE) {
            memcpy(&ip, data + at + sizeof(header), sizeof(ip));
            samples++;
            if (ip != 0 && ip >> 63 == 0) {
                user++;
            } else if (ip != 0) {
                first = first ? first : ip;
                same += ip == first;
            }
        }
    }
    printf("BENCH sampled %s %lu %lu %llx %lu\n", event->name, samples, user,
           (unsigned long long)first, same);
}

static void report(const struct event *event)
{
    struct reading r;

    if (read(event->fd, &r, sizeof(r)) != sizeof(r)) {
        die("reading an event");
    }
    if (has_aux(event)) {
        r.value = ((const struct perf_event_mmap_page *)event->buffer)->aux_head / SPE_RECORD_BYTES;
    }
    printf("BENCH counted %s %llu %llu\n", event->name, (unsigned long long)r.value,
           (unsigned long long)(r.enabled != 0 ? r.running * 100 / r.enabled : 0));
    if (event->user && is_sampled(event)) {
        report_samples(event);
    }
}

/* The child waits until its events exist. */
static pid_t start(char **argv, int *go)
{
    int pipe_fds[2];
    char byte;
    pid_t pid;

    if (pipe(pipe_fds) != 0) {
        die("pipe");
    }
    pid = fork();
    if (pid < 0) {
        die("fork");
    }
    if (pid == 0) {
        close(pipe_fds[1]);
        if (read(pipe_fds[0], &byte, 1) == 1) {
            close(pipe_fds[0]);
            execv(argv[0], argv);
            perror(argv[0]);
        }
        _exit(127);
    }
    close(pipe_fds[0]);
    *go = pipe_fds[1];
    return pid;
}

int main(int argc, char **argv)
{
    struct event events[MAX_EVENTS] = {0};
    int go;
    int status;
    size_t n;
    pid_t pid;
    unsigned long type;

    if (argc < 3) {
        fprintf(stderr, "usage: count mem|EVENT[u|:CONFIG1|@HZ[u|b]|%%PERIOD][,...] PROGRAM "
                        "[ARGUMENT...]\n");
        return 2;
    }
    n = parse(argv[1], events);
    if (!all_announced(events, n)) {
        return 0;
    }
    type = pmu_type(PMU "/type");
    if (type == 0) {
        die(PMU "/type");
    }
    pid = start(argv + 2, &go);
    for (size_t i = 0; i < n; i++) {
        open_event(&events[i], type, pid);
    }
    if (write(go, "", 1) != 1 || waitpid(pid, &status, 0) != pid) {
        die("running the program");
    }
    for (size_t i = 0; i < n; i++) {
        report(&events[i]);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
