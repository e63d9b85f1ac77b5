/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/emulator.h"

#include <elf.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/cache.h"
#include "protocol.h"

#define ARGUMENTS_MAX 96
/*
 * Parts of the kernel's initialisation that take long on an emulated processor and that programs
 * seldom need. docs/limits.md says what the machine lacks without them.
 */
#define LEFT_OUT                                                                                   \
    "cryptomgr.notests initcall_blacklist=jent_mod_init,load_system_certificate_list,"             \
    "trace_eval_init,init_kprobe_trace,bpf_tcp_ca_kfunc_init,bpf_dummy_struct_ops_init"

/* Where a bundle has the kernels and the firmware, from the directory of this program. */
#define SHARE "/../share/vpmu"

const char emulator_bios[] = "seabios/bios-256k.bin";
const char emulator_version[] = "6";
#define ARGUMENT_SIZE 1024

/*
 * What differs between architectures. @built is where make puts the emulator, beside this program's
 * directory; @stored is where the kernel is in the cache, and @firmware where the firmware is. @rom
 * is the option ROM with which QEMU starts a kernel, and @rom_unpacked an unpacked one. @stop is
 * the device with which init stops the machine, see guest/platform.c.
 * @branches gives the CPU branch records. On x86-64 it makes the CPU an Intel Skylake, whose
 * records every kernel has a driver for, with the instructions of "max". @branches_cpu is the name
 * of such a CPU for --cpu; NULL if it is still "max".
 */
struct arch {
    unsigned e_machine;
    const char *names[3];
    const char *built, *installed, *install;
    const char *stored, *system, *firmware;
    const char *package;
    const char *machine, *cpu, *console, *append;
    const char *rom, *rom_unpacked, *stop, *branches, *branches_cpu;
};

static const struct arch arches[] = {
    {
        .e_machine = EM_X86_64,
        .names = {"amd64", "x86-64", "x86_64"},
        .built = "qemu-x86/qemu-system-x86_64",
        .installed = "qemu-system-x86_64-vpmu",
        .install = "install-qemu-x86",
        .stored = "linux-guest-amd64/kernel/boot/vmlinuz-*",
        .system = "/boot/vmlinuz-*-cloud-amd64",
        .firmware = "firmware-amd64/usr/share",
        .package = "linux-image-cloud-amd64",
        .machine = "q35,hpet=off",
        .cpu = "max,pmu-cycles=model",
        .console = "ttyS0",
        .append = "tsc=reliable no_timer_check",
        .rom = "linuxboot_dma.bin",
        .rom_unpacked = "pvh.bin",
        .branches = ",vendor=GenuineIntel,family=6,model=85,stepping=4,num-pmu-counters=8,lbr=on",
        .branches_cpu = "skylake",
    },
    {
        .e_machine = EM_AARCH64,
        .names = {"arm64", "aarch64"},
        .built = "qemu/qemu-system-aarch64",
        .installed = "qemu-system-aarch64-vpmu",
        .install = "install-qemu",
        .stored = "linux-guest/kernel/boot/vmlinuz-*",
        .system = "/boot/vmlinuz-*-cloud-arm64",
        .package = "linux-image-cloud-arm64",
        .machine = "virt,gic-version=3,dtb-randomness=off",
        .cpu = "max,pmu-cycles=model,num-pmu-counters=31",
        .console = "ttyAMA0",
        .append = "",
        .stop = "pvpanic-pci",
        .branches = ",brbe=v1",
    },
};

#define ARCHES (sizeof(arches) / sizeof(arches[0]))

#if defined(__x86_64__)
const unsigned emulator_own = EM_X86_64;
#elif defined(__aarch64__)
const unsigned emulator_own = EM_AARCH64;
#else
#error vpmu-run knows x86-64 and arm64
#endif

unsigned emulator_machine(const char *name)
{
    for (size_t i = 0; i < ARCHES; i++) {
        for (size_t n = 0; n < sizeof(arches[i].names) / sizeof(arches[i].names[0]); n++) {
            if (arches[i].names[n] && strcmp(name, arches[i].names[n]) == 0) {
                return arches[i].e_machine;
            }
        }
    }
    return EM_NONE;
}

