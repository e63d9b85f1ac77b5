/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Known system calls of threads and children: 3 threads with 100 getppid() each, 4 children with
 * 7 getuid() each, and 50 write() of the program itself.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *ask(void *unused)
{
    for (unsigned i = 0; i < 100; i++) {
        syscall(SYS_getppid);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[3];

    for (unsigned i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, ask, NULL);
    }
    for (unsigned i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    for (unsigned i = 0; i < 4; i++) {
        if (fork() == 0) {
            for (unsigned n = 0; n < 7; n++) {
                syscall(SYS_getuid);
            }
            _exit(0);
        }
    }
    while (wait(NULL) > 0) {
    }
    for (unsigned i = 0; i < 50; i++) {
        if (write(STDOUT_FILENO, "x", 1) != 1) {
            return 1;
        }
    }
    return 0;
}
