/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the unit tests and prints PASS or FAIL for each. The last line is check's own summary. */
#include <dirent.h>
#include <linux/sockios.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "fixtures/perffiles.h"
#include "unit/tests.h"

static Suite *(*const suites[])(void) = {
    response_suite,
    code_maps_suite,
    columns_suite,
    cpuperf_suite,
    cpuperf_trace_suite,
    decode_suite,
    demangle_suite,
    events_suite,
    filesymbols_suite,
    format_suite,
    functions_suite,
    callgrind_suite,
    lcov_suite,
    valgrind_lines_suite,
    fxt_suite,
    guest_suite,
    histogram_suite,
    debug_file_suite,
    image_suite,
    kernel_suite,
    bpf_code_suite,
    modules_suite,
    page_cache_suite,
    btf_suite,
    link_register_suite,
    listen_suite,
    measure_suite,
    measure_options_suite,
    metrics_suite,
    out_suite,
    replacement_suite,
    perfreader_suite,
    perfmaps_suite,
    perfsample_suite,
    objdump_suite,
    disassembly_suite,
    file_ids_suite,
    profile_suite,
    profile_options_suite,
    prometheus_suite,
    kept_maps_suite,
    recording_suite,
    recording_threads_suite,
    recording_maps_suite,
    recording_code_suite,
    recording_kernel_suite,
    sampling_suite,
    guest_names_suite,
    guest_code_suite,
    guest_files_suite,
    event_totals_suite,
    samplefile_suite,
    seekable_suite,
    stat_suite,
    distance_suite,
    token_suite,
    written_maps_suite,
    pager_suite,
    report_suite,
    script_suite,
    html_suite,
    thread_filter_suite,
    socket_users_suite,
    source_lines_suite,
    line_answers_suite,
    x86_suite,
    hot_functions_suite,
    branches_suite,
    buildids_suite,
    branch_rows_suite,
    nested_guests_suite,
    stage2_suite,
    accesses_suite,
    dynamic_symbols_suite,
    plt_suite,
    unwind_suite,
    without_tables_suite,
    guest_threads_suite,
    qmp_socket_suite,
    memory_suite,
    libvirt_suite,
    start_arguments_suite,
    perfdata_suite,
    perfdata_files_suite,
    failing_memory_suite,
    failing_output_suite,
};

/* What a test opens is closed at its end. */
static unsigned open_before;

unsigned count_descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    unsigned n = 0;

    ck_assert_ptr_nonnull(d);
    while (readdir(d)) {
        n++;
    }
    closedir(d);
    return n;
}

static void begin_test(void)
{
    ck_assert_int_ge(perffiles_open(), 0);
    open_before = count_descriptors();
}

static void end_test(void)
{
    ck_assert_msg(count_descriptors() == open_before, "%u descriptors were open, and now %u",
                  open_before, count_descriptors());
}

Suite *suite_of(const char *name, const TTest *const tests[], size_t count)
{
    Suite *suite = suite_create(name);

    for (size_t i = 0; i < count; i++) {
        TCase *tcase = tcase_create(tests[i]->name);

        tcase_add_checked_fixture(tcase, begin_test, end_test);
        tcase_add_test(tcase, tests[i]);
        suite_add_tcase(suite, tcase);
    }
    return suite;
}

void make_temporary(char path[sizeof(TEMPORARY_PATH)], const void *data, size_t n)
{
    int fd = mkstemp(strcpy(path, TEMPORARY_PATH));

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, data, n), (ssize_t)n);
    close(fd);
}

static void print_result(TestResult *result)
{
    if (tr_rtype(result) == CK_PASS) {
        printf("PASS tools unit %s\n", tr_tcname(result));
    } else {
        printf("FAIL tools unit %s: %s after %s:%d\n", tr_tcname(result), tr_msg(result),
               tr_lfile(result), tr_lno(result));
    }
}

/* Sends each byte to the standard output, a socket, when the one before has been read. "silent"
 * sends nothing, "endless" the word again and again; they do not end. */
static int send_bytes(const char *text)
{
    while (strcmp(text, "silent") == 0) {
        pause();
    }
    while (strcmp(text, "endless") == 0) {
        if (write(STDOUT_FILENO, text, strlen(text)) < 0) {
            return EXIT_FAILURE;
        }
    }
    for (int unread = 0; *text; text++) {
        if (write(STDOUT_FILENO, text, 1) != 1) {
            return EXIT_FAILURE;
        }
        while (ioctl(STDOUT_FILENO, SIOCOUTQ, &unread) == 0 && unread) {
            sched_yield();
        }
    }
    return EXIT_SUCCESS;
}

/*
 * Answers each command with the URI and the UUID. "ends" ends instead, with an error of vpmu-stats;
 * "silent" answers nothing.
 */
static int serve_monitor(const char *uri, const char *uuid)
{
    char byte;

    while (read(STDIN_FILENO, &byte, 1) == 1) {
        if (byte == '\n' && strcmp(uri, "ends") == 0) {
            fprintf(stderr, "vpmu-stats: the domain %s is shut off\n", uuid);
            return ERROR_NO_MACHINE;
        }
        if (byte == '\n' && strcmp(uri, "silent") != 0) {
            dprintf(STDOUT_FILENO, "{\"return\": {\"uri\": \"%s\", \"uuid\": \"%s\"}}\n", uri,
                    uuid);
        }
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    SRunner *runner;
    TestResult **results;
    int failed;

    /* The child process of the test of libvirt's lists. */
    if (argc == 3 && strcmp(argv[1], "libvirt-list") == 0) {
        return send_bytes(argv[2]);
    }
    if (argc == 4 && strcmp(argv[1], "libvirt-monitor") == 0) {
        return serve_monitor(argv[2], argv[3]);
    }
    /* Seconds. What check has by default is short on a busy computer. */
    setenv("CK_DEFAULT_TIMEOUT", "60", 0);
    runner = srunner_create(NULL);
    for (size_t i = 0; i < COUNT_OF(suites); i++) {
        srunner_add_suite(runner, suites[i]());
    }
    srunner_run_all(runner, CK_SILENT);
    results = srunner_results(runner);
    for (int i = 0; i < srunner_ntests_run(runner); i++) {
        print_result(results[i]);
    }
    free(results);
    srunner_print(runner, CK_MINIMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
