/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/snapshot.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/archive.h"
#include "base/hash.h"
#include "init-image.h"
#include "machine/cache.h"
#include "machine/kernel.h"
#include "machine/modules.h"
#include "machine/monitor.h"
#include "machine/process.h"
#include "machine/state-clock.h"
#include "protocol.h"

/*
 * mix_file() - a file is another one if its content differs
 * Where it lies and when it was written does not matter, so that a state from the cache of a CI
 * service fits on the next computer.
 */
static uint64_t mix_file(uint64_t hash, const char *name)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    struct stat st = {0};
    void *map = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (map != MAP_FAILED) {
        hash = hash_words(hash, map, (size_t)st.st_size);
        munmap(map, (size_t)st.st_size);
    }
    if (fd >= 0) {
        close(fd);
    }
    return hash_more(hash, &st.st_size, sizeof(st.st_size));
}

static const void *init_of(const struct emulator *e, size_t *size)
{
    bool arm = e->machine == EM_AARCH64;

    *size = arm ? init_arm64_size : init_amd64_size;
    return arm ? init_arm64 : init_amd64;
}

static uint64_t key_of(const struct emulator *e)
{
    const unsigned parts[] = {e->memory, e->cpus, e->fast, e->branches, e->net};
    uint64_t hash = hash_more(HASH_SEED, parts, sizeof(parts));
    size_t size;
    const void *init = init_of(e, &size);
    char bios[2 * PATH_MAX];

    hash = hash_more(hash, init, size);
    hash = hash_more(hash, emulator_version, strlen(emulator_version));
    if (e->firmware[0]) {
        snprintf(bios, sizeof(bios), "%s/%s", e->firmware, emulator_bios);
        hash = mix_file(hash, bios);
    }
    return mix_file(mix_file(hash, e->qemu), e->kernel);
}

/* pack_init() - makes an initramfs with init and modules. Return: a descriptor, or -1. */
static int pack_init(const struct emulator *e, struct failure *f)
{
    const struct stat directory = {.st_mode = S_IFDIR | 0755}, file = {.st_mode = S_IFREG | 0755};
    static const char *const directories[] = {"/dev", "/proc", "/sys", RUN_DIRECTORY};
    struct archive a;
    size_t size;
    const void *init = init_of(e, &size);
    int err = 0;

    if (archive_open(&a, 64 << 20, f) != 0) {
        return -1;
    }
    for (size_t i = 0; !err && i < sizeof(directories) / sizeof(directories[0]); i++) {
        err = archive_add(&a, directories[i], &directory, NULL, 0, f);
    }
    if (err || archive_add(&a, RUN_INIT, &file, init, size, f) != 0 ||
        modules_pack(e->kernel, e->net, &a, f) != 0 || archive_end(&a, f) != 0) {
        archive_close(&a);
        return -1;
    }
    return a.fd;
}

/* check_ready() - was the machine ready when it stopped? */
static int check_ready(const struct process *p, const struct emulator_fds *fds, struct failure *f)
{
    char text[512];
    ssize_t n = pread(fds->result, text, sizeof(text) - 1, 0);

    text[n < 0 ? 0 : n] = '\0';
    if (strcmp(text, "ready\n") == 0) {
        return 0;
    }
    if (strncmp(text, "error ", 6) == 0) {
        text[strcspn(text, "\n")] = '\0';
        return failure_set(f, FAILURE_RUN, "in the machine: %s", text + 6);
    }
    return process_explain(p, fds->console, f);
}

/* boot() - starts a machine and writes its state to @fds->state */
static int boot(const struct emulator *e, struct emulator_fds *fds, int monitor, struct failure *f)
{
    struct process p;
    int err = process_start(&p, e, fds, NULL, f);

    close(fds->monitor);
    fds->monitor = -1;
    if (err) {
        close(monitor);
    } else {
        err = monitor_save(monitor, fds->state, f);
        if (check_ready(&p, fds, f) != 0 || (err && !f->text[0])) {
            err = f->text[0] ? -1 : process_explain(&p, fds->console, f);
        }
    }
    process_stop(&p);
    return err || e->fast ? err : state_clock_settle_file(fds->state, f);
}

