/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_GUEST_FILES_H
#define VPMU_STATS_GUEST_FILES_H

#include "symbols/functions.h"
#include "symbols/image.h"

/* How the name begins of a list of functions that a compiler has made at run time; as in perf. */
#define GUEST_FILES_JIT "/tmp/perf-"

/**
 * struct guest_file - a file of the guest, and a copy of it on the host
 * @name: the path in the guest.
 * @path: the path of the copy, without symbolic links; NULL if there is no copy of this file.
 * @others: the guest has had other files of that name, with other build IDs.
 * @tried: the copy has been looked for.
 * @given: the copy is the contents that guest_files_give() was called with.
 * @image: the copy. Until it has been looked for, only the build ID that it must have.
 * @functions: the functions in the copy.
 * @called: functions that guest_files_add_called() adds.
 * @recorded: functions that the recording has, sorted. They are used if there is no copy.
 * @address, @offset: of @recorded: that offset in the file has this address.
 */
struct guest_file {
    char *name;
    char *path;
    bool others;
    bool tried;
    bool given;
    int fd; /* if @given */
    struct image image;
    struct functions functions;
    struct functions called;
    struct functions recorded;
    uint64_t address;
    uint64_t offset;
};

/**
 * struct guest_files - the files of a guest; all 0 at first
 * @symfs: the directory that contains the copies. If it is NULL, a file of the host is used if its
 *     build ID is that of the guest's file.
 * @debug_dir: a directory with what was stripped from the files; see struct debug_dirs.
 * @file: the files, by number.
 * @n: the number of files.
 * @data: symbols of data are wanted as well.
 */
struct guest_files {
    const char *symfs;
    const char *debug_dir;
    bool data;
    struct guest_file *file;
    size_t n;
    size_t room;
    void *numbers;
};

/**
 * guest_files_number() - get the number of a guest's file, and add the file if it is new
 * @files: the files.
 * @name: the path in the guest.
 * @build_id: the build ID of the file.
 * @size: the size of the build ID in bytes; 0 if it is not known.
 * @number: receives the number.
 * @t: is set if there is not enough memory.
 *
 * As in perf, files that have one name and two build IDs are two files: containers have a library
 * of their own at a path that the host has, too. Without a build ID, it is the file of that name
 * that was added last.
 *
 * Return: 0 or -1.
 */
int guest_files_number(struct guest_files *files, const char *name, const unsigned char *build_id,
                       size_t size, uint32_t *number, struct error *t);

/** guest_files_has() - look for a copy of a file, once. Return: true if there is one. */
bool guest_files_has(struct guest_files *files, uint32_t number);

/**
 * guest_files_give() - use these contents as a copy of a guest's file that has none
 * @number: the number of the file.
 * @contents: @size bytes. They are copied, and may be anything.
 *
 * Return: 0, also if it is no file with functions, or not that file; or -1 if there is no memory.
 */
int guest_files_give(struct guest_files *files, uint32_t number, const void *contents, size_t size,
                     struct error *t);

/**
 * guest_files_record() - add functions that a recording has of a guest's file
 * @name: the path in the guest.
 * @functions: they are copied.
 * @address, @offset: that offset in the file has this address.
 *
 * Return: 0 or -1.
 */
int guest_files_record(struct guest_files *files, const char *name,
                       const struct functions *functions, uint64_t address, uint64_t offset,
                       struct error *t);

/**
 * guest_files_find() - find the function at an offset in a guest's file
 * @files: the files.
 * @number: the number of the file.
 * @offset: the offset in bytes.
 * @path: receives the path of the copy; NULL if only the recording has the function, or a list of
 *     functions made at run time, of which all offsets are addresses.
 * @address: receives the address that belongs to @offset in the ELF file.
 *
 * Return: the function; NULL if neither a copy nor the recording has one at @offset.
 */
const struct function *guest_files_find(struct guest_files *files, uint32_t number, uint64_t offset,
                                        const char **path, uint64_t *address);

/**
 * guest_files_call() - say that there is a function, because something calls code without a name
 * @number: the file.
 * @offset: where guest_files_find() has not found a function, or one with @called. The function is
 *     called "NAME+0xADDRESS", or with the offset if there is no copy of the file, and the
 *     recording has none of its functions.
 *
 * Return: 0 or -1.
 */
int guest_files_call(struct guest_files *files, uint32_t number, uint64_t offset, struct error *t);

/**
 * guest_files_add_called() - add the functions of guest_files_call(), so that guest_files_find()
 *     finds them. Pointers to functions are no longer valid.
 *
 * Return: 0 or -1.
 */
int guest_files_add_called(struct guest_files *files, struct error *t);

/**
 * guest_files_data() - find data of a file
 * @number: the file.
 * @offset: an offset in the code of the file.
 * @distance: how many bytes the data are behind that code in memory; may be negative.
 *
 * Return: the symbol of the data; NULL if there is no copy of the file, or no symbol there.
 */
const struct function *guest_files_data(struct guest_files *files, uint32_t number, uint64_t offset,
                                        int64_t distance);

void guest_files_free(struct guest_files *files);

#endif
