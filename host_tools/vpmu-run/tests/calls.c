/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Known system calls of threads and children: 3 threads with 100 getppid() each, 4 children with
 * 7 getuid() each, and 50 write() of the program itself. With an argument there are no threads:
 * which futex() they call depends on when they run.
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

int main(int argc, char **argv)
{
    const unsigned n_threads = argc > 1 ? 0 : 3;
    pthread_t threads[3];

    (void)argv;
    for (unsigned i = 0; i < n_threads; i++) {
        pthread_create(&threads[i], NULL, ask, NULL);
    }
    for (unsigned i = 0; i < n_threads; i++) {
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
