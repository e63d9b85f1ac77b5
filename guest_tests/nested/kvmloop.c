/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kvmloop --exits hvc|mmio|sysreg|fp|levels [--vcpus N] [--count N] [--cpu N]
 *
 * A virtual machine monitor on /dev/kvm that does nothing else, so that what happens at a guest's
 * entry and exit can be counted. Each of its vCPUs, a thread each, does COUNT rounds of guest.S:
 *
 *     hvc calls the firmware: an exit to the host's kernel, which answers and returns
 *     sysreg reads an ID register: the same with another reason
 *     mmio stores to where nothing is: an exit to this program
 *     fp uses floating point, which an nVHE host's hypervisor handles itself: its kernel does not
 *     see that exit
 *     levels, with kvm-arm.mode=nested: the guest is a hypervisor at EL2, whose own guest calls it
 *
 * --cpu keeps everything on one CPU of the host. At the end it prints what the guest has executed,
 * which guest.S derives.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char guest_begin[], guest_end[];
extern const char guest_hvc[], guest_mmio[], guest_sysreg[], guest_fp[], guest_levels[];

#define MEMORY 0x40000000u /* where the guest's memory is */
#define DEVICE 0x10000000u /* nothing is there */
#define END_OF_ROUNDS 0x10000008u
#define GIC 0x08000000u
#define GIC_OF_VCPUS 0x08010000u

/* Linux 6.16 */
#ifndef KVM_ARM_VCPU_HAS_EL2
#define KVM_ARM_VCPU_HAS_EL2 7
#endif

enum {
    MAX_VCPUS = 8,
    SPSR_EL1H_MASKED = 0x3c5,
    SPSR_EL2H_MASKED = 0x3c9,
};

/*
 * own: the number of the kind's own instructions in a round, see guest.S.
 * levels: the code begins at EL2.
 */
static const struct kind {
    const char *name;
    const char *code;
    unsigned own;
    bool levels;
} kinds[] = {
    {"hvc", guest_hvc, 3, false},      {"sysreg", guest_sysreg, 1, false},
    {"mmio", guest_mmio, 0, false},    {"fp", guest_fp, 1, false},
    {"levels", guest_levels, 0, true},
};

struct options {
    const struct kind *kind;
    unsigned vcpus;
    uint64_t count;
    int cpu;
};

/**
 * struct vcpu - one of the guest's CPUs
 * @fd: KVM's.
 * @run: what KVM and this program share.
 * @exits: how often it returned to this program.
 * @failed: it ended in an unexpected way.
 */
struct vcpu {
    pthread_t thread;
    int fd;
    struct kvm_run *run;
    uint64_t exits;
    bool failed;
};

static bool complain(const char *what)
{
    fprintf(stderr, "kvmloop: %s: %s\n", what, strerror(errno));
    return false;
}

static bool set_register(int fd, uint64_t id, uint64_t value)
{
    struct kvm_one_reg reg = {.id = id, .addr = (uintptr_t)&value};

    return ioctl(fd, KVM_SET_ONE_REG, &reg) == 0 || complain("KVM_SET_ONE_REG");
}

/* field: offset in struct kvm_regs. */
static bool set_core(int fd, size_t field, uint64_t value)
{
    return set_register(fd,
                        KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE |
                            (uint64_t)(field / sizeof(uint32_t)),
                        value);
}

static bool set_x(int fd, unsigned n, uint64_t value)
{
    return set_core(fd, offsetof(struct kvm_regs, regs.regs) + n * sizeof(uint64_t), value);
}

static uint64_t guest_address(const char *code)
{
    return MEMORY + (uint64_t)(code - guest_begin);
}

static bool set_registers(int fd, const struct options *options)
{
    bool levels = options->kind->levels;

    return set_x(fd, 19, options->count) && set_x(fd, 20, DEVICE) && set_x(fd, 21, END_OF_ROUNDS) &&
           set_x(fd, 22, guest_address(options->kind->code)) &&
           set_core(fd, offsetof(struct kvm_regs, regs.pstate),
                    levels ? SPSR_EL2H_MASKED : SPSR_EL1H_MASKED) &&
           set_core(fd, offsetof(struct kvm_regs, regs.pc),
                    levels ? guest_address(options->kind->code) : MEMORY);
}

static bool make_memory(int vm)
{
    size_t size = (size_t)(guest_end - guest_begin);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct kvm_userspace_memory_region region = {
        .guest_phys_addr = MEMORY,
        .memory_size = (size + 4095) & ~(size_t)4095,
        .userspace_addr = (uintptr_t)memory,
    };

    if (memory == MAP_FAILED) {
        return complain("mmap");
    }
    memcpy(memory, guest_begin, size);
    return ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region) == 0 ||
           complain("KVM_SET_USER_MEMORY_REGION");
}

static bool make_vcpu(int kvm, int vm, unsigned n, struct vcpu *vcpu, const struct options *options)
{
    struct kvm_vcpu_init init;
    int size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);

    vcpu->fd = ioctl(vm, KVM_CREATE_VCPU, n);
    if (vcpu->fd < 0 || size <= 0) {
        return complain("KVM_CREATE_VCPU");
    }
    vcpu->run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu->fd, 0);
    if (vcpu->run == MAP_FAILED) {
        return complain("mmap of a vCPU");
    }
    if (ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init) != 0) {
        return complain("KVM_ARM_PREFERRED_TARGET");
    }
    init.features[0] |= 1u << KVM_ARM_VCPU_PSCI_0_2;
    if (options->kind->levels) {
        init.features[0] |= 1u << KVM_ARM_VCPU_HAS_EL2;
    }
    if (ioctl(vcpu->fd, KVM_ARM_VCPU_INIT, &init) != 0) {
        return complain("KVM_ARM_VCPU_INIT");
    }
    return set_registers(vcpu->fd, options);
}

