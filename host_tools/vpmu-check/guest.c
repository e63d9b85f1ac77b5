/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest of KVM that runs a loop of two instructions, which says whether the events of hosts and
 * of guests are counted apart.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "guest.h"

enum {
    MEMORY = 64 << 10,
    LIMIT_MS = 900
};

static void wake_up(int number)
{
    (void)number;
}

/* Lets a guest that does not end its loop be interrupted after this processor time. */
static void limit_time(int ms)
{
    const struct sigaction action = {.sa_handler = wake_up};
    const struct itimerval timer = {.it_value = {.tv_usec = 1000 * ms}};

    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &timer, NULL);
}

static bool make_vcpu(struct guest *guest)
{
    int size = ioctl(guest->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);

    guest->vcpu = ioctl(guest->vm, KVM_CREATE_VCPU, 0);
    if (guest->vcpu < 0 || size <= 0) {
        return false;
    }
    guest->run_size = (size_t)size;
    guest->run = mmap(NULL, guest->run_size, PROT_READ | PROT_WRITE, MAP_SHARED, guest->vcpu, 0);
    if (guest->run == MAP_FAILED) {
        guest->run = NULL;
    }
    return guest->run != NULL && guest_vcpu_begin(guest->vm, guest->vcpu);
}

static bool make_memory(struct guest *guest)
{
    struct kvm_userspace_memory_region region = {
        .guest_phys_addr = GUEST_ADDRESS,
        .memory_size = MEMORY,
    };

    guest->memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (guest->memory == MAP_FAILED) {
        guest->memory = NULL;
        return false;
    }
    memcpy(guest->memory, guest_code, guest_code_size);
    region.userspace_addr = (uintptr_t)guest->memory;
    return ioctl(guest->vm, KVM_SET_USER_MEMORY_REGION, &region) == 0;
}

bool guest_make(struct guest *guest)
{
    *guest = (struct guest){.vm = -1, .vcpu = -1};
    guest->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
    if (guest->kvm >= 0) {
        guest->vm = ioctl(guest->kvm, KVM_CREATE_VM, 0);
    }
    if (guest->vm >= 0 && make_memory(guest) && make_vcpu(guest) && guest_run(guest, 1)) {
        return true;
    }
    guest_end(guest);
    return false;
}

bool guest_run(struct guest *guest, unsigned long turns)
{
    bool ended;

    limit_time(LIMIT_MS);
    ended = guest_vcpu_turns(guest->vcpu, turns) && ioctl(guest->vcpu, KVM_RUN, 0) == 0 &&
            guest->run->exit_reason == guest_exit_reason;
    limit_time(0);
    return ended;
}

void guest_end(struct guest *guest)
{
    if (guest->run != NULL) {
        munmap(guest->run, guest->run_size);
    }
    if (guest->memory != NULL) {
        munmap(guest->memory, MEMORY);
    }
    for (size_t i = 0; i < 3; i++) {
        int fd = (const int[]){guest->vcpu, guest->vm, guest->kvm}[i];

        if (fd >= 0) {
            close(fd);
        }
    }
}