static const struct arch *arch_of(unsigned machine)
{
    size_t i = 0;

    while (i < ARCHES && arches[i].e_machine != machine) {
        i++;
    }
    return i < ARCHES ? &arches[i] : NULL;
}

bool emulator_executes(unsigned machine)
{
    return arch_of(machine) != NULL;
}

/* The CPU of machines for which --cpu names no other one. */
static const char emulator_max[] = "max";

int emulator_set_cpu(struct emulator *e, const char *name, struct failure *f)
{
    const struct arch *arch = arch_of(e->machine);

    if (strcmp(name, emulator_max) == 0) {
        return 0;
    }
    if (!arch->branches_cpu || strcmp(name, arch->branches_cpu) != 0) {
        return failure_set(f, FAILURE_RUN, "--cpu: no CPU '%s' for %s programs; known: %s%s%s",
                           name, arch->names[0], emulator_max, arch->branches_cpu ? ", " : "",
                           arch->branches_cpu ? arch->branches_cpu : "");
    }
    e->branches = true;
    return 0;
}

const char *emulator_branches_cpu(const struct emulator *e)
{
    const char *name = arch_of(e->machine)->branches_cpu;

    return name ? name : emulator_max;
}

static bool readable(const char *path)
{
    return access(path, R_OK) == 0;
}

/* own_directory() - where this program lies */
static void own_directory(char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    char *slash;

    path[n < 0 ? 0 : n] = '\0';
    slash = strrchr(path, '/');
    if (slash) {
        *slash = '\0';
    }
}

