/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of KVM/arm64, written from Documentation/virt/kvm/devices/vcpu.rst, and small files. */
#include <errno.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>

#include "fake.h"

#define FIRST_FILE_FD 1000

/* Encodings, written by hand: op0 << 14 | op1 << 11 | CRn << 7 | CRm << 3 | op2. */
#define PMCR 0xdce0u
#define PMCNTENSET 0xdce1u
#define PMCNTENCLR 0xdce2u
#define PMOVSCLR 0xdce3u
#define PMSWINC 0xdce4u
#define PMSELR 0xdce5u
#define PMCCNTR 0xdce8u
#define PMUSERENR 0xdcf0u
#define PMOVSSET 0xdcf3u
#define PMINTENSET 0xc4f1u
#define PMINTENCLR 0xc4f2u
#define PMEVCNTR0 0xdf40u
#define PMCCFILTR 0xdf7fu
#define DFR0 0xc028u
#define PMMIR 0xc4f6u

/* The hardware's PMMIR.SLOTS, and what a partition leaves to guests of the 6 counters. */
#define SLOTS 4u
#define PARTITION 3u
#define GICV5_IRQ 0x20000017

/* KVM_ARM_VCPU_INIT; struct kvm_vcpu_init exists on arm64 hosts only. */
#define VCPU_INIT 0x4020aeaeul
#define TARGET_GENERIC_V8 5u
#define FEATURE_PMU_V3 8u
#define FEATURE_STRICT 0x200u

struct fake_kernel fake;

static void make_vm(struct fake_vm *vm)
{
    vm->attrs = FAKE_IRQ | FAKE_INIT | FAKE_FILTER | FAKE_SET_PMU | FAKE_NR_COUNTERS;
    vm->irqchip = true;
    vm->gic_ready = true;
    vm->counters = 6;
    vm->n_settable = true;
    vm->pmuver = 6;
    vm->known_features = 0x1ff;
    vm->supported_features = 0x1ff;
    vm->features = FEATURE_PMU_V3;
    vm->last_spi = 1019;
}

void fake_start(void)
{
    memset(&fake, 0, sizeof(fake));
    make_vm(&fake.vm[0]);
    make_vm(&fake.vm[1]);
    for (unsigned i = 0; i < 4; i++) {
        fake.vcpu[i].initialized = true;
        fake.vcpu[i].has_pmu = true;
        fake.vcpu[i].irq = -1;
    }
    fake.kvm_caps[0] = 48;
    fake.has_pmu = true;
    fake.pmu_counters = 7;
    fake.fail_open_at = -1;
    fake_file("/proc/cmdline", "quiet\n");
    fake_file("/proc/sys/kernel/perf_event_paranoid", "1\n");
    fake.paranoid = 1;
}

void fake_file_gone(const char *path)
{
    for (unsigned i = 0; i < fake.files; i++) {
        if (strcmp(fake.file[i].path, path) == 0) {
            fake.file[i].path[0] = '\0';
        }
    }
}

void fake_file(const char *path, const char *text)
{
    fake_file_gone(path);
    snprintf(fake.file[fake.files].path, sizeof(fake.file[0].path), "%s", path);
    snprintf(fake.file[fake.files].text, sizeof(fake.file[0].text), "%s", text);
    fake.files++;
}

static struct fake_vcpu *vcpu_of(int fd)
{
    return &fake.vcpu[2 * ((fd - 10) / 10) + fd % 10];
}

static struct fake_vm *vm_of(int fd)
{
    return &fake.vm[(fd - 10) / 10];
}

static void note(const char *what, uint64_t value)
{
    size_t used = strlen(fake.log);

    snprintf(fake.log + used, sizeof(fake.log) - used, "%s=%#llx ", what,
             (unsigned long long)value);
}

/* The SET and CLR forms are one register. */
static unsigned home_of(unsigned enc)
{
    switch (enc) {
    case PMCNTENCLR:
        return PMCNTENSET;
    case PMOVSCLR:
        return PMOVSSET;
    case PMINTENCLR:
        return PMINTENSET;
    default:
        return enc;
    }
}

