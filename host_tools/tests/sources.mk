# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of vpmu-stats, built to find errors in.

TOOLS_TESTS := $(TOOLS_BUILD)/tests
TOOLS_SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
TOOLS_UNIT_SRCS := \
    unit/base/test_failing_memory.c \
    unit/base/test_format.c \
    unit/base/test_out.c \
    unit/base/test_pager.c \
    unit/base/test_replacement.c \
    unit/base/test_seekable.c \
    unit/cli/test_profile_options.c \
    unit/export/test_callgrind.c \
    unit/export/test_failing_output.c \
    unit/export/test_fxt.c \
    unit/export/test_html.c \
    unit/export/test_lcov.c \
    unit/fleet/test_columns.c \
    unit/fleet/test_listen.c \
    unit/fleet/test_prometheus.c \
    unit/fleet/test_token.c \
    unit/kernel/test_bpf_code.c \
    unit/kernel/test_btf.c \
    unit/kernel/test_guest_threads.c \
    unit/kernel/test_kernel.c \
    unit/kernel/test_modules.c \
    unit/kernel/test_page_cache.c \
    unit/kernel/test_nested_guests.c \
    unit/kernel/test_stage2.c \
    unit/machine/test_decode.c \
    unit/machine/test_events.c \
    unit/machine/test_guest.c \
    unit/machine/test_histogram.c \
    unit/machine/test_metrics.c \
    unit/base/test_distance.c \
    unit/perfdata/test_filesymbols.c \
    unit/perfdata/test_perfdata.c \
    unit/perfdata/test_perfdata_files.c \
    unit/perfdata/test_file_ids.c \
    unit/perfdata/test_perfmaps.c \
    unit/perfdata/test_perfreader.c \
    unit/perfdata/test_perfsample.c \
    unit/profile/test_branch_rows.c \
    unit/profile/test_code_maps.c \
    unit/profile/test_profile.c \
    unit/profile/test_report.c \
    unit/profile/test_script.c \
    unit/profile/test_valgrind_lines.c \
    unit/profile/test_x86.c \
    unit/qmp/test_libvirt.c \
    unit/qmp/test_memory.c \
    unit/qmp/test_qmp_socket.c \
    unit/qmp/test_response.c \
    unit/qmp/test_socket_users.c \
    unit/record/test_accesses.c \
    unit/record/test_branches.c \
    unit/record/test_buildids.c \
    unit/record/test_cpuperf.c \
    unit/record/test_cpuperf_trace.c \
    unit/record/test_guest_names.c \
    unit/record/test_kept_maps.c \
    unit/record/test_recording.c \
    unit/record/test_recording_maps.c \
    unit/record/test_recording_threads.c \
    unit/record/test_recording_code.c \
    unit/record/test_recording_kernel.c \
    unit/record/test_event_totals.c \
    unit/record/test_samplefile.c \
    unit/record/test_sampling.c \
    unit/record/test_start_arguments.c \
    unit/record/test_thread_filter.c \
    unit/record/test_written_maps.c \
    unit/session/test_measure.c \
    unit/session/test_measure_options.c \
    unit/session/test_stat.c \
    unit/symbols/test_debug_file.c \
    unit/symbols/test_demangle.c \
    unit/symbols/test_disassembly.c \
    unit/symbols/test_functions.c \
    unit/symbols/test_dynamic_symbols.c \
    unit/symbols/test_guest_files.c \
    unit/symbols/test_image.c \
    unit/symbols/test_line_answers.c \
    unit/symbols/test_objdump.c \
    unit/symbols/test_plt.c \
    unit/symbols/test_source_lines.c \
    unit/top/test_hot_functions.c \
    unit/unwind/test_guest_code.c \
    unit/unwind/test_link_register.c \
    unit/unwind/test_unwind.c \
    unit/unwind/test_without_tables.c \
    unit/main.c \
    fixtures/failing.c \
    fixtures/guests.c \
    fixtures/kernels.c \
    fixtures/perffiles.c \
    fixtures/recordings.c \
    fixtures/streams.c
# The libraries as their own tests have them.
TOOLS_TEST_VPMU := $(patsubst vpmu/%.c,$(VPMU_TESTS)/%.o,$(VPMU_SRCS)) \
                   $(patsubst kvm_glue/%.c,$(GLUE_TESTS)/%.o,$(GLUE_SRCS))
TOOLS_TEST_OBJS := $(TOOLS_SRCS:host_tools/%.c=$(TOOLS_TESTS)/%.o) $(TOOLS_TEST_VPMU)

