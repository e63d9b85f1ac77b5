/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

int kvm_glue_fail_(struct kvm_glue_error *err, int error, const char *format, ...)
{
    va_list args;

    if (err != NULL) {
        err->error = error;
        va_start(args, format);
        vsnprintf(err->text, sizeof(err->text), format, args);
        va_end(args);
    }
    return error;
}

void kvm_glue_report_(struct kvm_glue_reporter *reporter, enum kvm_glue_topic topic,
                      const char *sentence)
{
    uint32_t bit = 1u << topic;

    if (!(__atomic_fetch_or(&reporter->said, bit, __ATOMIC_RELAXED) & bit) &&
        reporter->report != NULL) {
        reporter->report(reporter->opaque, topic, sentence);
    }
}
