/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of the running kernel, called through kvm_glue_os_linux. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../src/internal.h"
#include "fixture.h"
#include "kvm_glue/host_pmu.h"
#include "kvm_glue/meter.h"

static const struct kvm_glue_os *const os = &kvm_glue_os_linux;

START_TEST(files)
{
    char buf[64] = "";
    int fd = os->open("/proc/self/comm");

    ck_assert(fd >= 0);
    ck_assert(os->pread(fd, buf, sizeof(buf), 0) > 0);
    ck_assert(os->read(fd, buf, sizeof(buf)) > 0);
    expect("close", 0, os->close(fd));
    expect("closed", -EBADF, os->close(fd));
    expect("closed", -EBADF, os->read(fd, buf, 1));
    expect("closed", -EBADF, os->pread(fd, buf, 1, 0));
    expect("absent", -ENOENT, os->open("/nonexistent"));
    expect("no device", -ENOTTY,
           os->ioctl(STDIN_FILENO, KVM_GET_API_VERSION, NULL) < 0 ? -ENOTTY : 0);
    ck_assert(os->map_page(-1) == NULL);
    fake_file("/f", "abcdef");
    expect("text", 0, kvm_glue_read_text_(&fake_os, "/f", buf, 4));
    ck_assert_str_eq(buf, "abc");
}
END_TEST

static int count_name(void *arg, const char *name)
{
    ck_assert(name[0] != '.');
    *(unsigned *)arg += 1;
    return 0;
}

static int stop_at_once(void *arg, const char *name)
{
    (void)arg;
    (void)name;
    return -E2BIG;
}

START_TEST(lists)
{
    unsigned names = 0;

    expect("list", 0, os->list("/proc/self", count_name, &names));
    ck_assert(names > 10);
    expect("stopped", -E2BIG, os->list("/proc/self", stop_at_once, &names));
    expect("absent", -ENOENT, os->list("/nonexistent", count_name, &names));
}
END_TEST

START_TEST(monotonic)
{
    struct timespec now;
    uint64_t before = os->clock();

    clock_gettime(CLOCK_MONOTONIC, &now);
    ck_assert_msg(before / 1000000000u - (uint64_t)now.tv_sec + 1 <= 1,
                  "expected seconds since boot");
    usleep(2000);
    ck_assert_msg(os->clock() - before >= 2000000, "expected 2 ms or more");
}
END_TEST

/* Finding PMUs works, whatever PMUs the machine has. */
START_TEST(host_pmus)
{
    struct kvm_glue_host_pmus pmus;
    struct kvm_glue_error err;

    if (kvm_glue_host_pmus_find(os, &pmus, &err) < 0) {
        skip("os_linux.host_pmus", err.text);
    }
}
END_TEST

/* The page of a software event can be mapped. It names no counter. */
START_TEST(page)
{
    const struct kvm_glue_event event = {
        PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, {.exclude_kernel = true}};
    struct kvm_glue_group g;
    struct kvm_glue_error err;
    struct perf_event_mmap_page *mapped;

    if (kvm_glue_group_open(&g, os, &event, 1, 0, &err) < 0) {
        skip("os_linux.page", err.text);
        return;
    }
    mapped = os->map_page(g.fd[0]);
    ck_assert(mapped != NULL);
    expect("no counter", 0, mapped->index);
    os->unmap_page(mapped);
    kvm_glue_group_close(&g);
}
END_TEST

/* The position of the ring behind its page. A file takes the place of the event. */
START_TEST(ring)
{
    const size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
    const size_t all = size + (size_t)sysconf(_SC_PAGESIZE);
    FILE *file = tmpfile();
    struct perf_event_mmap_page *mapped = NULL;
    const void *data = NULL;

    ck_assert(file != NULL);
    expect("size", 0, ftruncate(fileno(file), (off_t)all));
    expect("map", 0, os->map_ring(fileno(file), size, &mapped, &data));
    expect("behind the page", sysconf(_SC_PAGESIZE), (const char *)data - (const char *)mapped);
    mapped->data_tail = 1;
    expect("all of it", 0, ((const char *)data)[size - 1]);
    os->unmap_ring(mapped, size);
    fclose(file);
    expect("no file", -EBADF, os->map_ring(-1, size, &mapped, &data));
}
END_TEST

/* A machine with one vCPU, whose guest runs @code. */
struct machine {
    int kvm;
    int vm;
    int vcpu;
    struct kvm_run *run;
    uint8_t *memory;
};

