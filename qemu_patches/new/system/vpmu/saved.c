/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a CPU's PMU in a stream
 *
 *   u16 length of the description, little-endian
 *   the description: lines of "name=value"
 *   the states of the PMU's parts
 *   u32 CRC-32 of all before it, little-endian
 */

#include "qemu/osdep.h"
#include <zlib.h>
#include "qapi/error.h"
#include "qemu/bswap.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qom/object.h"
#include "system/vpmu_compat.h"
#include "system/vpmu_saved.h"

#define LENGTH_SIZE 2
#define CRC_SIZE 4
/* Blocks are much smaller.  This limits what a stream makes us allocate. */
#define BLOCK_MAX (64 * 1024)

/*
 * The description
 */

void vpmu_saved_add(GString *text, const char *name, const char *value)
{
    g_string_append_printf(text, "%s=%s\n", name, value);
}

void vpmu_saved_add_property(GString *text, Object *obj, const char *name)
{
    g_autofree char *value = object_property_print(obj, name, false,
                                                   &error_abort);

    vpmu_saved_add(text, name, g_str_equal(value, "true") ? "on" :
                               g_str_equal(value, "false") ? "off" : value);
}

/* Returns the value of @name in lines of "name=value", or NULL. */
static const char *find_value(char **lines, const char *name)
{
    size_t len = strlen(name);

    for (unsigned int i = 0; lines[i]; i++) {
        if (!strncmp(lines[i], name, len) && lines[i][len] == '=') {
            return lines[i] + len + 1;
        }
    }
    return NULL;
}

int64_t vpmu_saved_number(const char *text, const char *name)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", 0);
    const char *value = find_value(lines, name);
    unsigned int number;

    if (!value || qemu_strtoui(value, NULL, 10, &number)) {
        return -1;
    }
    return number;
}

static const char none[] = "its default";

/* Returns what a property is where only the other side has it, with @value. */
static const char *default_of(const char *value)
{
    return g_str_equal(value, "on") ? "off" :
           g_str_equal(value, "off") ? "on" : none;
}

/* Reports the first line of @lines that @others do not have. */
static bool report_other(CPUState *cs, char **lines, char **others,
                         bool lines_are_saved)
{
    for (unsigned int i = 0; lines[i]; i++) {
        g_autofree char *name = g_strndup(lines[i], strcspn(lines[i], "="));
        const char *value = find_value(lines, name) ?: none;
        const char *other = find_value(others, name) ?: default_of(value);

        if (!g_str_equal(value, other)) {
            error_report("PMU of CPU %d: '%s' is %s in the stream and %s here",
                         cs->cpu_index, name, lines_are_saved ? value : other,
                         lines_are_saved ? other : value);
            return true;
        }
    }
    return false;
}

/* Reports the first difference. */
static bool is_like(CPUState *cs, const char *saved, const char *own)
{
    g_auto(GStrv) saved_lines = g_strsplit(saved, "\n", 0);
    g_auto(GStrv) own_lines = g_strsplit(own, "\n", 0);

    return !report_other(cs, own_lines, saved_lines, false) &&
           !report_other(cs, saved_lines, own_lines, true);
}

/* Is this text that can be part of an error message? */
static bool is_plain(const char *text)
{
    for (; *text; text++) {
        if (*text != '\n' && (*text < ' ' || *text > '~')) {
            return false;
        }
    }
    return true;
}

/*
 * The block
 */

void vpmu_saved_drop(VPMUSaved *saved)
{
    g_free(saved->block);
    saved->block = NULL;
    saved->parts = NULL;
    saved->size = 0;
}

static int saved_pre_save(void *opaque)
{
    VPMUSaved *saved = opaque;
    CPUState *cs = saved->cs;
    g_autoptr(GString) text = saved->ops->describe(cs, NULL);
    uint8_t *at;

    vpmu_saved_drop(saved);
    saved->size = LENGTH_SIZE + text->len + CRC_SIZE + saved->ops->size(cs);
    g_assert(saved->size <= BLOCK_MAX);
    saved->block = at = g_malloc0(saved->size);
    stw_le_p(at, text->len);
    at += LENGTH_SIZE;
    memcpy(at, text->str, text->len);
    saved->ops->save(cs, at + text->len);
    at = saved->block + saved->size - CRC_SIZE;
    stl_le_p(at, crc32(0, saved->block, saved->size - CRC_SIZE));
    return 0;
}

static VPMUPostSave saved_post_save(void *opaque)
{
    vpmu_saved_drop(opaque);
    return VPMU_POST_SAVE_DONE;
}

static int saved_pre_load(void *opaque)
{
    VPMUSaved *saved = opaque;

    vpmu_saved_drop(saved);
    saved->block = g_malloc0(BLOCK_MAX);
    return 0;
}

static int damaged(VPMUSaved *saved)
{
    error_report("PMU of CPU %d: the saved state is damaged, or of another "
                 "version of vpmu", saved->cs->cpu_index);
    vpmu_saved_drop(saved);
    return -EINVAL;
}

/* Called before the block is read, and when a state is saved. */
static bool saved_size_fits(void *opaque, int version_id)
{
    VPMUSaved *saved = opaque;

    if (saved->size <= BLOCK_MAX) {
        return true;
    }
    damaged(saved);
    return false;
}

/* Returns the description of a block, or NULL if it is damaged. */
static char *description_of(const VPMUSaved *saved)
{
    const uint8_t *block = saved->block;
    g_autofree char *copy = NULL;
    size_t len, end;

    if (saved->size < LENGTH_SIZE + CRC_SIZE) {
        return NULL;
    }
    len = lduw_le_p(block);
    end = saved->size - CRC_SIZE;
    if (end < LENGTH_SIZE + len ||
        crc32(0, block, end) != (uint32_t)ldl_le_p(block + end)) {
        return NULL;
    }
    copy = g_strndup((const char *)block + LENGTH_SIZE, len);
    return is_plain(copy) ? g_steal_pointer(&copy) : NULL;
}

static int saved_post_load(void *opaque, int version_id)
{
    VPMUSaved *saved = opaque;
    g_autofree char *text = description_of(saved);
    g_autoptr(GString) own = NULL;
    size_t at;

    if (!text) {
        return damaged(saved);
    }
    own = saved->ops->describe(saved->cs, text);
    if (!is_like(saved->cs, text, own->str)) {
        vpmu_saved_drop(saved);
        return -EINVAL;
    }
    at = LENGTH_SIZE + lduw_le_p(saved->block);
    if (saved->size - at != saved->ops->size(saved->cs) + CRC_SIZE) {
        return damaged(saved);
    }
    saved->parts = saved->block + at;
    return 0;
}

const VMStateDescription vmstate_vpmu_saved = {
    .name = "vpmu",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = saved_pre_save,
    .post_save = saved_post_save,
    .pre_load = saved_pre_load,
    .post_load = saved_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(size, VPMUSaved),
        VMSTATE_VALIDATE("size", saved_size_fits),
        VMSTATE_VBUFFER_UINT32(block, VPMUSaved, 0, NULL, size),
        VMSTATE_END_OF_LIST()
    }
};

int vpmu_saved_expected(CPUState *cs, bool has_pmu)
{
    if (!has_pmu) {
        error_report("PMU of CPU %d: 'pmu' is on in the stream and off here",
                     cs->cpu_index);
        return -EINVAL;
    }
    return 0;
}
