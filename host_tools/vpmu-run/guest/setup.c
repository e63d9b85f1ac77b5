/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the machine usable: file systems, ports, settings. */
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

static const struct {
    const char *type, *where, *options;
} mounts[] = {
    {"proc", "/proc", NULL},
    {"sysfs", "/sys", NULL},
    {"devtmpfs", "/dev", NULL},
    {"devpts", "/dev/pts", "ptmxmode=0666"},
    {"tmpfs", "/dev/shm", "mode=1777"},
    {"tracefs", "/sys/kernel/tracing", NULL},
};

static const struct {
    const char *link, *to;
} links[] = {
    {"/dev/fd", "/proc/self/fd"},
    {"/dev/stdin", "/proc/self/fd/0"},
    {"/dev/stdout", "/proc/self/fd/1"},
    {"/dev/stderr", "/proc/self/fd/2"},
};

/* perf counts everything, and the kernel neither checks nor limits it meanwhile. */
static const struct {
    const char *path, *value;
} settings[] = {
    {"/proc/sys/kernel/perf_event_paranoid", "-1"},
    /* This one has to come first: with no limit of the time, it cannot be changed. */
    {"/proc/sys/kernel/perf_event_max_sample_rate", "1000000000"},
    {"/proc/sys/kernel/perf_cpu_time_max_percent", "0"},
    {"/proc/sys/kernel/sched_autogroup_enabled", "0"},
    /* Pages that firmware_prepare() has looked up stay where they are. */
    {"/proc/sys/vm/compact_unevictable_allowed", "0"},
    /* A task that runs alone is not preempted by the fair scheduler's other classes. */
    {"/proc/sys/kernel/sched_rt_runtime_us", "-1"},
};

static const char *const modules[] = {RUN_MODULES, RUN_NET_MODULES};

/* MODULE_INIT_COMPRESSED_FILE of linux/module.h, from Linux 5.17 on */
#define COMPRESSED 4

/* How long a port may take to appear, in milliseconds. */
#define PORT_WAIT 2000

/* The kernel's free list begins with what it freed last, so this needs not be all memory. */
#define CLEANED (16u << 20)

static int result = -1;
/* It tells at the end whether processes were killed. */
static FILE *vmstat;

void guest_stop(void)
{
    guest_result("end");
    /* vpmu-run ends the machine when it sees that line. This is for when it does not. */
    reboot(RB_POWER_OFF);
    for (;;) {
        pause();
    }
}

void guest_result(const char *format, ...)
{
    char line[512];
    va_list ap;
    int n;

    va_start(ap, format);
    n = vsnprintf(line, sizeof(line) - 1, format, ap);
    va_end(ap);
    if (n < 0) {
        return;
    }
    if ((size_t)n > sizeof(line) - 2) {
        n = sizeof(line) - 2;
    }
    line[n] = '\n';
    if (result < 0 || write(result, line, (size_t)n + 1) < 0) {
        /* The console is what vpmu-run shows if there is no result. */
        fprintf(stderr, "vpmu-run: %.*s\n", n, line);
    }
}

void guest_die(const char *format, ...)
{
    char text[400];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    guest_result("error %s", text);
    guest_stop();
}

void setup_mount(void)
{
    for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
        mkdir(mounts[i].where, 0755);
        mount(mounts[i].type, mounts[i].where, mounts[i].type, 0, mounts[i].options);
    }
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        if (symlink(links[i].to, links[i].link) != 0 && errno != EEXIST) {
            guest_die("cannot make %s: %s", links[i].link, strerror(errno));
        }
    }
}

int guest_port(enum run_port port, int flags)
{
    static int open_ports[RUN_PORT_RECORD + 1];
    char path[32];
    int fd = open_ports[port];

    if (fd > 0) {
        return fd;
    }
    snprintf(path, sizeof(path), "/dev/vport0p%u", (unsigned)port);
    fd = open(path, flags | O_CLOEXEC);
    /* A module that has just been loaded learns of its ports a little later. */
    for (int i = 0; fd < 0 && (errno == ENOENT || errno == ENXIO) && i < PORT_WAIT; i++) {
        usleep(1000);
        fd = open(path, flags | O_CLOEXEC);
    }
    if (fd < 0) {
        guest_die("the kernel has no virtio console, or its modules are not in lib/modules beside "
                  "its directory boot: %s: %s",
                  path, strerror(errno));
    }
    open_ports[port] = fd;
    return fd;
}

/* is_compressed() - with xz, as Debian 13 has them. The kernel decompresses such a module. */
static bool is_compressed(int fd)
{
    static const char magic[] = {'\xfd', '7', 'z', 'X', 'Z', 0};
    char start[sizeof(magic)];

    return pread(fd, start, sizeof(start), 0) == (ssize_t)sizeof(start) &&
           memcmp(start, magic, sizeof(start)) == 0;
}

void setup_modules(void)
{
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        char path[64];
        int fd;

        snprintf(path, sizeof(path), RUN_DIRECTORY "%s.ko", strrchr(modules[i], '/'));
        fd = open(path, O_RDONLY | O_CLOEXEC);
        /* Most kernels need no module. */
        if (fd >= 0) {
            if (syscall(SYS_finit_module, fd, "", is_compressed(fd) ? COMPRESSED : 0) != 0) {
                guest_die("cannot load the kernel's module %s: %s", path, strerror(errno));
            }
            close(fd);
        }
    }
}

void setup_ports(void)
{
    result = guest_port(RUN_PORT_RESULT, O_WRONLY);
    guest_port(RUN_PORT_STDOUT, O_WRONLY);
    guest_port(RUN_PORT_STDERR, O_WRONLY);
    guest_port(RUN_PORT_INPUT, O_RDWR);
}

static void set(const char *path, const char *value)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    /* Kernels differ: a setting that does not exist is not needed. */
    if (fd >= 0) {
        if (write(fd, value, strlen(value)) < 0) {
            fprintf(stderr, "vpmu-run: cannot set %s: %s\n", path, strerror(errno));
        }
        close(fd);
    }
}

void setup_kernel(void)
{
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        set(settings[i].path, settings[i].value);
    }
    vmstat = fopen("/proc/vmstat", "re");
    set("/proc/sys/kernel/randomize_va_space", "0");
    /* A name that /etc/hosts has. */
    if (sethostname("localhost", strlen("localhost")) != 0) {
        guest_die("cannot set the name of the machine: %s", strerror(errno));
    }
}

void setup_clean(void)
{
    void *pages = mmap(NULL, CLEANED, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (pages != MAP_FAILED) {
        munmap(pages, CLEANED);
    }
}

void setup_report(void)
{
    char line[128];
    unsigned killed;

    while (vmstat && fgets(line, sizeof(line), vmstat)) {
        if (sscanf(line, "oom_kill %u", &killed) == 1 && killed > 0) {
            guest_result("killed %u", killed);
        }
    }
}

void setup_date(unsigned long long date)
{
    const struct timespec now = {.tv_sec = (time_t)date};

    if (date && clock_settime(CLOCK_REALTIME, &now) != 0) {
        guest_die("cannot set the date: %s", strerror(errno));
    }
}

void setup_random(unsigned long long seed)
{
    int fd;

    if (!seed) {
        return;
    }
    set("/proc/sys/kernel/randomize_va_space", "2");
    fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, &seed, sizeof(seed)) < 0 || ioctl(fd, RNDRESEEDCRNG) != 0) {
        guest_die("cannot choose random numbers: %s", strerror(errno));
    }
    close(fd);
}
