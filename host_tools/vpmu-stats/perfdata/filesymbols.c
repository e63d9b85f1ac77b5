/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata/filesymbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/protobuf.h"

#define KERNEL "[kernel.kallsyms]"
/* No kernel has this many bytes of functions. */
#define MAX_SIZE (64u << 20)
#define MAX_NAME 512u
#define MAX_PATH 4096u
#define MAX_MODULE 64u

enum {
    FILE_PATH = 1,
    FILE_TYPE = 2,
    FILE_MIN_ADDRESS = 3,
    FILE_SYMBOL = 4,
    FILE_ELF = 6,
    ELF_OFFSET = 1,
    SYMBOL_ADDRESS = 1,
    SYMBOL_LENGTH = 2,
    SYMBOL_NAME = 3,
    /* Ours: the name of the module in brackets. simpleperf has no such field and ignores it. */
    SYMBOL_MODULE = 100,
};

/* DsoType.DSO_ELF_FILE */
#define TYPE_ELF 2

static void add_symbol(struct protobuf *kernel, const struct function *f)
{
    struct protobuf symbol = {0};
    uint64_t length = f->end - f->start;

    protobuf_varint(&symbol, SYMBOL_ADDRESS, f->start);
    protobuf_varint(&symbol, SYMBOL_LENGTH, length < UINT32_MAX ? length : UINT32_MAX);
    protobuf_bytes(&symbol, SYMBOL_NAME, f->name, strnlen(f->name, MAX_NAME - 1));
    if (f->module) {
        protobuf_bytes(&symbol, SYMBOL_MODULE, f->module, strnlen(f->module, MAX_MODULE - 1));
    }
    protobuf_message(kernel, FILE_SYMBOL, &symbol);
    protobuf_free(&symbol);
}

/* Writes a file's message after its size, and frees it. */
static void write_message(struct protobuf *message, FILE *file)
{
    uint32_t size = message->failed ? 0 : (uint32_t)message->size;

    fwrite(&size, 1, sizeof(size), file);
    fwrite(message->data, 1, size, file);
    protobuf_free(message);
}

size_t filesymbols_write_some(const struct functions *functions, const bool *used, size_t from,
                              size_t most, FILE *file)
{
    struct protobuf kernel = {0};
    size_t i = from;

    protobuf_bytes(&kernel, FILE_PATH, KERNEL, strlen(KERNEL));
    for (; i < functions->n; i++) {
        size_t before = kernel.size;

        if (used[i]) {
            add_symbol(&kernel, &functions->function[i]);
        }
        if (sizeof(uint32_t) + kernel.size > most) {
            kernel.size = before;
            break;
        }
    }
    i = kernel.failed ? functions->n : i;
    write_message(&kernel, file);
    return i;
}

void filesymbols_write(const struct functions *functions, const bool *used, FILE *file)
{
    filesymbols_write_some(functions, used, 0, SIZE_MAX, file);
}

void filesymbols_write_program(const struct filesymbols *program, FILE *file)
{
    const struct functions *functions = program->functions;
    struct protobuf message = {0};
    struct protobuf elf = {0};

    protobuf_bytes(&message, FILE_PATH, program->path, strlen(program->path));
    protobuf_varint(&message, FILE_TYPE, TYPE_ELF);
    protobuf_varint(&message, FILE_MIN_ADDRESS, program->address);
    for (size_t i = 0; i < functions->n; i++) {
        if (program->used[i]) {
            add_symbol(&message, &functions->function[i]);
        }
    }
    protobuf_varint(&elf, ELF_OFFSET, program->offset);
    protobuf_message(&message, FILE_ELF, &elf);
    protobuf_free(&elf);
    write_message(&message, file);
}

/* The part of a message that is not read yet. */
struct message {
    const unsigned char *at;
    const unsigned char *end;
};

static bool take_varint(struct message *m, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && m->at < m->end; shift += 7) {
        unsigned char byte = *m->at++;

        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            return true;
        }
    }
    return false;
}

/*
 * Reads the next field: its number in @field, and either its number in @value or its bytes in @in
 * and their count in @value. Returns false at the end of the message, or if it is damaged.
 */
