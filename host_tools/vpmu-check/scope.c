/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose events are counted: user and kernel, threads and children, host and guest. */
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "guest.h"

static int open_instructions(struct finding *f, unsigned flags, int group)
{
    struct perf_event_attr attr =
        counter_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, flags);
    int fd = counter_open(&attr, group);

    if (fd < 0) {
        finding_refused(f, -fd);
    }
    return fd;
}

/* Counters of one group count at the same moments, but for the kernel's way between them. */
static void judge_sum(struct finding *f, const struct check *check, const int fds[3])
{
    uint64_t all, user, kernel, sum, known = 4 * (uint64_t)check->turns;

    counter_group(fds[0], true);
    loops[LOOP_SYSCALL].run(check->turns, NULL);
    counter_group(fds[0], false);
    all = counter_read(fds[0]).value;
    user = counter_read(fds[1]).value;
    kernel = counter_read(fds[2]).value;
    sum = user + kernel;
    finding_count(f, all, sum);
    if (finding_is_busy(f, counter_read(fds[0]))) {
        return;
    }
    if (all == 0 || kernel == 0) {
        finding_is(f, ZERO, "user %llu, kernel %llu", (unsigned long long)user,
                   (unsigned long long)kernel);
    } else if (all > sum + sum / 100 || sum > all + all / 100 || user < known) {
        finding_is(f, OFF, "user %llu, kernel %llu", (unsigned long long)user,
                   (unsigned long long)kernel);
    } else {
        finding_is(f, all == sum ? EXACT : IN_RANGE, "user and kernel; %.0f for a system call",
                   (double)kernel / (double)check->turns);
    }
}

static void check_sum(const struct check *check)
{
    struct finding *f = finding_add("kernel", "instructions = :u + :k");
    const unsigned flags[3] = {COUNT_KERNEL, 0, COUNT_KERNEL_ONLY};
    int fds[3];
    unsigned opened;

    for (opened = 0; opened < 3; opened++) {
        fds[opened] = open_instructions(f, flags[opened], opened == 0 ? -1 : fds[0]);
        if (fds[opened] < 0) {
            break;
        }
    }
    if (opened == 3) {
        judge_sum(f, check, fds);
    }
    while (opened > 0) {
        close(fds[--opened]);
    }
}

/* The user's part of system calls is known; the kernel must not leak into it. */
static void check_user_part(const struct check *check)
{
    struct finding *f = finding_add("kernel", "instructions:u of system calls");
    int fd = open_instructions(f, 0, -1);
    uint64_t once, twice, known = 4 * (uint64_t)check->turns;
    struct reading r;

    if (fd < 0) {
        return;
    }
    once = counter_loop(fd, &loops[LOOP_SYSCALL], check->turns, NULL).value;
    twice = counter_loop(fd, &loops[LOOP_SYSCALL], 2 * check->turns, NULL).value;
    r = counter_read(fd);
    close(fd);
    finding_count(f, twice - once, known);
    if (finding_is_busy(f, r)) {
        return;
    }
    if (twice == 0) {
        finding_is(f, ZERO, "%s", "");
    } else if (twice - once == known) {
        finding_is(f, EXACT, "%s", "");
    } else {
        /* Some CPUs count the entry or the return, too. */
        finding_is(f, twice - once - known <= known / 2 ? INTERRUPTS : OFF,
                   "the way into the kernel and back may count");
    }
}

void check_kernel(const struct check *check)
{
    check_user_part(check);
    check_sum(check);
}

/**
 * struct work - what a thread or a child does
 * @thread: the kernel's number of it; 0 if there is none.
 */
struct work {
    const struct check *check;
    unsigned long turns;
    long thread;
};

static void *run_loop(void *opaque)
{
    struct work *work = opaque;

    work->thread = syscall(SYS_gettid);
    loops[LOOP_ADD].run(work->turns, work->check->arena.lines);
    return NULL;
}

static void in_thread(struct work *work)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, run_loop, work) == 0) {
        pthread_join(thread, NULL);
    }
}

/*
 * pthread_join() returns before the kernel has added the thread's counts to those of its parent
 * (do_exit() calls exit_mm() first). While it adds them, Linux before 5.13 shows them twice
 * (perf_event_exit_event()). A thread that no signal reaches has left that behind.
 */
static void wait_gone(long thread)
{
    while (thread != 0 && syscall(SYS_tgkill, getpid(), thread, 0) == 0) {
        sched_yield();
    }
}