static bool is_known(int fd, unsigned enc)
{
    const struct fake_vcpu *vcpu = vcpu_of(fd);
    bool single = (enc >= PMCR && enc <= PMSELR) || enc == PMCCNTR || enc == PMUSERENR ||
                  enc == PMOVSSET || enc == PMINTENSET || enc == PMINTENCLR;
    bool family = enc >= PMEVCNTR0 && enc <= PMCCFILTR && enc != PMEVCNTR0 + 31;

    bool pmmir = enc == PMMIR && vm_of(fd)->has_pmmir;

    return enc == DFR0 || (vcpu->has_pmu && (single || family || pmmir));
}

static uint64_t mask_of(const struct fake_vm *vm)
{
    return ((1ull << vm->counters) - 1) | 1ull << 31;
}

static void write_bitmap(const struct fake_vm *vm, uint64_t *reg, bool clears, uint64_t value)
{
    value &= mask_of(vm);
    if (!vm->aliases_are_bits) {
        *reg = value;
    } else {
        *reg = clears ? *reg & ~value : *reg | value;
    }
}

static unsigned max_counters(const struct fake_vm *vm)
{
    unsigned all = vm->pmu == 9 ? 4 : 6;

    return vm->partitioned && all > PARTITION ? PARTITION : all;
}

static void write_pmcr(struct fake_vm *vm, uint64_t *reg, uint64_t value)
{
    unsigned n = (unsigned)(value >> 11 & 31);

    if (vm->n_settable && !vm->strict && !vm->ran && n <= max_counters(vm)) {
        vm->counters = n;
    }
    *reg = value & 0xff;
}

static void store(int fd, unsigned enc, uint64_t value)
{
    uint64_t *reg = &vcpu_of(fd)->reg[home_of(enc)];
    unsigned home = home_of(enc);

    if (enc == PMCR) {
        write_pmcr(vm_of(fd), reg, value);
    } else if (home == PMCNTENSET || home == PMOVSSET || home == PMINTENSET) {
        write_bitmap(vm_of(fd), reg, enc != home, value);
    } else if (enc != PMSWINC) {
        *reg = value;
    }
}

static uint64_t load(int fd, unsigned enc)
{
    uint64_t value = vcpu_of(fd)->reg[home_of(enc)];

    if (enc == PMCCNTR) {
        return value + vcpu_of(fd)->event[31];
    }
    if (enc >= PMEVCNTR0 && enc < PMEVCNTR0 + 31) {
        return value + vcpu_of(fd)->event[enc - PMEVCNTR0];
    }
    if (enc == PMCR) {
        return value | (uint64_t)vm_of(fd)->counters << 11;
    }
    if (enc == PMMIR) {
        return vm_of(fd)->slots;
    }
    return enc == DFR0 ? (uint64_t)vm_of(fd)->pmuver << 8 : value;
}

uint64_t fake_reg(int vcpu_fd, unsigned enc)
{
    return load(vcpu_fd, enc);
}

void fake_set_reg(int vcpu_fd, unsigned enc, uint64_t value)
{
    store(vcpu_fd, enc, value);
}

static void count(int vcpu_fd, unsigned enc, unsigned index, uint64_t n)
{
    struct fake_vcpu *vcpu = vcpu_of(vcpu_fd);

    if ((vcpu->reg[PMCR] & 1) && (vcpu->reg[PMCNTENSET] >> index & 1)) {
        *(vm_of(vcpu_fd)->keeps_events ? &vcpu->event[index] : &vcpu->reg[enc]) += n;
    }
}