static bool take_field(struct message *m, uint64_t *field, uint64_t *value, struct message *in)
{
    uint64_t key;

    *in = (struct message){0};
    if (!take_varint(m, &key) || !take_varint(m, value)) {
        return false;
    }
    *field = key >> 3;
    if ((key & 7) == 0) {
        return true;
    }
    if ((key & 7) != 2 || *value > (uint64_t)(m->end - m->at)) {
        return false;
    }
    *in = (struct message){m->at, m->at + *value};
    m->at += *value;
    return true;
}

static int take_symbol(struct functions *functions, struct message m, struct error *t)
{
    struct function function = {0};
    char name[MAX_NAME] = "";
    char module[MAX_MODULE] = "";
    struct message in;
    uint64_t length = 0;
    uint64_t field;
    uint64_t value;

    while (take_field(&m, &field, &value, &in)) {
        if (field == SYMBOL_ADDRESS) {
            function.start = value;
        } else if (field == SYMBOL_LENGTH) {
            length = value;
        } else if (field == SYMBOL_NAME && in.at) {
            snprintf(name, sizeof(name), "%.*s", (int)value, (const char *)in.at);
        } else if (field == SYMBOL_MODULE && in.at) {
            snprintf(module, sizeof(module), "%.*s", (int)value, (const char *)in.at);
        }
    }
    if (!function.start || !name[0]) {
        return 0;
    }
    function.end = function.start + length;
    function.name = name;
    function.of_module = module[0] != '\0';
    function.module = function.of_module ? module : NULL;
    return functions_add(functions, &function, t);
}

/* Everything in a file's message but the symbols. Returns false if the message has no path. */
static bool take_head(struct filesymbols *head, char path[MAX_PATH], struct message m)
{
    struct message in;
    uint64_t field;
    uint64_t value;

    *head = (struct filesymbols){.path = path};
    path[0] = '\0';
    while (take_field(&m, &field, &value, &in)) {
        if (field == FILE_PATH && in.at) {
            snprintf(path, MAX_PATH, "%.*s", (int)value, (const char *)in.at);
        } else if (field == FILE_MIN_ADDRESS) {
            head->address = value;
        } else if (field == FILE_ELF && in.at &&
                   take_field(&in, &field, &value, &(struct message){0}) && field == ELF_OFFSET) {
            head->offset = value;
        }
    }
    return path[0];
}

static int take_symbols(struct functions *functions, struct message m, struct error *t)
{
    struct message in;
    uint64_t field;
    uint64_t value;
    int err = 0;

    while (!err && take_field(&m, &field, &value, &in)) {
        if (field == FILE_SYMBOL && in.at) {
            err = take_symbol(functions, in, t);
        }
    }
    return err;
}

static int take_program(const struct filesymbols *head, struct message m,
                        filesymbols_program program, void *opaque, struct error *t)
{
    struct functions functions = {0};
    struct filesymbols from = *head;
    int err = take_symbols(&functions, m, t);

    from.functions = &functions;
    err = err ? err : program(opaque, &from, t);
    functions_free(&functions);
    return err;
}

static int take_file(struct functions *kernel, struct message m, filesymbols_program program,
                     void *opaque, struct error *t)
{
    char path[MAX_PATH];
    struct filesymbols head;

    if (!take_head(&head, path, m)) {
        return 0;
    }
    if (strcmp(path, KERNEL) == 0) {
        return kernel ? take_symbols(kernel, m, t) : 0;
    }
    return program ? take_program(&head, m, program, opaque, t) : 0;
}

int filesymbols_read(struct functions *functions, FILE *file, uint64_t size,
                     filesymbols_program program, void *opaque, struct error *t)
{
    unsigned char *data;
    uint32_t n;
    int err = 0;

    while (!err && size >= sizeof(n) && fread(&n, 1, sizeof(n), file) == sizeof(n) &&
           n <= size - sizeof(n) && n <= MAX_SIZE) {
        size -= sizeof(n) + n;
        data = malloc(n ? n : 1);
        if (!data) {
            return error_memory(t);
        }
        n = (uint32_t)fread(data, 1, n, file);
        err = take_file(functions, (struct message){data, data + n}, program, opaque, t);
        free(data);
    }
    return err;
}