$(TOOLS_TESTS)/%.o: host_tools/%.c | need-tools $(if $(TOOLS_LIBVIRT),need-libvirt)
	@mkdir -p $(@D)
	$(Q)$(CC) $(TOOLS_CFLAGS) -Ivpmu/tests -Ivpmu/tests/fuzz -Ihost_tools/tests $(TOOLS_SANITIZE) -MMD -MP -c -o $@ $<

$(TOOLS_TESTS)/program: $(TOOLS_TESTS)/vpmu-stats/cli/main.o $(TOOLS_TEST_OBJS)
$(TOOLS_TESTS)/unit: $(addprefix $(TOOLS_TESTS)/tests/,$(TOOLS_UNIT_SRCS:.c=.o)) $(TOOLS_TEST_OBJS)
$(TOOLS_TESTS)/fuzz_response: $(VPMU_TESTS)/tests/fuzz/fuzz_main.o $(TOOLS_TESTS)/tests/fuzz/fuzz_response.o \
    $(TOOLS_TEST_OBJS)
$(TOOLS_TESTS)/fuzz_kernel: $(VPMU_TESTS)/tests/fuzz/fuzz_main.o $(TOOLS_TESTS)/tests/fuzz/fuzz_kernel.o \
    $(addprefix $(TOOLS_TESTS)/tests/fixtures/,guests.o kernels.o) $(TOOLS_TEST_OBJS)
$(TOOLS_TESTS)/fuzz_record: $(VPMU_TESTS)/tests/fuzz/fuzz_main.o $(TOOLS_TESTS)/tests/fuzz/fuzz_record.o \
    $(TOOLS_TESTS)/tests/fixtures/streams.o $(TOOLS_TEST_OBJS)
$(TOOLS_TESTS)/fuzz_perfdata: $(VPMU_TESTS)/tests/fuzz/fuzz_main.o $(TOOLS_TESTS)/tests/fuzz/fuzz_perfdata.o \
    $(TOOLS_TESTS)/tests/fixtures/perffiles.o $(TOOLS_TEST_OBJS)

# fixtures/failing.c and test_line_answers.c have these functions.
TOOLS_COMMA := ,
TOOLS_WRAP := $(patsubst %,-Wl$(TOOLS_COMMA)--wrap=%,malloc calloc realloc reallocarray strdup line_server_start)

TOOLS_TEST_PROGRAMS := $(addprefix $(TOOLS_TESTS)/,program unit fuzz_response fuzz_kernel fuzz_perfdata fuzz_record)

$(TOOLS_TEST_PROGRAMS): | need-tools
	$(Q)$(CC) $(TOOLS_SANITIZE) -o $@ $^ $(TOOLS_LIBS) \
	    $(if $(@:%/unit=),,$(shell pkg-config --libs check) $(TOOLS_WRAP))

.PHONY: check-tools
TOOLS_GUESTS := $(addprefix build/guest_tests/properties/,busy.elf calls.elf calls32.elf scribble.elf shares.elf steady.elf)

ready: $(TOOLS_TEST_PROGRAMS) $(TOOLS_GUESTS) qemu baremetal hypervisor

check-tools: $(TOOLS_TEST_PROGRAMS) $(TOOLS_GUESTS) qemu baremetal hypervisor | need-perf
	$(Q)QEMU=$(QEMU) host_tools/tests/run $(TOOLS_STEPS)

# Not in check: figures of many machines, and of machines that end. It takes ten minutes.
.PHONY: check-fleet
check-fleet: $(TOOLS_BUILD)/vpmu-stats qemu linux-image
	$(Q)QEMU=$(QEMU) host_tools/tests/endurance $(TOOLS_BUILD)/vpmu-stats $(LINUX_BUILD) $(FLEET_STEPS)

# The pictures of docs/pictures. Chromium and kcachegrind are 200 MiB to fetch.
.PHONY: pictures
pictures: $(TOOLS_BUILD)/vpmu-stats $(TOOLS_BUILD)/vpmu-run qemu qemu-x86 run-kernel linux-image | need-pictures
	$(Q)host_tools/tests/pictures $(TOOLS_BUILD)/vpmu-stats $(QEMU) $(LINUX_BUILD) $(TOOLS_BUILD)/vpmu-run

# Not in check: BOLT and AutoFDO are 90 MiB to fetch, and the demo of host_tools/pgo takes minutes.
.PHONY: check-optimizers
check-optimizers: $(TOOLS_BUILD)/vpmu-stats $(addprefix build/guest_tests/properties/,hot.elf hot-x86.elf) \
		build/guest_tests/random/x86/rom.bin pgo-ready | need-perf need-optimizers
	$(Q)QEMU=$(QEMU) QEMU_X86=$(QEMU_X86) host_tools/tests/optimizers $(TOOLS_BUILD)/vpmu-stats \
	    build/guest_tests/properties/hot.elf build/guest_tests/properties/hot-x86.elf build/guest_tests/random/x86/rom.bin
	$(Q)host_tools/tests/optimized $(PGO_BUILD) $(RUN_BUILD) $(ARCHES)