/* make() - makes a state. Return: a descriptor of a file in memory, or -1. */
static int make(struct emulator *e, struct failure *f)
{
    struct emulator_fds fds = EMULATOR_FDS_NONE;
    int monitor[2] = {-1, -1}, input[2] = {-1, -1}, err = -1;

    fds.kernel = kernel_open(e->kernel);
    e->unpacked = fds.kernel >= 0;
    fds.initramfs = pack_init(e, f);
    fds.console = process_file("vpmu-run-console", f);
    fds.out = process_file("vpmu-run-out", f);
    fds.err = process_file("vpmu-run-err", f);
    fds.result = process_file("vpmu-run-result", f);
    fds.record = process_file("vpmu-run-record", f);
    fds.files = process_file("vpmu-run-files", f);
    fds.state = process_file("vpmu-run-state", f);
    if (fds.initramfs >= 0 && fds.console >= 0 && fds.out >= 0 && fds.err >= 0 && fds.result >= 0 &&
        fds.record >= 0 && fds.files >= 0 && fds.state >= 0) {
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, monitor) != 0 ||
            socketpair(AF_UNIX, SOCK_STREAM, 0, input) != 0) {
            failure_set(f, FAILURE_RUN, "cannot create a socket: %s", strerror(errno));
        } else {
            fcntl(monitor[0], F_SETFD, FD_CLOEXEC);
            fds.monitor = monitor[1];
            fds.input = input[1];
            err = boot(e, &fds, monitor[0], f);
        }
    }
    close(input[0]);
    close(input[1]);
    close(fds.kernel);
    close(fds.initramfs);
    close(fds.console);
    close(fds.out);
    close(fds.err);
    close(fds.result);
    close(fds.record);
    close(fds.files);
    if (err && fds.state >= 0) {
        close(fds.state);
    }
    return err ? -1 : fds.state;
}

static void name_state(const struct emulator *e, uint64_t key, char *name, size_t size)
{
    snprintf(name, size, "%uM-%ucpu%s%s-%016" PRIx64, e->memory, e->cpus, e->fast ? "-fast" : "",
             e->unpacked ? "-unpacked" : "", key);
}

/* What a state begins with: "QEVM", a version, this tag, and the machine's type after its length.
 */
#define STATE_TAG 7u
#define STATE_TYPE 13u

/* read_type() - the machine's type in a state; "unknown" if it has none */
static void read_type(int fd, char *type, size_t size)
{
    unsigned char head[STATE_TYPE + 64] = {0};
    ssize_t n = pread(fd, head, sizeof(head) - 1, 0);
    size_t length = head[STATE_TYPE - 1];

    if (n < (ssize_t)STATE_TYPE || head[STATE_TYPE - 5] != STATE_TAG || length >= size ||
        (ssize_t)(STATE_TYPE + length) > n) {
        snprintf(type, size, "unknown");
        return;
    }
    snprintf(type, size, "%.*s", (int)length, (const char *)head + STATE_TYPE);
}

int snapshot_open(struct emulator *e, struct failure *f)
{
    uint64_t key = key_of(e);
    char name[64];
    int fd = -1;

    /* Which one there is tells how the kernel was started. */
    for (int unpacked = 1; fd < 0 && unpacked >= 0; unpacked--) {
        e->unpacked = unpacked;
        name_state(e, key, name, sizeof(name));
        fd = cache_open(name);
    }
    if (fd < 0) {
        fd = make(e, f);
        if (fd >= 0) {
            name_state(e, key, name, sizeof(name));
            cache_keep(fd, name);
            lseek(fd, 0, SEEK_SET);
        }
    }
    if (fd >= 0) {
        read_type(fd, e->type, sizeof(e->type));
    }
    return fd;
}

void snapshot_discard(const struct emulator *e)
{
    uint64_t key = key_of(e);
    char name[64];

    name_state(e, key, name, sizeof(name));
    cache_discard(name);
}