/* Like kernels do at the next run, applies C and P if they are stored. */
void fake_run(int vcpu_fd, uint64_t n)
{
    uint64_t *reg = vcpu_of(vcpu_fd)->reg;

    vm_of(vcpu_fd)->ran = true;
    for (unsigned i = 0; i < 31; i++) {
        if (reg[PMCR] & 2) {
            reg[PMEVCNTR0 + i] = 0;
        }
        count(vcpu_fd, PMEVCNTR0 + i, i, n);
    }
    if (reg[PMCR] & 4) {
        reg[PMCCNTR] = 0;
    }
    count(vcpu_fd, PMCCNTR, 31, n);
    reg[PMCR] &= ~6ull;
}

static int write_pmmir(struct fake_vm *vm, uint64_t value)
{
    if (value > 0xff) {
        return -EINVAL;
    }
    if (vm->ran) {
        return value == vm->slots ? 0 : -EBUSY;
    }
    if (value != 0 && value != vm->slots) {
        return -EINVAL;
    }
    vm->slots = (unsigned)value;
    return 0;
}

static int one_reg(int fd, unsigned long request, const struct kvm_one_reg *one)
{
    unsigned enc = (unsigned)(one->id & 0xffff);
    uint64_t *value = (uint64_t *)(uintptr_t)one->addr;

    if (!vcpu_of(fd)->initialized) {
        return -ENOEXEC;
    }
    if ((one->id & ~0xffffull) != 0x6030000000130000ull || !is_known(fd, enc)) {
        return -ENOENT;
    }
    if (request == fake.fail_request && enc == fake.fail_what) {
        return -fake.fail_error;
    }
    if (enc == PMMIR && request == KVM_SET_ONE_REG) {
        return write_pmmir(vm_of(fd), *value);
    }
    if (request == KVM_GET_ONE_REG) {
        *value = load(fd, enc);
    } else if (!fake.drop_write || enc != fake.fail_what) {
        store(fd, enc, *value);
    }
    return 0;
}

static int has_attr(int fd, const struct kvm_device_attr *attr)
{
    unsigned mask = attr->attr == 5 ? FAKE_FIXED | FAKE_PARTITION : 1u << attr->attr;
    bool known = attr->group == 0 && attr->attr < 6 && (vm_of(fd)->attrs & mask);

    return vcpu_of(fd)->has_pmu && known ? 0 : -ENXIO;
}

static bool is_interrupt(const struct fake_vm *vm, int irq)
{
    return vm->gicv5 ? irq == GICV5_IRQ : irq >= 16 && irq <= 1019;
}

static int set_irq(int fd, int irq)
{
    struct fake_vcpu *vcpu = vcpu_of(fd);
    const struct fake_vcpu *other = vcpu_of(fd ^ 1);

    if (!vm_of(fd)->irqchip || !is_interrupt(vm_of(fd), irq) ||
        (other->irq >= 0 && (irq < 32) != (other->irq == irq))) {
        return -EINVAL;
    }
    if (vcpu->irq >= 0) {
        return -EBUSY;
    }
    vcpu->irq = irq;
    note("IRQ", (uint64_t)irq);
    return 0;
}

/* Whether another device has the interrupt. */
static bool is_owned(int fd)
{
    int irq = vcpu_of(fd)->irq;

    return irq == fake.owned_irq && irq > 0;
}

static int init(int fd)
{
    if (vm_of(fd)->strict && vm_of(fd)->pmu == 0) {
        return -ENXIO;
    }
    if (vm_of(fd)->irqchip && !vm_of(fd)->gic_ready) {
        return -ENODEV;
    }
    if (vm_of(fd)->irqchip && vcpu_of(fd)->irq < 0 && !vm_of(fd)->gicv5) {
        return -ENXIO;
    }
    if (vm_of(fd)->irqchip && vcpu_of(fd)->irq > vm_of(fd)->last_spi && !vm_of(fd)->gicv5) {
        return -EINVAL;
    }
    if (is_owned(fd)) {
        return -EEXIST;
    }
    vcpu_of(fd)->created = true;
    note("INIT", 0);
    return 0;
}

struct event_filter {
    uint16_t base;
    uint16_t count;
    uint8_t action;
    uint8_t pad[3];
};

