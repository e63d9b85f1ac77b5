// SPDX-License-Identifier: GPL-2.0-or-later

// The first argument is how often the loop runs. Reads a line, prints it, and exits with 5.
use std::arch::asm;

/// Two instructions a turn.
fn turn(turns: u64) {
    unsafe {
        asm!("2: dec {0}", "jnz 2b", inout(reg) turns => _);
    }
}

fn main() {
    let turns: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut line = String::new();
    std::thread::spawn(move || turn(turns)).join().unwrap();
    std::io::stdin().read_line(&mut line).unwrap();
    print!("Rust has read {}", line);
    std::process::exit(5);
}