#ifdef __x86_64__
static int set_registers(struct machine *m)
{
    struct kvm_sregs sregs;
    struct kvm_regs regs = {.rip = 0x1000, .rflags = 2};
    /* loop: out %al, $0x10; jmp loop */
    static const uint8_t code[] = {0xe6, 0x10, 0xeb, 0xfc};

    memcpy(m->memory, code, sizeof(code));
    if (ioctl(m->vcpu, KVM_GET_SREGS, &sregs) < 0) {
        return -1;
    }
    sregs.cs.base = 0;
    sregs.cs.selector = 0;
    return ioctl(m->vcpu, KVM_SET_SREGS, &sregs) < 0 ? -1 : ioctl(m->vcpu, KVM_SET_REGS, &regs);
}
#else
static int set_registers(struct machine *m)
{
    (void)m;
    return -1;
}
#endif

static const char *make_machine(struct machine *m)
{
    struct kvm_userspace_memory_region region = {0, 0, 0x1000, 0x1000, 0};
    int size;

    m->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
    if (m->kvm < 0) {
        return "/dev/kvm cannot be opened";
    }
    m->vm = ioctl(m->kvm, KVM_CREATE_VM, 0);
    m->vcpu = m->vm < 0 ? -1 : ioctl(m->vm, KVM_CREATE_VCPU, 0);
    size = ioctl(m->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
    if (m->vcpu < 0 || size < 0) {
        return "/dev/kvm makes no vCPU";
    }
    m->run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, m->vcpu, 0);
    m->memory = mmap(NULL, 0x1000, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    region.userspace_addr = (uint64_t)(uintptr_t)m->memory;
    if (ioctl(m->vm, KVM_SET_USER_MEMORY_REGION, &region) < 0 || set_registers(m) < 0) {
        return "this test's guest is for x86-64 hosts";
    }
    return NULL;
}

static void count_report(void *opaque, enum kvm_glue_topic topic, const char *sentence)
{
    (void)sentence;
    *(unsigned *)opaque |= 1u << topic;
}

/* A real guest that only exits: 100 exits with one reason, all measured. */
START_TEST(real_kvm)
{
    static struct kvm_glue_meter meter;
    unsigned topics = 0;
    struct kvm_glue_reporter reporter = {count_report, &topics, 0};
    struct kvm_glue_meter_options options = {KVM_GLUE_MODE_UNKNOWN, PERF_TYPE_HARDWARE,
                                             PERF_COUNT_HW_CPU_CYCLES, true, &reporter};
    struct machine m;
    const char *absent = make_machine(&m);
    struct kvm_glue_exits e;

    if (absent != NULL) {
        skip("os_linux.real_kvm", absent);
        return;
    }
    options.mode = kvm_glue_mode_hint(os, m.kvm);
    kvm_glue_meter_init(&meter, os, &options);
    kvm_glue_meter_switch(&meter, true);
    for (unsigned i = 0; i < 100; i++) {
        int ret;

        kvm_glue_meter_enter(&meter);
        ret = ioctl(m.vcpu, KVM_RUN, 0);
        kvm_glue_meter_exit(&meter, ret < 0 ? -errno : 0, m.run->exit_reason);
        expect("run", 0, ret);
        expect("reason", KVM_EXIT_IO, m.run->exit_reason);
    }
    expect("get", 0, kvm_glue_meter_get(&meter, KVM_EXIT_IO, &e));
    expect("exits", 100, (long long)e.exits);
    ck_assert_msg(e.part[KVM_GLUE_RUN_NS].sum > 0, "expected time got none");
    ck_assert_msg((topics >> KVM_GLUE_TOPIC_SOFTWARE & 1) || e.software[KVM_GLUE_TASK_CLOCK] > 0,
                  "expected a task clock got none");
    if (e.measured == 0) {
        skip("os_linux.real_kvm cycles", "this host has no PMU that may be used");
    } else {
        ck_assert_msg(e.part[KVM_GLUE_KERNEL_CYCLES].sum > 0, "expected cycles got none");
    }
    kvm_glue_meter_end(&meter);
}
END_TEST

Suite *os_linux_suite(void)
{
    const TTest *const tests[] = {files, lists, monotonic, host_pmus, page, ring, real_kvm};

    return suite_of("os_linux", tests, COUNT_OF(tests));
}