static int filter(struct fake_vm *vm, const struct event_filter *f)
{
    unsigned events = vm->pmuver == 1 ? 1024 : 65536;

    if ((unsigned)f->base + f->count > events || f->action > 1) {
        return -EINVAL;
    }
    if (vm->ran || vm->fixed) {
        return -EBUSY;
    }
    if (vm->strict && vm->pmu == 0) {
        return -ENXIO;
    }
    if (!vm->filter_set) {
        if (vm->no_memory) {
            return -ENOMEM;
        }
        memset(vm->denied, f->action == 0, sizeof(vm->denied));
        vm->filter_set = true;
    }
    memset(vm->denied + f->base, f->action, f->count);
    note(f->action == 0 ? "ALLOW" : "DENY", (uint64_t)f->base << 16 | f->count);
    return 0;
}

static int set_pmu(struct fake_vm *vm, int type)
{
    if (type != 8 && type != 9) {
        return -ENXIO;
    }
    if (vm->ran || vm->fixed || (vm->filter_set && vm->pmu != type)) {
        return -EBUSY;
    }
    if (vm->no_memory) {
        return -ENOMEM;
    }
    vm->pmu = type;
    vm->counters = max_counters(vm);
    vm->slots = vm->strict ? SLOTS : 0;
    note("SET_PMU", (uint64_t)type);
    return 0;
}

static int set_nr_counters(struct fake_vm *vm, unsigned n)
{
    if (vm->ran || vm->filter_set) {
        return -EBUSY;
    }
    if (vm->pmu == 0 || n > max_counters(vm)) {
        return -EINVAL;
    }
    vm->counters = n;
    note("NR_COUNTERS", n);
    return 0;
}

/* The patches' rules: FIXED_COUNTERS_ONLY has no argument, ENABLE_PARTITION a number. */
static int set_pending(struct fake_vm *vm, const unsigned *on)
{
    if (vm->attrs & FAKE_PARTITION) {
        if (on == NULL) {
            return -EFAULT;
        }
        if (!vm->partitionable || vm->ran) {
            return vm->partitionable ? -EBUSY : -EPERM;
        }
        vm->partitioned = *on;
        vm->counters = vm->counters < max_counters(vm) ? vm->counters : max_counters(vm);
        note("PARTITION", *on);
        return 0;
    }
    if (vm->ran || vm->filter_set || vm->pmu != 0) {
        return -EBUSY;
    }
    vm->fixed = true;
    vm->counters = 0;
    note("FIXED", 0);
    return 0;
}

static int set_attr(int fd, const struct kvm_device_attr *attr)
{
    const void *addr = (const void *)(uintptr_t)attr->addr;
    int ret = has_attr(fd, attr);

    if (!vcpu_of(fd)->has_pmu || vm_of(fd)->no_default_pmu) {
        return -ENODEV;
    }
    if (vcpu_of(fd)->created) {
        return -EBUSY;
    }
    if (ret < 0) {
        return ret;
    }
    if (addr == NULL && attr->attr != 1 && attr->attr != 5) {
        return -EFAULT;
    }
    switch (1u << attr->attr) {
    case FAKE_IRQ:
        return set_irq(fd, *(const int *)addr);
    case FAKE_INIT:
        return init(fd);
    case FAKE_FILTER:
        return filter(vm_of(fd), addr);
    case FAKE_SET_PMU:
        return set_pmu(vm_of(fd), *(const int *)addr);
    case FAKE_FIXED:
        return set_pending(vm_of(fd), addr);
    default:
        return set_nr_counters(vm_of(fd), *(const unsigned *)addr);
    }
}

static int check_features(const struct fake_vm *vm, unsigned features)
{
    bool changed = vm->features >= 0 && (unsigned)vm->features != features;
    bool strict_alone = (features & FEATURE_STRICT) && !(features & FEATURE_PMU_V3);

    if (features & ~vm->known_features) {
        return -ENOENT;
    }
    if ((features & ~vm->supported_features) || strict_alone || changed) {
        return -EINVAL;
    }
    if ((features & FEATURE_PMU_V3) && !(features & FEATURE_STRICT) && vm->no_default_pmu) {
        return -ENODEV;
    }
    return 0;
}

