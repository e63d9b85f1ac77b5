/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * init PROGRAM [ARGUMENT...]: the first process. It makes the system usable, runs /vpmu/PROGRAM
 * with the arguments (those after "--" on the kernel's command line), and powers off.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static const struct {
    const char *type;
    const char *where;
} mounts[] = {
    {"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"debugfs", "/sys/kernel/debug"},
    {"tmpfs", "/tmp"},
};

/*
 * perf may do everything and is never slowed down. Huge pages do not change the page faults. A
 * real-time task never has to wait for others, which would be a context switch.
 */
static const struct {
    const char *pattern;
    const char *value;
} settings[] = {
    {"/proc/sys/kernel/perf_event_paranoid", "-1"},
    {"/proc/sys/kernel/perf_event_max_sample_rate", "1000000"},
    {"/proc/sys/kernel/perf_cpu_time_max_percent", "0"},
    {"/proc/sys/kernel/kptr_restrict", "0"},
    {"/proc/sys/kernel/watchdog", "0"},
    {"/proc/sys/kernel/sched_rt_runtime_us", "-1"},
    {"/sys/kernel/debug/sched/fair_server/cpu*/runtime", "0"},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "never"},
};

static void mount_all(void)
{
    for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
        mkdir(mounts[i].where, 0755);
        if (mount(mounts[i].type, mounts[i].where, mounts[i].type, 0, NULL) != 0) {
            perror(mounts[i].where);
        }
    }
}

static void set(const char *path, const char *value)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    size_t length = strlen(value);

    if (fd < 0 || write(fd, value, length) != (ssize_t)length) {
        perror(path);
    }
    if (fd >= 0) {
        close(fd);
    }
}

static void set_all(void)
{
    glob_t found;

    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        if (glob(settings[i].pattern, 0, NULL, &found) != 0) {
            fprintf(stderr, "%s: not there\n", settings[i].pattern);
            continue;
        }
        for (size_t j = 0; j < found.gl_pathc; j++) {
            set(found.gl_pathv[j], settings[i].value);
        }
        globfree(&found);
    }
}

static void run(char **argv)
{
    char path[64];
    pid_t child;

    snprintf(path, sizeof(path), "/vpmu/%s", argv[0]);
    child = fork();
    if (child == 0) {
        execv(path, argv);
        perror(path);
        _exit(127);
    }
    while (child > 0 && waitpid(child, NULL, 0) != child) {
    }
}

int main(int argc, char **argv)
{
    static char suite[] = "suite";
    char *fallback[] = {suite, NULL};

    mount_all();
    set_all();
    setenv("PATH", "/usr/bin:/usr/sbin:/bin", 1);
    setenv("HOME", "/tmp", 1);
    setenv("PAGER", "cat", 1);
    run(argc > 1 ? argv + 1 : fallback);
    sync();
    /* What the console has not sent yet would be lost. */
    tcdrain(STDOUT_FILENO);
    reboot(RB_POWER_OFF);
    return 1;
}
