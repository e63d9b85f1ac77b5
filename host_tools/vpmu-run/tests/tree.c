/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A known call tree, also in C++. It is compiled several times, with other names of its functions,
 * and linked into one program: see trees.c.
 */
#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(function) JOIN(function, TREE)

#ifdef __cplusplus
extern "C" void NAME(top)(unsigned long turns);
#else
void NAME(top)(unsigned long turns);
#endif

/* A leaf, without a stack. */
__attribute__((noinline)) static void NAME(leaf)(unsigned long turns)
{
    for (; turns; turns--) {
        __asm__ volatile("");
    }
}

/* The size of its frame is not known when it is compiled. */
__attribute__((noinline)) static void NAME(middle)(unsigned long turns, unsigned long size)
{
    volatile char *some = (volatile char *)__builtin_alloca(size);

    some[size / 2] = 1;
    NAME(leaf)(turns);
    some[0] = some[size / 2];
}

#ifdef __cplusplus
namespace
{
template <class T> struct Table {
    virtual void scan(T turns, T depth);
};

template <class T> __attribute__((noinline)) void Table<T>::scan(T turns, T depth)
{
    if (depth) {
        scan(turns, depth - 1);
    } else {
        NAME(middle)(turns, 200 + turns % 2);
    }
    __asm__ volatile("");
}
} // namespace

void NAME(top)(unsigned long turns)
{
    Table<unsigned long> table;
    Table<unsigned long> *volatile one = &table;

    one->scan(turns, 2);
    __asm__ volatile("");
}
#else
/* It calls itself, with registers that it has to save. */
__attribute__((noinline)) static void NAME(scan)(unsigned long turns, unsigned long depth)
{
    if (depth) {
        NAME(scan)(turns, depth - 1);
    } else {
        NAME(middle)(turns, 200 + turns % 2);
    }
    __asm__ volatile("" : : "r"(turns), "r"(depth));
}

void NAME(top)(unsigned long turns)
{
    NAME(scan)(turns, 2);
    __asm__ volatile("");
}
#endif
