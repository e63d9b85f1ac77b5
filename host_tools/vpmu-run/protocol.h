/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What vpmu-run and the init of its machine agree on. */
#ifndef VPMU_RUN_PROTOCOL_H
#define VPMU_RUN_PROTOCOL_H

#include <stdint.h>

/* Init, the job and the standard input lie here. */
#define RUN_DIRECTORY "/.vpmu-run"
#define RUN_INIT RUN_DIRECTORY "/init"
#define RUN_JOB RUN_DIRECTORY "/job"
#define RUN_STDIN RUN_DIRECTORY "/stdin"

/*
 * Modules without which a kernel that has them as modules cannot reach the ports below. Init loads
 * RUN_DIRECTORY/NAME.ko in this order. Here they have their directories in Linux.
 */
#define RUN_MODULES                                                                                \
    "drivers/virtio/virtio_ring", "drivers/virtio/virtio", "drivers/virtio/virtio_pci_legacy_dev", \
        "drivers/virtio/virtio_pci_modern_dev", "drivers/virtio/virtio_pci",                       \
        "drivers/char/virtio_console"

/* The same for the network of --net. */
#define RUN_NET_MODULES "net/core/failover", "drivers/net/net_failover", "drivers/net/virtio_net"

/* Where the program says which region begins and ends; include/vpmu_run.h has the same values. */
#define RUN_REGIONS RUN_DIRECTORY "/regions"
#define RUN_REGION_NAME_MAX 47
#define RUN_REGIONS_MAX 64

/* The archive of all files but init, as an item of the firmware configuration device. */
#define RUN_FILES "opt/org.vpmu/files"

/* Ports of the only virtio-serial device. Port 0 would be a console. */
enum run_port {
    RUN_PORT_STDOUT = 1,
    RUN_PORT_STDERR = 2,
    RUN_PORT_RESULT = 3,
    RUN_PORT_INPUT = 4,
    RUN_PORT_RECORD = 5,
};

/*
 * The job is a sequence of "KEY\0VALUE\0". Keys:
 *   arg, env, group   repeated
 *   path              file to execute
 *   cwd, uid, gid     of the program
 *   joined            standard error goes where standard output goes
 *   live              standard input comes through RUN_PORT_INPUT
 *   learn             ask for files that the program looks for, through RUN_PORT_INPUT
 *   date              of the machine when the program starts, in seconds since 1970
 *   seed              addresses are randomized, with random numbers of this seed
 *   event             "TYPE CONFIG EXCLUDE", hexadecimal; EXCLUDE is one of enum run_exclude
 *   tracepoint        "SUBSYSTEM/NAME EXCLUDE"
 *   machine           count everything on all CPUs, not only the program
 *   syscalls          also count system calls by number
 *   net               the machine has a network interface
 *   out               repeated: bring back what the program writes at this path
 *   record            "PERIOD FREQUENCY CHAINS BRANCHES STACK REGISTERS", decimal: also sample the
 *                     events. One of the first two is 0. The next two are 1 to add call chains and
 *                     branches. STACK is how many bytes of the program's stack to add, with the
 *                     registers of the mask REGISTERS; 0 for none.
 *
 * Events and tracepoints are numbered from 0, in the order of the job.
 */
enum run_exclude {
    RUN_EXCLUDE_NONE = 0,
    RUN_EXCLUDE_USER = 1,
    RUN_EXCLUDE_KERNEL = 2,
};

/*
 * The result is a sequence of lines:
 *   ready                   the machine has started; its state may be saved here
 *   kernel RELEASE          the program is about to start
 *   count INDEX VALUE ENABLED RUNNING
 *   uncounted INDEX ERRNO
 *   sampled INDEX ID        the kernel's number for an event in samples, on one CPU
 *   syscall NUMBER COUNT
 *   region INDEX ENTRIES NAME
 *   part REGION INDEX VALUE ENABLED RUNNING    the count of an event in a region
 *   failed ERRNO            the program could not be executed
 *   killed COUNT            processes were killed because memory is used up
 *   status STATUS           of waitpid()
 *   error TEXT              init failed
 *   end                     the last line
 */

/*
 * RUN_PORT_RECORD carries records of the kernel's perf events, as perf_event_open(2) describes
 * them, and then, if a sample may lie in the kernel, records of type RUN_RECORD_SYMBOLS. The latter
 * contain pieces of the text of /proc/kallsyms, one after another. Those of one CPU are in order of
 * time.
 */
#define RUN_RECORD_SYMBOLS 0x76706d75u

/*
 * Records of type RUN_RECORD_LISTS contain pieces of the text of each /tmp/perf-PID.map, in which a
 * compiler at run time lists its functions. A line "#PID" precedes each.
 */
#define RUN_RECORD_LISTS 0x76706d77u

/* Records of type RUN_RECORD_VDSO contain pieces of the file that the kernel maps into programs. */
#define RUN_RECORD_VDSO 0x76706d78u

/* Records of type RUN_RECORD_NOTES contain pieces of the kernel's ELF notes, /sys/kernel/notes. */
#define RUN_RECORD_NOTES 0x76706d79u

/*
 * Then come records of type RUN_RECORD_FILES, with pieces of a stream. For each file that the
 * program has made or changed, the stream has this header, the path, and @size bytes: the content
 * of a regular file, or the target of a link. A directory comes before what is in it.
 */
#define RUN_RECORD_FILES 0x76706d76u

struct run_out {
    uint32_t mode, length;
    uint64_t size;
};

_Static_assert(sizeof(struct run_out) == 16, "both sides read it as it lies in memory");

#define RUN_OUTS_MAX 64

/* Fields of each sample. Call chains, branches, registers and the stack may be added. */
#define RUN_SAMPLE_TYPE                                                                            \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

#define RUN_BRANCHES (PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE)

/* RUN_PORT_INPUT carries frames: this header, then @length bytes. */
enum run_frame_type {
    RUN_FRAME_SIGNAL = 's', /* length is the number of the signal; no bytes follow */
    RUN_FRAME_INPUT = 'i',
    RUN_FRAME_END = 'e',    /* end of the standard input */
    RUN_FRAME_CLOSED = 'c', /* nobody reads the output of this port, a length, any more */
    /*
     * From the machine, with a path. The answer is the size of an archive (uint32_t, as it lies in
     * memory), and the archive: it is empty if there is no such file.
     */
    RUN_FRAME_LOOK = 'l', /* its name, owner, date and size */
    RUN_FRAME_READ = 'r', /* its content */
    RUN_FRAME_LIST = 'd', /* the names in a directory, each as for RUN_FRAME_LOOK */
};

/*
 * A hollow file has no content in an archive, but a size: its upper and lower half are in this
 * field of its header and the next, which are the numbers of devices in other archives.
 */
#define RUN_HOLLOW_FIELD 9

struct run_frame {
    uint8_t type;
    uint8_t reserved;
    uint16_t length;
};

_Static_assert(sizeof(struct run_frame) == 4, "both sides read it as it lies in memory");

#endif
