/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network interfaces: loopback, and the one that --net=user gives. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <net/route.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest.h"

/* The addresses that QEMU's user network has for its guest and for itself. */
#define ADDRESS "10.0.2.15"
#define NETMASK "255.255.255.0"
#define GATEWAY "10.0.2.2"

static struct sockaddr address_of(const char *text)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr address;

    inet_pton(AF_INET, text, &in.sin_addr);
    memcpy(&address, &in, sizeof(address));
    return address;
}

static int set_up(int fd, const char *name)
{
    struct ifreq interface = {.ifr_flags = IFF_UP | IFF_RUNNING};

    snprintf(interface.ifr_name, sizeof(interface.ifr_name), "%s", name);
    return ioctl(fd, SIOCSIFFLAGS, &interface);
}

void network_loopback(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    /* A kernel without it has no programs that need it. */
    if (fd >= 0) {
        set_up(fd, "lo");
        close(fd);
    }
}

void network_user(void)
{
    struct ifreq interface = {.ifr_name = "eth0"};
    struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

    interface.ifr_addr = address_of(ADDRESS);
    err = fd < 0 || ioctl(fd, SIOCSIFADDR, &interface) != 0;
    interface.ifr_netmask = address_of(NETMASK);
    err = err || ioctl(fd, SIOCSIFNETMASK, &interface) != 0 || set_up(fd, "eth0") != 0;
    route.rt_dst = route.rt_genmask = address_of("0.0.0.0");
    route.rt_gateway = address_of(GATEWAY);
    if (err || ioctl(fd, SIOCADDRT, &route) != 0) {
        guest_die("--net: the kernel has no virtio network, or its modules are not in lib/modules "
                  "beside its directory boot: %s",
                  strerror(errno));
    }
    close(fd);
}