static int vcpu_init(int fd, const unsigned *init)
{
    struct fake_vm *vm = vm_of(fd);
    unsigned features = init[1];
    int ret;

    if (init[0] != TARGET_GENERIC_V8) {
        return -EINVAL;
    }
    for (unsigned i = 2; i < 8; i++) {
        if (init[i] != 0) {
            return -ENOENT;
        }
    }
    ret = check_features(vm, features);
    if (ret == 0) {
        vm->features = (int)features;
        vm->strict = features & FEATURE_STRICT;
        vm->counters = vm->strict && vm->pmu == 0 ? 0 : vm->counters;
        vcpu_of(fd)->has_pmu = features & FEATURE_PMU_V3;
        vcpu_of(fd)->initialized = true;
        note("VCPU_INIT", features);
    }
    return ret;
}

static int check_extension(uintptr_t cap)
{
    return cap == 165   ? fake.kvm_caps[0]
           : cap == 240 ? fake.kvm_caps[1]
           : cap == 251 ? fake.kvm_caps[2]
                        : 0;
}

static int fake_ioctl(int fd, unsigned long request, void *arg)
{
    const struct kvm_device_attr *attr = arg;

    if (fake.refusal != 0 && (request >> 8 & 0xff) == KVMIO) {
        return -fake.refusal;
    }
    switch (request) {
    case VCPU_INIT:
        return vcpu_init(fd, arg);
    case KVM_GET_ONE_REG:
    case KVM_SET_ONE_REG:
        return one_reg(fd, request, arg);
    case KVM_CHECK_EXTENSION:
        return check_extension((uintptr_t)arg);
    case KVM_HAS_DEVICE_ATTR:
    case KVM_SET_DEVICE_ATTR:
        if (request == fake.fail_request && attr->attr == fake.fail_what) {
            return -fake.fail_error;
        }
        return request == KVM_HAS_DEVICE_ATTR ? has_attr(fd, attr) : set_attr(fd, attr);
    default:
        return fake_perf_ioctl(fd, request, arg);
    }
}

static int fake_open(const char *path)
{
    for (unsigned i = 0; i < fake.files; i++) {
        if (strcmp(fake.file[i].path, path) == 0) {
            return FIRST_FILE_FD + (int)i;
        }
    }
    return -ENOENT;
}

static ssize_t fake_pread(int fd, void *buf, size_t len, off_t offset)
{
    unsigned i = (unsigned)(fd - FIRST_FILE_FD);
    size_t length = strlen(fake.file[i].text) - (size_t)offset;

    if (fake.file[i].error != 0) {
        return -fake.file[i].error;
    }
    length = length < len ? length : len;
    memcpy(buf, fake.file[i].text + offset, length);
    return (ssize_t)length;
}

static int fake_close(int fd)
{
    return fd >= FIRST_FILE_FD ? 0 : fake_perf_close(fd);
}

static uint64_t fake_clock(void)
{
    return fake.now;
}

static int fake_list(const char *path, int (*each)(void *arg, const char *name), void *arg)
{
    int ret = -fake.list_error;

    (void)path;
    for (unsigned i = 0; ret == 0 && fake.names[i] != NULL; i++) {
        ret = each(arg, fake.names[i]);
    }
    return ret;
}

const struct kvm_glue_os fake_os = {
    .ioctl = fake_ioctl,
    .perf_open = fake_perf_open,
    .read = fake_perf_read,
    .open = fake_open,
    .pread = fake_pread,
    .close = fake_close,
    .map_page = fake_map_page,
    .unmap_page = fake_unmap_page,
    .clock = fake_clock,
    .list = fake_list,
    .read_counter = fake_read_counter,
    .user_config = 2,
};
