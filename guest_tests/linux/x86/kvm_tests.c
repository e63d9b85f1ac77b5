/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * KVM in the machine: a host with kvm-amd that counts its guest, and itself without it. The guest
 * is a known number of instructions in real mode, at CPL 0. The OUT that ends it is intercepted,
 * and so not executed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event.h"
#include "suite.h"

enum {
    MEMORY = 0x1000,
    FIXED = 1,
    ROUND = 2
};

/* mov ecx, imm32; dec ecx; jnz back; out 0x10, al */
static const unsigned char code[] = {0x66, 0xb9, 0, 0, 0, 0, 0x66, 0x49, 0x75, 0xfc, 0xe6, 0x10};

static bool load(const char *module)
{
    int fd = open(module, O_RDONLY | O_CLOEXEC);
    bool loaded = fd >= 0 && syscall(SYS_finit_module, fd, "", 0) == 0;

    if (fd >= 0) {
        close(fd);
    }
    return loaded;
}

/* Opens /dev/kvm, after loading the modules that it needs. */
static int open_kvm(void)
{
    int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);

    if (kvm < 0) {
        load("/irqbypass.ko");
        load("/kvm.ko");
        load("/kvm-amd.ko");
        kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
    }
    return kvm;
}

struct guest {
    int vm;
    int vcpu;
    unsigned char *memory;
    struct kvm_run *run;
};

static bool make_guest(struct guest *guest, int kvm)
{
    struct kvm_userspace_memory_region region = {.memory_size = MEMORY};
    int size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);

    guest->vm = ioctl(kvm, KVM_CREATE_VM, 0);
    guest->memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    region.userspace_addr = (uintptr_t)guest->memory;
    if (guest->vm < 0 || size <= 0 || ioctl(guest->vm, KVM_SET_USER_MEMORY_REGION, &region) < 0) {
        return false;
    }
    guest->vcpu = ioctl(guest->vm, KVM_CREATE_VCPU, 0);
    guest->run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, guest->vcpu, 0);
    memcpy(guest->memory, code, sizeof(code));
    return guest->vcpu >= 0 && guest->run != MAP_FAILED;
}

/* From its first instruction to OUT. */
static bool run_guest(struct guest *guest, uint32_t rounds)
{
    struct kvm_regs regs = {.rflags = 2};
    struct kvm_sregs sregs;

    memcpy(guest->memory + 2, &rounds, sizeof(rounds));
    if (ioctl(guest->vcpu, KVM_GET_SREGS, &sregs) < 0) {
        return false;
    }
    sregs.cs.base = 0;
    sregs.cs.selector = 0;
    return ioctl(guest->vcpu, KVM_SET_SREGS, &sregs) == 0 &&
           ioctl(guest->vcpu, KVM_SET_REGS, &regs) == 0 && ioctl(guest->vcpu, KVM_RUN, 0) == 0 &&
           guest->run->exit_reason == KVM_EXIT_IO;
}

/* Instructions of a level, of a side or both, in the order of the counts below. */
static const struct {
    bool user;
    bool kernel;
    bool host;
    bool guest;
} sides[] = {
    {false, true, false, true},
    {true, false, false, true},
    {true, false, true, false},
    {true, false, true, true},
};

static int open_side(size_t i, int leader)
{
    struct perf_event_attr attr = event_user(EVENT_INST_RETIRED);

    attr.exclude_user = !sides[i].user;
    attr.exclude_kernel = !sides[i].kernel;
    attr.exclude_host = !sides[i].host;
    attr.exclude_guest = !sides[i].guest;
    attr.exclude_hv = 0;
    attr.disabled = leader < 0;
    return event_must_open(&attr, 0, -1, leader);
}

static void count_guest(struct guest *guest, uint64_t n)
{
    uint64_t counts[ARRAY_SIZE(sides)];
    int fds[ARRAY_SIZE(sides)];

    for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
        fds[i] = open_side(i, i > 0 ? fds[0] : -1);
    }
    if (!test_failed()) {
        ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
        expect_eq("the guest ran", true, run_guest(guest, (uint32_t)n));
        ioctl(fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
    }
    for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
        counts[i] = event_read(fds[i]);
        close(fds[i]);
    }
    expect_eq("instructions:kG", FIXED + ROUND * n, counts[0]);
    expect_eq("instructions:uG", 0, counts[1]);
    expect_between("instructions:uH", 10, UINT64_MAX, counts[2]);
    expect_eq("instructions:u, of both sides", counts[2], counts[3]);
}

static void test_guest(const struct test *test)
{
    int kvm = open_kvm();
    struct guest guest;

    if (kvm < 0 || !make_guest(&guest, kvm)) {
        test_fail("KVM does not work");
    } else {
        for (unsigned i = 0; i < 20 && !test_failed(); i++) {
            count_guest(&guest, test->n + i);
        }
    }
    close(kvm);
}

const struct test kvm_tests[] = {
    {"kvm/guest-1", test_guest, NULL, 1, 1, 4},
    {"kvm/guest-100000", test_guest, NULL, 100000, 1, 4},
    {"kvm/guest-2000000", test_guest, NULL, 2000000, 1, 4},
};
const size_t kvm_tests_count = ARRAY_SIZE(kvm_tests);
