/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_TESTS_H
#define VPMU_STATS_TESTS_H

#include <check.h>
#include <stddef.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Makes a suite with one test case for each test. @name must outlive the suite. */
Suite *suite_of(const char *name, const TTest *const tests[], size_t count);

/* How many descriptors are open, with some of its own that are always as many */
unsigned count_descriptors(void);

/* Makes a file with @n bytes of @data and stores its path in @path. The caller removes the file. */
#define TEMPORARY_PATH "/tmp/vpmu-stats-test-XXXXXX"
void make_temporary(char path[sizeof(TEMPORARY_PATH)], const void *data, size_t n);

Suite *branches_suite(void);
Suite *buildids_suite(void);
Suite *accesses_suite(void);
Suite *branch_rows_suite(void);
Suite *response_suite(void);
Suite *code_maps_suite(void);
Suite *columns_suite(void);
Suite *cpuperf_suite(void);
Suite *cpuperf_trace_suite(void);
Suite *decode_suite(void);
Suite *events_suite(void);
Suite *filesymbols_suite(void);
Suite *format_suite(void);
Suite *functions_suite(void);
Suite *callgrind_suite(void);
Suite *lcov_suite(void);
Suite *valgrind_lines_suite(void);
Suite *fxt_suite(void);
Suite *guest_suite(void);
Suite *histogram_suite(void);
Suite *hot_functions_suite(void);
Suite *html_suite(void);
Suite *image_suite(void);
Suite *debug_file_suite(void);
Suite *kernel_suite(void);
Suite *bpf_code_suite(void);
Suite *modules_suite(void);
Suite *page_cache_suite(void);
Suite *btf_suite(void);
Suite *link_register_suite(void);
Suite *listen_suite(void);
Suite *measure_suite(void);
Suite *measure_options_suite(void);
Suite *metrics_suite(void);
Suite *nested_guests_suite(void);
Suite *guest_threads_suite(void);
Suite *out_suite(void);
Suite *demangle_suite(void);
Suite *replacement_suite(void);
Suite *pager_suite(void);
Suite *perfdata_suite(void);
Suite *perfdata_files_suite(void);
Suite *failing_memory_suite(void);
Suite *failing_output_suite(void);
Suite *perfreader_suite(void);
Suite *perfmaps_suite(void);
Suite *perfsample_suite(void);
Suite *objdump_suite(void);
Suite *disassembly_suite(void);
Suite *file_ids_suite(void);
Suite *profile_suite(void);
Suite *profile_options_suite(void);
Suite *prometheus_suite(void);
Suite *report_suite(void);
Suite *script_suite(void);
Suite *kept_maps_suite(void);
Suite *recording_suite(void);
Suite *recording_threads_suite(void);
Suite *recording_maps_suite(void);
Suite *recording_code_suite(void);
Suite *recording_kernel_suite(void);
Suite *guest_names_suite(void);
Suite *guest_code_suite(void);
Suite *guest_files_suite(void);
Suite *event_totals_suite(void);
Suite *samplefile_suite(void);
Suite *seekable_suite(void);
Suite *sampling_suite(void);
Suite *libvirt_suite(void);
Suite *memory_suite(void);
Suite *start_arguments_suite(void);
Suite *qmp_socket_suite(void);
Suite *socket_users_suite(void);
Suite *source_lines_suite(void);
Suite *line_answers_suite(void);
Suite *stage2_suite(void);
Suite *unwind_suite(void);
Suite *dynamic_symbols_suite(void);
Suite *plt_suite(void);
Suite *without_tables_suite(void);
Suite *stat_suite(void);
Suite *distance_suite(void);
Suite *thread_filter_suite(void);
Suite *token_suite(void);
Suite *written_maps_suite(void);
Suite *x86_suite(void);

#endif
