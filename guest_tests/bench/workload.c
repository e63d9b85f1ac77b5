/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload NAME SIZE [prepare]: work for the emulator. It prints two lines on the console, from
 * which the host takes the time; with "prepare" it ends before the first of them:
 *
 *     BENCH begin NAME
 *     BENCH end NAME RESULT
 *
 * After the first line it waits for a line on its standard input. Work that started before the host
 * has noticed the first line would seem shorter than it is. Preparation is not timed. RESULT
 * depends on everything that was computed and is the same on every machine.
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum {
    CRC_BYTES = 64 * 1024,
    LINE_BYTES = 64,
    CHASE_LINES = 2560,    /* 160 KiB: more than an L1 cache, less than an L2 cache or an L1 TLB */
    MEMORY_LINES = 262144, /* 16 MiB: more than a last-level cache of 2 MiB, or an L2 TLB */
    MEMORY_PART = MEMORY_LINES / 8,
    SORT_MAX = 1000000,
    MATRIX_ROWS =
        80, /* of 2 KiB: all pages of a column fit into an L1 TLB, its lines not into L1 */
    MATRIX_STRIDE = 256,
    WARM_FORKS = 10
};

struct workload {
    const char *name;
    void (*prepare)(unsigned long size);
    uint64_t (*work)(unsigned long size);
};

/* A cache line that holds the index of the next one. */
struct line {
    struct line *next;
    char rest[LINE_BYTES - sizeof(struct line *)];
};

static unsigned char bytes[CRC_BYTES];
static struct line lines[MEMORY_LINES] __attribute__((aligned(4096)));
static int numbers[SORT_MAX];
static double left[MATRIX_ROWS][MATRIX_STRIDE] __attribute__((aligned(4096)));
static double right[MATRIX_ROWS][MATRIX_STRIDE] __attribute__((aligned(4096)));
static double product[MATRIX_ROWS][MATRIX_STRIDE] __attribute__((aligned(4096)));
static uint32_t random_state;

/* xorshift32 */
static uint32_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static void prepare_crc(unsigned long size)
{
    (void)size;
    for (size_t i = 0; i < CRC_BYTES; i++) {
        bytes[i] = (unsigned char)random_next();
    }
}

/* Computes CRC-32 bit by bit over SIZE buffers: shifts and exclusive ors, one load for 8 bits. */
static uint64_t work_crc(unsigned long size)
{
    uint32_t crc = ~0u;

    for (unsigned long n = 0; n < size; n++) {
        for (size_t i = 0; i < CRC_BYTES; i++) {
            crc ^= bytes[i];
            for (int bit = 0; bit < 8; bit++) {
                crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
            }
        }
    }
    return ~crc;
}

static void prepare_nothing(unsigned long size)
{
    (void)size;
}

/* Makes SIZE system calls that do next to nothing. */
static uint64_t work_syscalls(unsigned long size)
{
    uint64_t sum = 0;

    for (unsigned long n = 0; n < size; n++) {
        sum += syscall(SYS_getppid) > 0;
    }
    return sum;
}

/* Sattolo's shuffle makes one cycle of the first lines. */
static void make_cycle(uint32_t count)
{
    static uint32_t order[MEMORY_LINES];

    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t j = random_next() % i;
        uint32_t t = order[i];

        order[i] = order[j];
        order[j] = t;
    }
    for (uint32_t i = 0; i < count; i++) {
        lines[order[i]].next = &lines[order[(i + 1) % count]];
    }
}

/* Follows the cycle. Each load needs the result of the one before. */
static uint64_t follow(unsigned long loads)
{
    struct line *line = lines;

    for (unsigned long n = 0; n < loads; n++) {
        line = line->next;
    }
    return (uint64_t)(line - lines) + (uint64_t)lines[0].rest[0];
}

static void prepare_chase(unsigned long size)
{
    (void)size;
    make_cycle(CHASE_LINES);
}

/* Follows the cycle SIZE times. */
static uint64_t work_chase(unsigned long size)
{
    return follow(size * CHASE_LINES);
}

static void prepare_memory(unsigned long size)
{
    (void)size;
    make_cycle(MEMORY_LINES);
}

/* Follows a cycle of lines that no cache and no TLB has any more, SIZE eighths of it. */
static uint64_t work_memory(unsigned long size)
{
    return follow(size * MEMORY_PART);
}

static void limit(const char *name, unsigned long size, unsigned long most)
{
    if (size > most) {
        fprintf(stderr, "%s: at most %lu\n", name, most);
        exit(2);
    }
}

static void prepare_sort(unsigned long size)
{
    limit("sort", size, SORT_MAX);
    for (unsigned long i = 0; i < size; i++) {
        numbers[i] = (int)random_next();
    }
}

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a;
    int y = *(const int *)b;

    return (x > y) - (x < y);
}

/* Sorts SIZE random numbers with the C library's qsort(). */
static uint64_t work_sort(unsigned long size)
{
    qsort(numbers, size, sizeof(numbers[0]), compare);
    return (uint32_t)numbers[size / 2];
}

/* Small functions that are called through a table, selected by the random numbers. */
static uint64_t add_it(uint64_t sum, uint64_t n)
{
    return sum + n;
}

static uint64_t turn_it(uint64_t sum, uint64_t n)
{
    return sum << 1 ^ sum >> 63 ^ n;
}