# Not in check: Go's pprof is 60 MiB to fetch.
TOOLS_GO := $(TOOLS_BUILD)/go

.PHONY: check-pprof
check-pprof: $(TOOLS_BUILD)/vpmu-stats $(TOOLS_GUESTS) qemu
	$(Q).mk/debian tool bookworm $(TOOLS_GO) golang-1.19-go
	$(Q)QEMU=$(QEMU) host_tools/tests/gopprof $(TOOLS_GO)/usr/lib/go-1.19/pkg/tool/*/pprof \
	    $(TOOLS_BUILD)/vpmu-stats build/guest_tests/properties/calls.elf

# Not in check: mutants of perf.data, symbols, QMP and record. MUTANTS=N SEED=S FILES='qmp/*.c'.
TOOLS_MUTANTS := $(TOOLS_BUILD)/mutants
TOOLS_MUTANT_CC = $(CC) -fsanitize=address,undefined -fno-sanitize-recover=all
TOOLS_MUTANT_CFLAGS = $(filter-out -g,$(TOOLS_CFLAGS)) -Ivpmu/tests -Ivpmu/tests/fuzz -Ihost_tools/tests -O1
TOOLS_MUTANT_OBJS := $(TOOLS_SRCS:host_tools/%.c=%.o) $(TOOLS_UNIT_SRCS:%.c=tests/%.o)
TOOLS_MUTANT_LIBRARIES := $(BUILD)/kvm_glue/libkvm_glue.a $(BUILD)/vpmu/libvpmu.a

$(TOOLS_MUTANTS)/%.o: host_tools/%.c | need-tools $(if $(TOOLS_LIBVIRT),need-libvirt)
	@mkdir -p $(@D)
	$(Q)$(TOOLS_MUTANT_CC) $(TOOLS_MUTANT_CFLAGS) $(TOOLS_MUTANT_DEBUG) -MMD -MP -c -o $@ $<

# Most mutants fail without sanitizers, which take most of the time.
$(TOOLS_MUTANTS)/quick/%.o: host_tools/%.c | need-tools $(if $(TOOLS_LIBVIRT),need-libvirt)
	@mkdir -p $(@D)
	$(Q)cc $(TOOLS_MUTANT_CFLAGS) $(TOOLS_MUTANT_DEBUG) -MMD -MP -c -o $@ $<

# The tests of source lines find their own.
$(TOOLS_MUTANTS)/tests/%.o $(TOOLS_MUTANTS)/quick/tests/%.o: TOOLS_MUTANT_DEBUG = -g

$(addsuffix /vpmu-stats/export/html.o,$(TOOLS_MUTANTS) $(TOOLS_MUTANTS)/quick): \
    $(TOOLS_BUILD)/generated/html-script.inc $(TOOLS_BUILD)/generated/html-style.inc
$(addsuffix /vpmu-stats/export/flamegraph.o,$(TOOLS_MUTANTS) $(TOOLS_MUTANTS)/quick): $(TOOLS_BUILD)/generated/flamegraph-script.inc

.PHONY: check-mutants-tools
check-mutants-tools: $(addprefix $(TOOLS_MUTANTS)/,$(TOOLS_MUTANT_OBJS) vpmu-stats/cli/main.o) \
		$(addprefix $(TOOLS_MUTANTS)/quick/,$(TOOLS_MUTANT_OBJS)) $(TOOLS_MUTANT_LIBRARIES)
	$(Q)printf '%s\n' 'CC=$(TOOLS_MUTANT_CC)' 'CFLAGS=$(TOOLS_MUTANT_CFLAGS)' \
	    "LIBS=$(TOOLS_MUTANT_LIBRARIES) $(TOOLS_LIBS) $$(pkg-config --libs check)" \
	    'UNIT=$(TOOLS_MUTANT_OBJS)' 'UNIT_LIBS=$(TOOLS_WRAP)' 'PROGRAM=vpmu-stats/cli/main.o $(filter vpmu-stats/%,$(TOOLS_MUTANT_OBJS))' >$(TOOLS_MUTANTS)/flags
	$(Q)PERF_CONFIG=/dev/null LIBVIRT_DEFAULT_URI=test:///default vpmu/tests/mutants --of tools --count $(or $(MUTANTS),200) --seed $(or $(SEED),1) \
	    $(FILES:%=--files '%')

-include $(wildcard $(foreach dir,$(TOOLS_TESTS) $(TOOLS_MUTANTS) $(TOOLS_MUTANTS)/quick,$(dir)/*/*.d $(dir)/*/*/*.d $(dir)/*/*/*/*.d))
