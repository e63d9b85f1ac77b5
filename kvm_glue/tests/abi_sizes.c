/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sizes of all structures of the public headers on 64-bit hosts, as bindings have them. The
 * script abi checks that the list is complete, and compiles it for arm64, too.
 */
#include "kvm_glue/design.h"
#include "kvm_glue/error.h"
#include "kvm_glue/filter.h"
#include "kvm_glue/group.h"
#include "kvm_glue/host_pmu.h"
#include "kvm_glue/meter.h"
#include "kvm_glue/mode.h"
#include "kvm_glue/os.h"
#include "kvm_glue/ring.h"
#include "kvm_glue/sampler.h"
#include "kvm_glue/setup.h"
#include "kvm_glue/software.h"
#include "kvm_glue/state.h"

#define SIZE(name, bytes) _Static_assert(sizeof(struct name) == (bytes), "the size of " #name)

SIZE(kvm_glue_error, 324);
SIZE(kvm_glue_reporter, 24);
SIZE(kvm_glue_rule, 6);
SIZE(kvm_glue_filter, 388);
SIZE(kvm_glue_event, 24);
SIZE(kvm_glue_group, 88);
SIZE(kvm_glue_reading, 72);
SIZE(kvm_glue_cpus, 512);
SIZE(kvm_glue_host_pmu, 584);
SIZE(kvm_glue_host_pmus, 9352);
SIZE(kvm_glue_exits, 3896);
SIZE(kvm_glue_meter_options, 32);
SIZE(kvm_glue_sample, 136);
SIZE(kvm_glue_meter, 187616);
SIZE(kvm_glue_os, 112);
SIZE(kvm_glue_ring, 1064);
SIZE(kvm_glue_record, 24);
SIZE(kvm_glue_sampled, 32);
SIZE(kvm_glue_sampler_options, 16);
SIZE(kvm_glue_tally, 48);
SIZE(kvm_glue_sampler, 3552);
SIZE(kvm_glue_sample_taken, 56);
SIZE(kvm_glue_sampler_count, 72);
SIZE(kvm_glue_setup, 24);
SIZE(kvm_glue_software, 96);
SIZE(kvm_glue_software_values, 48);
SIZE(kvm_glue_register, 32);
SIZE(kvm_glue_state, 608);
SIZE(kvm_glue_loss, 12);