static uint64_t halve_it(uint64_t sum, uint64_t n)
{
    return n & 1 ? add_it(sum >> 1, n) : sum ^ n;
}

static uint64_t descend(uint64_t sum, uint64_t n)
{
    return n > 0 ? descend(turn_it(sum, n), n >> 2) + 1 : sum;
}

static uint64_t (*const steps[])(uint64_t, uint64_t) = {add_it, turn_it, halve_it, descend};

/* Makes SIZE calls. */
static uint64_t work_calls(unsigned long size)
{
    uint64_t sum = 0;

    for (unsigned long n = 0; n < size; n++) {
        sum = steps[bytes[n % CRC_BYTES] % 4](sum, n & 0xff);
    }
    return sum;
}

/* A number up to 1000 that has a fraction, as measured data has: most results are rounded. */
static double random_fraction(void)
{
    return random_next() / (double)UINT32_MAX * 1000;
}

static void prepare_matrix(unsigned long size)
{
    (void)size;
    for (unsigned long i = 0; i < MATRIX_ROWS; i++) {
        for (unsigned long j = 0; j < MATRIX_ROWS; j++) {
            left[i][j] = random_fraction();
            right[i][j] = random_fraction();
        }
    }
}

/* Multiplies two matrices of doubles, by columns of the second one. */
static uint64_t multiply(void)
{
    uint64_t sum = 0;

    for (unsigned long i = 0; i < MATRIX_ROWS; i++) {
        for (unsigned long j = 0; j < MATRIX_ROWS; j++) {
            double total = 0;

            for (unsigned long k = 0; k < MATRIX_ROWS; k++) {
                total += left[i][k] * right[k][j];
            }
            product[i][j] = total;
            sum += (uint64_t)total;
        }
    }
    return sum;
}

/* Does that SIZE times, with one other number each time. */
static uint64_t work_matrix(unsigned long size)
{
    uint64_t sum = 0;

    for (unsigned long n = 0; n < size; n++) {
        left[n % MATRIX_ROWS][0] += 0.5;
        sum += multiply();
    }
    return sum;
}

#ifdef __x86_64__
#define ADD_ONE "add $1, %0\n"
#else
#define ADD_ONE "add %0, %0, #1\n"
#endif

/* Makes SIZE turns of a loop of 80 bytes and more, that is in two cache lines, without data. */
static uint64_t work_lines(unsigned long size)
{
    uint64_t sum = 0;

    for (unsigned long n = 0; n < size; n++) {
        __asm__ volatile(".rept 20\n" ADD_ONE ".endr" : "+r"(sum));
    }
    return sum;
}

/* Starts SIZE processes, each of which runs a program that ends at once. */
static uint64_t work_forks(unsigned long size)
{
    char *const argv[] = {"workload", "nothing", NULL};
    uint64_t sum = 0;

    for (unsigned long n = 0; n < size; n++) {
        int status = -1;
        pid_t pid;

        if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, NULL) != 0 ||
            waitpid(pid, &status, 0) != pid || status != 0) {
            exit(1);
        }
        sum++;
    }
    return sum;
}

/* Their translation by QEMU is not part of the timed work. */
static void prepare_forks(unsigned long size)
{
    (void)size;
    work_forks(WARM_FORKS);
}

static const struct workload workloads[] = {
    {"crc", prepare_crc, work_crc},          {"syscalls", prepare_nothing, work_syscalls},
    {"chase", prepare_chase, work_chase},    {"sort", prepare_sort, work_sort},
    {"calls", prepare_crc, work_calls},      {"forks", prepare_forks, work_forks},
    {"lines", prepare_nothing, work_lines},  {"matrix", prepare_matrix, work_matrix},
    {"memory", prepare_memory, work_memory},
};

/* Writes the line in one piece, before this returns. */
static void say(const char *line)
{
    if (write(STDOUT_FILENO, line, strlen(line)) < 0) {
        exit(1);
    }
    tcdrain(STDOUT_FILENO);
}

static void wait_for_line(void)
{
    char c = 0;

    while (c != '\n' && read(0, &c, 1) == 1) {
    }
}

static void run(const struct workload *w, unsigned long size, bool prepare_only)
{
    char line[80];
    uint64_t result;

    random_state = 1;
    w->prepare(size);
    if (prepare_only) {
        return;
    }
    snprintf(line, sizeof(line), "BENCH begin %s\n", w->name);
    say(line);
    wait_for_line();
    result = w->work(size);
    snprintf(line, sizeof(line), "BENCH end %s %llx\n", w->name, (unsigned long long)result);
    say(line);
}

int main(int argc, char **argv)
{
    bool prepare_only = argc == 4 && strcmp(argv[3], "prepare") == 0;
    bool known = argc == 3 || prepare_only;

    for (size_t i = 0; known && i < sizeof(workloads) / sizeof(workloads[0]); i++) {
        if (strcmp(argv[1], workloads[i].name) == 0) {
            run(&workloads[i], strtoul(argv[2], NULL, 0), prepare_only);
            return 0;
        }
    }
    if (argc == 2 && strcmp(argv[1], "nothing") == 0) {
        return 0;
    }
    fprintf(
        stderr,
        "usage: workload crc|syscalls|chase|memory|sort|calls|forks|lines|matrix SIZE [prepare]\n");
    return 2;
}
