// SPDX-License-Identifier: GPL-2.0-or-later
// A known call tree, as tree.c.
use std::arch::asm;

#[inline(never)]
fn leaf(turns: u64) {
    #[cfg(target_arch = "x86_64")]
    unsafe { asm!("2: sub {0}, 1", "jnz 2b", inout(reg) turns => _) }
    #[cfg(target_arch = "aarch64")]
    unsafe { asm!("2: subs {0}, {0}, #1", "b.ne 2b", inout(reg) turns => _) }
}

#[inline(never)]
fn middle(turns: u64) {
    leaf(turns);
    unsafe { asm!("") }
}

struct Table<T>(T);

impl<T: Copy + Into<u64>> Table<T> {
    // It calls itself.
    #[inline(never)]
    fn scan(&self, depth: u64) {
        if depth > 0 {
            self.scan(depth - 1);
        } else {
            middle(self.0.into());
        }
        unsafe { asm!("") }
    }
}

#[inline(never)]
fn top(turns: u32) {
    Table(turns).scan(2);
    unsafe { asm!("") }
}

fn main() {
    top(200_000);
}