/*
 * Runs until the rounds are over, or until something other than a store to where nothing is
 * happens.
 */
static void *run_vcpu(void *arg)
{
    struct vcpu *vcpu = arg;
    struct kvm_run *run = vcpu->run;

    do {
        if (ioctl(vcpu->fd, KVM_RUN, 0) != 0 && errno != EINTR) {
            vcpu->failed = !complain("KVM_RUN");
            return NULL;
        }
        vcpu->exits++;
        if (run->exit_reason != KVM_EXIT_MMIO && run->exit_reason != KVM_EXIT_INTR) {
            fprintf(stderr, "kvmloop: exit for reason %u\n", run->exit_reason);
            vcpu->failed = true;
            return NULL;
        }
    } while (run->exit_reason != KVM_EXIT_MMIO || run->mmio.phys_addr != END_OF_ROUNDS);
    return NULL;
}

static bool run_all(struct vcpu *vcpus, unsigned count)
{
    bool failed = false;

    for (unsigned i = 0; i < count; i++) {
        errno = pthread_create(&vcpus[i].thread, NULL, run_vcpu, &vcpus[i]);
        if (errno != 0) {
            return complain("pthread_create");
        }
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(vcpus[i].thread, NULL);
        failed |= vcpus[i].failed;
    }
    return !failed;
}

static bool set_gic(int fd, uint32_t group, uint64_t attr, uint64_t value)
{
    struct kvm_device_attr set = {.group = group, .attr = attr, .addr = (uintptr_t)&value};

    return ioctl(fd, KVM_SET_DEVICE_ATTR, &set) == 0 || complain("KVM_SET_DEVICE_ATTR");
}

/* Without an interrupt controller, KVM_RUN of a vCPU with EL2 fails with EAGAIN in Linux 7.3. */
static bool make_gic(int vm)
{
    struct kvm_create_device gic = {.type = KVM_DEV_TYPE_ARM_VGIC_V3};

    if (ioctl(vm, KVM_CREATE_DEVICE, &gic) != 0) {
        return complain("KVM_CREATE_DEVICE");
    }
    return set_gic((int)gic.fd, KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V3_ADDR_TYPE_DIST, GIC) &&
           set_gic((int)gic.fd, KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V3_ADDR_TYPE_REDIST,
                   GIC_OF_VCPUS) &&
           set_gic((int)gic.fd, KVM_DEV_ARM_VGIC_GRP_CTRL, KVM_DEV_ARM_VGIC_CTRL_INIT, 0);
}

static bool run_machine(const struct options *options, struct vcpu *vcpus)
{
    int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
    int vm = kvm >= 0 ? ioctl(kvm, KVM_CREATE_VM, 0) : -1;

    if (vm < 0) {
        return complain("/dev/kvm");
    }
    if (!make_memory(vm)) {
        return false;
    }
    for (unsigned i = 0; i < options->vcpus; i++) {
        if (!make_vcpu(kvm, vm, i, &vcpus[i], options)) {
            return false;
        }
    }
    if (options->kind->levels && !make_gic(vm)) {
        return false;
    }
    return run_all(vcpus, options->vcpus);
}

static bool keep_to_cpu(int cpu)
{
    cpu_set_t cpus;

    if (cpu < 0) {
        return true;
    }
    CPU_ZERO(&cpus);
    CPU_SET((unsigned)cpu, &cpus);
    return sched_setaffinity(0, sizeof(cpus), &cpus) == 0 || complain("sched_setaffinity");
}

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    static const struct option known[] = {
        {"exits", required_argument, NULL, 'e'},
        {"vcpus", required_argument, NULL, 'v'},
        {"count", required_argument, NULL, 'n'},
        {"cpu", required_argument, NULL, 'c'},
        {NULL, 0, NULL, 0},
    };

    for (int found; (found = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (found) {
        case 'e':
            options->kind = find_kind(optarg);
            break;
        case 'v':
            options->vcpus = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 'n':
            options->count = strtoull(optarg, NULL, 10);
            break;
        case 'c':
            options->cpu = (int)strtoul(optarg, NULL, 10);
            break;
        default:
            return false;
        }
    }
    return optind == argc && options->kind != NULL && options->count > 0 && options->vcpus > 0 &&
           options->vcpus <= MAX_VCPUS;
}

/* The instructions of the guest's kernel, or of the hypervisor and its guest. */
static uint64_t kernel_instructions(const struct options *options)
{
    uint64_t n = options->count;

    return options->kind->levels ? 9 + 2 * n + 3 * n - 1 : 8 + (4 + options->kind->own) * n;
}

static void print_known(const struct options *options, const struct vcpu *vcpus)
{
    uint64_t n = options->count, exits = 0;

    for (unsigned i = 0; i < options->vcpus; i++) {
        exits += vcpus[i].exits;
    }
    printf("KNOWN rounds=%llu user=%llu kernel=%llu exits=%llu\n",
           (unsigned long long)(options->vcpus * n),
           (unsigned long long)(options->kind->levels ? 0 : options->vcpus * (3 * n - 1)),
           (unsigned long long)(options->vcpus * kernel_instructions(options)),
           (unsigned long long)exits);
}

int main(int argc, char **argv)
{
    struct options options = {.vcpus = 1, .count = 1, .cpu = -1};
    struct vcpu vcpus[MAX_VCPUS] = {{0}};

    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: kvmloop --exits hvc|mmio|sysreg|fp|levels [--vcpus N]"
                        " [--count N] [--cpu N]\n");
        return 2;
    }
    if (!keep_to_cpu(options.cpu) || !run_machine(&options, vcpus)) {
        return 1;
    }
    print_known(&options, vcpus);
    return 0;
}