static void in_child(struct work *work)
{
    pid_t child = fork();

    if (child == 0) {
        run_loop(work);
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
}

static uint64_t count_task(int fd, const struct check *check, unsigned long turns,
                           void (*run)(struct work *work))
{
    struct work work = {check, turns, 0};
    uint64_t before = counter_read(fd).value;

    counter_start(fd);
    run(&work);
    counter_stop(fd);
    wait_gone(work.thread);
    return counter_read(fd).value - before;
}

/*
 * What creates a thread executes different numbers of instructions, but few against those of its
 * loop.
 */
static void check_task(const struct check *check, const char *name, void (*run)(struct work *work))
{
    struct finding *f = finding_add("tasks", name);
    int fd = open_instructions(f, COUNT_CHILDREN, -1);
    uint64_t once, twice, got, known = 10 * (uint64_t)check->turns;
    struct reading r;

    if (fd < 0) {
        return;
    }
    count_task(fd, check, check->turns, run);
    once = count_task(fd, check, check->turns, run);
    twice = count_task(fd, check, 2 * check->turns, run);
    r = counter_read(fd);
    close(fd);
    got = twice - once;
    finding_count(f, got, known);
    if (finding_is_busy(f, r)) {
        return;
    }
    if (twice == 0) {
        finding_is(f, ZERO, "%s", "");
    } else if (got == known) {
        finding_is(f, EXACT, "%s", "");
    } else if (got < known + known / 50 && got > known - known / 50) {
        finding_is(f, IN_RANGE, "its creation differs by %lld", (long long)got - (long long)known);
    } else {
        finding_is(f, OFF, "%s", "");
    }
}

void check_tasks(const struct check *check)
{
    check_task(check, "instructions:u of a thread", in_thread);
    check_task(check, "instructions:u of a child", in_child);
}

/* While this program runs no guest, all that it does is the host's. */
static void check_host(const struct check *check)
{
    struct finding *f = finding_add("scope", "instructions:uG");
    int fd = open_instructions(f, COUNT_NO_HOST, -1);
    struct reading r;

    if (fd >= 0) {
        r = counter_loop(fd, &loops[LOOP_ADD], check->turns, check->arena.lines);
        close(fd);
        finding_count(f, r.value, 0);
        if (!kernels_have_guests && r.value != 0) {
            finding_is(f, COUNTS, "the kernel ignores exclude_host");
        } else {
            finding_is(f, r.value == 0 ? EXACT : OFF, "exclude_host, without a guest");
        }
        finding_is_busy(f, r);
    }
    f = finding_add("scope", "instructions:uH");
    fd = open_instructions(f, COUNT_NO_GUEST, -1);
    if (fd >= 0) {
        check_known(f, fd, check, Q_INSTRUCTIONS, Q_NONE);
        finding_is_busy(f, counter_read(fd));
        close(fd);
    }
}

static bool count_guest(int fd, struct guest *guest, unsigned long turns, uint64_t *counted)
{
    uint64_t before = counter_read(fd).value;
    bool ran;

    counter_start(fd);
    ran = guest_run(guest, turns);
    counter_stop(fd);
    *counted = counter_read(fd).value - before;
    return ran;
}

/* The guest's kernel is all that it has. @per_turn: what is counted of a turn. */
static void check_guest(const struct check *check, struct guest *guest, const char *name,
                        unsigned flags, unsigned per_turn)
{
    struct finding *f = finding_add("scope", name);
    int fd = open_instructions(f, flags, -1);
    uint64_t once = 0, twice = 0, known = (uint64_t)per_turn * check->turns;
    struct reading r;
    bool ran;

    if (fd < 0) {
        return;
    }
    ran = count_guest(fd, guest, check->turns, &once) &&
          count_guest(fd, guest, check->turns, &once) &&
          count_guest(fd, guest, 2 * check->turns, &twice);
    r = counter_read(fd);
    close(fd);
    if (!ran) {
        finding_is(f, ABSENT, "the guest does not end its loop");
        return;
    }
    finding_count(f, twice - once, known);
    if (finding_is_busy(f, r)) {
        return;
    }
    if (twice == 0) {
        finding_is(f, ZERO, "%s", "");
    } else if (twice - once == known) {
        finding_is(f, EXACT, "%u of each turn of a guest of KVM", per_turn);
    } else {
        finding_is(f, known_but_for_interrupts(twice - once, known, r.enabled) ? INTERRUPTS : OFF,
                   "%u of each turn of a guest of KVM", per_turn);
    }
}

void check_scope(const struct check *check)
{
    struct guest guest;

    check_host(check);
    if (!kernels_have_guests || access("/dev/kvm", R_OK | W_OK) != 0) {
        return;
    }
    if (!guest_make(&guest)) {
        finding_is(finding_add("scope", "a guest of KVM"), ABSENT, "it cannot be made");
    } else {
        check_guest(check, &guest, "instructions:G of a guest", COUNT_KERNEL | COUNT_NO_HOST,
                    GUEST_PER_TURN);
        check_guest(check, &guest, "instructions:uH, a guest runs", COUNT_NO_GUEST, 0);
        guest_end(&guest);
    }
}
