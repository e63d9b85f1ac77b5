/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program with libsqlite3.a: tables, an index, groups and deletions in memory. An argument is the
 * number of rows.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 20000

static const char *const statements[] = {
    "create table t(a integer primary key, b text, c integer);",
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < %d) "
    "insert into t select i, 'row ' || (i * 7919 %% 20000), i * 31 %% 1000 from n;",
    "create index x on t(c, b);",
    "select c, count(*), max(b) from t group by c order by 2, 3;",
    "delete from t where a %% 3 = 0;",
};

int main(int argc, char **argv)
{
    const int rows = argc > 1 ? atoi(argv[1]) : ROWS;
    char statement[256];
    sqlite3 *db;

    if (sqlite3_open(":memory:", &db) != SQLITE_OK) {
        return 1;
    }
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        /* Only one has a number. */
        sqlite3_snprintf(sizeof(statement), statement, statements[i], rows);
        if (sqlite3_exec(db, statement, NULL, NULL, NULL) != SQLITE_OK) {
            fprintf(stderr, "%s\n", sqlite3_errmsg(db));
            return 1;
        }
    }
    return sqlite3_close(db) == SQLITE_OK ? 0 : 1;
}