static bool find_in_path(const char *name, char *found, size_t size)
{
    for (const char *at = getenv("PATH"); at; at = strchr(at, ':')) {
        at += *at == ':';
        snprintf(found, size, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (access(found, X_OK) == 0) {
            return true;
        }
    }
    return false;
}

bool emulator_beside(const char *name, char *path, size_t size)
{
    char own[PATH_MAX / 2];

    own_directory(own, sizeof(own));
    snprintf(path, size, "%s/%s", own, name);
    return access(path, X_OK) == 0 || find_in_path(name, path, size);
}

static int find_qemu(struct emulator *e, const char *named, struct failure *f)
{
    const struct arch *arch = arch_of(e->machine);
    char own[PATH_MAX / 2];

    own_directory(own, sizeof(own));
    if (named) {
        snprintf(e->qemu, sizeof(e->qemu), "%s", named);
        return access(named, X_OK) == 0
                   ? 0
                   : failure_set(f, FAILURE_RUN, "--emulator %s cannot be executed", named);
    }
    snprintf(e->qemu, sizeof(e->qemu), "%s/../%s", own, arch->built);
    if (access(e->qemu, X_OK) == 0) {
        return 0;
    }
    if (emulator_beside(arch->installed, e->qemu, sizeof(e->qemu))) {
        return 0;
    }
    return failure_set(
        f, FAILURE_RUN,
        "there is no %s: install it (make %s, or its package), or name one with --emulator",
        arch->installed, arch->install);
}

/* newest() - the match with the highest version */
static bool newest(const char *pattern, char *found, size_t size)
{
    glob_t files;
    bool any = false;

    if (glob(pattern, 0, NULL, &files) != 0) {
        return false;
    }
    found[0] = '\0';
    for (size_t i = 0; i < files.gl_pathc; i++) {
        if (readable(files.gl_pathv[i]) && strverscmp(files.gl_pathv[i], found) > 0) {
            snprintf(found, size, "%s", files.gl_pathv[i]);
            any = true;
        }
    }
    globfree(&files);
    return any;
}

int emulator_find_kernel(struct emulator *e, const char *named, struct failure *f)
{
    const struct arch *arch = arch_of(e->machine);
    char own[PATH_MAX / 2], pattern[PATH_MAX];

    if (named) {
        snprintf(e->kernel, sizeof(e->kernel), "%s", named);
        return readable(named) ? 0
                               : failure_set(f, FAILURE_RUN, "--kernel %s cannot be read", named);
    }
    own_directory(own, sizeof(own));
    snprintf(pattern, sizeof(pattern), "%s" SHARE "/%s", own, arch->stored);
    if (newest(pattern, e->kernel, sizeof(e->kernel))) {
        return 0;
    }
    snprintf(pattern, sizeof(pattern), "%s/%s", cache_root() ? cache_root() : "", arch->stored);
    if (newest(pattern, e->kernel, sizeof(e->kernel)) ||
        newest(arch->system, e->kernel, sizeof(e->kernel))) {
        return 0;
    }
    return failure_set(f, FAILURE_RUN,
                       "there is no kernel for the machine: install %s, run make run-kernel in the "
                       "source of vpmu, or name one with --kernel",
                       arch->package);
}

bool emulator_has_firmware(const struct emulator *e)
{
    return arch_of(e->machine)->firmware != NULL;
}

/* has_bios() - is the BIOS of the machine in @e->firmware? */
static bool has_bios(const struct emulator *e)
{
    char bios[2 * PATH_MAX];

    snprintf(bios, sizeof(bios), "%s/%s", e->firmware, emulator_bios);
    return readable(bios);
}

/*
 * find_firmware() - that which is fetched with the kernel, or lies beside this program
 * Firmware of another version leaves the machine in another state, and then the kernel counts
 * differ.
 */
static void find_firmware(struct emulator *e)
{
    const char *directory = arch_of(e->machine)->firmware;
    char own[PATH_MAX / 2];

    own_directory(own, sizeof(own));
    snprintf(e->firmware, sizeof(e->firmware), "%s" SHARE "/%s", own, directory ? directory : "");
    if (directory && !has_bios(e) && cache_root()) {
        snprintf(e->firmware, sizeof(e->firmware), "%s/%s", cache_root(), directory);
    }
    if (!directory || !has_bios(e)) {
        e->firmware[0] = '\0';
    }
}

int emulator_find(struct emulator *e, const char *qemu, const char *kernel, struct failure *f)
{
    find_firmware(e);
    return find_qemu(e, qemu, f) != 0 ? -1 : emulator_find_kernel(e, kernel, f);
}

/* The command line of QEMU. */
struct command {
    char *argument[ARGUMENTS_MAX + 1];
    size_t n;
};

static void add(struct command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct command *c, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    if (c->n == ARGUMENTS_MAX || vasprintf(&c->argument[c->n], format, ap) < 0) {
        _exit(FAILURE_RUN);
    }
    c->argument[++c->n] = NULL;
    va_end(ap);
}

static void option(struct command *c, const char *name, const char *value)
{
    add(c, "%s", name);
    add(c, "%s", value);
}

/*
 * add_port() - a port of virtio-serial whose other end is a file in memory
 * Writing to it never waits, so that the machine's time does not depend on a reader.
 */
static void add_port(struct command *c, unsigned port, int fd)
{
    add(c, "-chardev");
    add(c, "file,id=port%u,path=/proc/self/fd/%d", port, fd);
    add(c, "-device");
    add(c, "virtserialport,nr=%u,chardev=port%u", port, port);
}

/* add_devices() - without ioeventfd, the processor that writes to a device waits for the device */
static void add_devices(struct command *c, const struct arch *arch, const struct emulator_fds *fds)
{
    option(c, "-device", "virtio-serial-pci,ioeventfd=off,max_ports=8");
    add_port(c, RUN_PORT_STDOUT, fds->out);
    add_port(c, RUN_PORT_STDERR, fds->err);
    add_port(c, RUN_PORT_RESULT, fds->result);
    add_port(c, RUN_PORT_RECORD, fds->record);
    add(c, "-chardev");
    add(c, "socket,id=input,fd=%d", fds->input);
    add(c, "-device");
    add(c, "virtserialport,nr=%u,chardev=input", RUN_PORT_INPUT);
    add(c, "-chardev");
    add(c, "file,id=console,path=/proc/self/fd/%d", fds->console);
    option(c, "-serial", "chardev:console");
    if (arch->stop) {
        option(c, "-device", arch->stop);
    }
}

static void add_time(struct command *c, const struct emulator *e)
{
    if (e->fast) {
        option(c, "-accel", "tcg,thread=multi,tb-size=256");
        return;
    }
    option(c, "-accel", "tcg,thread=single,tb-size=64");
    option(c, "-icount", e->net ? "shift=0,sleep=on" : "shift=0,sleep=off");
    option(c, "-rtc", "base=2025-01-01T00:00:00,clock=vm");
    add(c, "-seed");
    add(c, "%llu", e->seed);
}

/* add_state() - a machine is stopped when it is ready, and a stopped one continues */
static void add_state(struct command *c, const struct emulator_fds *fds)
{
    if (fds->restore) {
        add(c, "-incoming");
        add(c, "file:/proc/self/fd/%d", fds->state);
        if (fds->monitor >= 0) {
            add(c, "-S");
        }
        return;
    }
    add(c, "-initrd");
    add(c, "/proc/self/fd/%d", fds->initramfs);
    option(c, "-action", "shutdown=pause,panic=pause");
}

static void add_monitor(struct command *c, const struct emulator_fds *fds)
{
    if (fds->monitor >= 0) {
        add(c, "-chardev");
        add(c, "socket,id=monitor,fd=%d", fds->monitor);
        option(c, "-mon", "chardev=monitor,mode=control");
    }
}

/*
 * add_kernel() - the kernel and its parameters
 * A machine that continues has them in its memory already. Only the option ROM has to be there.
 */
static void add_kernel(struct command *c, const struct emulator *e, const struct emulator_fds *fds)
{
    const struct arch *arch = arch_of(e->machine);

    if (fds->restore && arch->rom) {
        option(c, "-option-rom", e->unpacked ? arch->rom_unpacked : arch->rom);
        return;
    }
    add(c, "-kernel");
    if (fds->kernel >= 0) {
        add(c, "/proc/self/fd/%d", fds->kernel);
    } else {
        add(c, "%s", e->kernel);
    }
    add(c, "-append");
    add(c,
        "console=%s quiet loglevel=3 panic=-1 nowatchdog nmi_watchdog=0 " LEFT_OUT
        " random.trust_cpu=1 nokaslr norandmaps %s rdinit=" RUN_INIT,
        arch->console, arch->append);
}

void emulator_execute(const struct emulator *e, const struct emulator_fds *fds)
{
    /* The BIOS, and the ROM that starts a kernel. */
    static const char *const directories[] = {"seabios", "qemu"};
    const struct arch *arch = arch_of(e->machine);
    struct command c = {{NULL}, 0};

    add(&c, "%s", e->qemu);
    option(&c, "-name", "vpmu-run");
    for (size_t i = 0; e->firmware[0] && i < sizeof(directories) / sizeof(directories[0]); i++) {
        add(&c, "-L");
        add(&c, "%s/%s", e->firmware, directories[i]);
    }
    option(&c, "-M", arch->machine);
    add(&c, "-cpu");
    add(&c, "%s%s", arch->cpu, e->branches ? arch->branches : "");
    add(&c, "-smp");
    add(&c, "%u", e->cpus);
    add(&c, "-m");
    add(&c, "%u", e->memory);
    add_time(&c, e);
    add(&c, "-nodefaults");
    add(&c, "-no-user-config");
    add(&c, "-no-reboot");
    option(&c, "-nic", "none");
    option(&c, "-display", "none");
    option(&c, "-monitor", "none");
    add_devices(&c, arch, fds);
    /* The number of the device with the ports is the same with and without it. */
    if (e->net) {
        option(&c, "-netdev", "user,id=net");
        option(&c, "-device", "virtio-net-pci,netdev=net,romfile=,ioeventfd=off");
    }
    /* Each page of memory has its place in the file: pages of zeros are neither saved nor loaded.
     */
    option(&c, "-global", "migration.mapped-ram=on");
    /* The state says that the machine is stopped. It continues at once. */
    option(&c, "-global", "migration.store-global-state=off");
    add(&c, "-fw_cfg");
    add(&c, "name=" RUN_FILES ",file=/proc/self/fd/%d", fds->files);
    add_state(&c, fds);
    add_monitor(&c, fds);
    add_kernel(&c, e, fds);
    execv(e->qemu, c.argument);
}
