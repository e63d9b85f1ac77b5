/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BUILTIN_H
#define VPMU_STATS_BUILTIN_H

/*
 * The commands of the program. @argv begins with the command's name. @stop_fd becomes readable when
 * the user stops the program. Each command returns the program's exit code.
 */
int builtin_annotate(int argc, char **argv, int stop_fd);
int builtin_blackout(int argc, char **argv, int stop_fd);
int builtin_convert(int argc, char **argv, int stop_fd);
int builtin_diff(int argc, char **argv, int stop_fd);
int builtin_events(int argc, char **argv, int stop_fd);
int builtin_exits(int argc, char **argv, int stop_fd);
int builtin_exporter(int argc, char **argv, int stop_fd);
int builtin_guest(int argc, char **argv, int stop_fd);
int builtin_libvirt_list(int argc, char **argv, int stop_fd);
int builtin_libvirt_monitor(int argc, char **argv, int stop_fd);
int builtin_list(int argc, char **argv, int stop_fd);
int builtin_profile(int argc, char **argv, int stop_fd);
int builtin_record(int argc, char **argv, int stop_fd);
int builtin_report(int argc, char **argv, int stop_fd);
int builtin_script(int argc, char **argv, int stop_fd);
int builtin_stat(int argc, char **argv, int stop_fd);
int builtin_top(int argc, char **argv, int stop_fd);

#endif
