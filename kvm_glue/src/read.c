/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads small files and registers of vCPUs. */
#include "internal.h"
#include "kvm_arm64.h"

int kvm_glue_read_text_(const struct kvm_glue_os *os, const char *path, char *buf, size_t len)
{
    int fd = os->open(path);
    ssize_t got;

    if (fd < 0) {
        return fd;
    }
    got = os->pread(fd, buf, len - 1, 0);
    os->close(fd);
    if (got < 0) {
        return (int)got;
    }
    buf[got] = '\0';
    return 0;
}

static int access_reg(const struct kvm_glue_os *os, int vcpu_fd, unsigned long request, uint64_t id,
                      uint64_t *value)
{
    struct kvm_one_reg reg = {.id = id, .addr = (uint64_t)(uintptr_t)value};
    int ret = os->ioctl(vcpu_fd, request, &reg);

    return ret < 0 ? ret : 0;
}

int kvm_glue_get_reg_(const struct kvm_glue_os *os, int vcpu_fd, uint64_t id, uint64_t *value)
{
    return access_reg(os, vcpu_fd, KVM_GET_ONE_REG, id, value);
}

int kvm_glue_set_reg_(const struct kvm_glue_os *os, int vcpu_fd, uint64_t id, uint64_t value)
{
    return access_reg(os, vcpu_fd, KVM_SET_ONE_REG, id, &value);
}
