/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_TESTS_FAKE_H
#define KVM_GLUE_TESTS_FAKE_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "kvm_glue/os.h"

/*
 * A kernel with KVM/arm64 and perf as far as this library uses them: their rules of order and their
 * errors. Each test begins with fake_start(): a new kernel with a GIC, a PMU of type 8 with 6
 * counters and one of type 9 with 4, perf_event_paranoid 1, VHE.
 */
extern const struct kvm_glue_os fake_os;

/* Attributes of KVM_ARM_VCPU_PMU_V3_CTRL, as masks. Numbers: the kernel's. */
#define FAKE_IRQ 1u
#define FAKE_INIT 2u
#define FAKE_FILTER 4u
#define FAKE_SET_PMU 8u
#define FAKE_NR_COUNTERS 16u
/* Both have the number 5; a machine has one of them. */
#define FAKE_FIXED 32u
#define FAKE_PARTITION 64u

/* Machines 0 and 1 have vCPUs 0 and 1 each. */
#define VCPU(vm, n) (10 + 10 * (vm) + (n))
#define KVM_FD 5

struct fake_vm {
    unsigned attrs;
    bool irqchip;
    bool gic_ready;
    bool ran;
    int pmu;
    bool filter_set;
    bool denied[65536];
    unsigned counters;
    bool n_settable; /* by PMCR.N */
    bool aliases_are_bits;
    bool keeps_events; /* when a counter is written: what they counted stays on top */
    unsigned pmuver;
    bool strict;                 /* KVM_ARM_VCPU_PMU_V3_STRICT: no default PMU */
    unsigned known_features;     /* of KVM_ARM_VCPU_INIT; others do not exist */
    unsigned supported_features; /* by the host */
    int features;                /* of all vCPUs; -1: no vCPU is initialized */
    bool no_default_pmu;         /* the CPU on which the VMM runs has no PMU that guests can use */
    int last_spi;
    bool has_pmmir; /* the register: Linux 7.3 */
    unsigned slots; /* PMMIR.SLOTS that the guest sees */
    bool gicv5;
    bool fixed;         /* FIXED_COUNTERS_ONLY is set */
    bool partitionable; /* VHE, and reserved_host_counters is set */
    bool partitioned;
    bool no_memory;
};

struct fake_vcpu {
    bool initialized; /* by KVM_ARM_VCPU_INIT */
    bool has_pmu;
    bool created;
    int irq;
    uint64_t reg[65536]; /* by encoding */
    uint64_t event[32];  /* what they counted, if the machine keeps them */
};

enum fake_where {
    IN_GUEST,
    IN_HOST_KERNEL,
    IN_HOST_USER,
    IN_EL2,          /* below the kernel, host counters on */
    IN_EL2_BLACKOUT, /* host counters stopped */
};

struct fake_event {
    bool open;
    bool on;
    struct perf_event_attr attr;
    pid_t tid;
    int group;
    uint64_t value;
    struct perf_event_mmap_page *page;
};

struct fake_kernel {
    struct fake_vm vm[2];
    struct fake_vcpu vcpu[4];
    int kvm_caps[3]; /* KVM_CAP_ARM_VM_IPA_SIZE, _ARM_EL2, _ARM_PMU_V3_STRICT */
    char log[512];   /* the attributes that were set, in order */

    /* The next request with this number fails; 0: none does. */
    unsigned long fail_request;
    uint64_t fail_what; /* the attribute, or the encoding of the register */
    int fail_error;
    int refusal;     /* errno with which the kernel refuses each call of KVM; 0: none */
    int owned_irq;   /* an interrupt that another device has; 0: none */
    bool drop_write; /* a write of register fail_what has no effect */

    struct fake_event event[16];
    unsigned opened; /* the number of events ever opened */
    bool has_pmu;
    unsigned pmu_counters;
    int paranoid;
    bool mediated; /* a machine with a mediated PMU exists */
    pid_t dead;
    int fail_open_at; /* the index of the event whose open fails; -1: none */
    int fail_open_error;
    int fail_read; /* errno; -1: end of file; -2: one value is missing */
    uint64_t now;
    uint64_t enabled;
    uint64_t running;
    bool starved;
    bool user_access;
    bool user_config_refused;
    bool no_pages;
    bool no_index;  /* perf_user_access is 0 */
    unsigned moves; /* how often an event moves to another counter while it is read */
    unsigned reads; /* the number of system calls */

    struct {
        char path[100];
        char text[5000];
        int error; /* the error of pread */
    } file[24];
    unsigned files;
    const char *names[24];
    int list_error;
};
extern struct fake_kernel fake;

void fake_start(void);
void fake_file(const char *path, const char *text);
void fake_file_gone(const char *path);

/* Runs the vCPU. Each of its counters that counts increases by @n. */
void fake_run(int vcpu_fd, uint64_t n);
uint64_t fake_reg(int vcpu_fd, unsigned enc);
void fake_set_reg(int vcpu_fd, unsigned enc, uint64_t value);

/* Lets @n cycles pass in a place. */
void fake_cycles(enum fake_where where, uint64_t n);
void fake_software(uint64_t config, uint64_t n);
unsigned fake_open_events(void);

/* Creates a machine with a mediated PMU, which no event that includes guests may outlive. */
int fake_mediated_machine(void);

/* fake_perf.c: the ioctls of perf, for fake_kvm.c. */
int fake_perf_ioctl(int fd, unsigned long request, void *arg);
int fake_perf_open(const struct perf_event_attr *attr, pid_t tid, int group);
ssize_t fake_perf_read(int fd, void *buf, size_t len);
int fake_perf_close(int fd);
void *fake_map_page(int fd);
void fake_unmap_page(void *page);
uint64_t fake_read_counter(unsigned index);

#endif
