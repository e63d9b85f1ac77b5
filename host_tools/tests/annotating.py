# SPDX-License-Identifier: GPL-2.0-or-later
"""
What vpmu-stats annotate makes of a file: samples by instruction as the real perf has them, and code
as objdump prints the whole file.
"""
import collections
import json
import pathlib
import re
import subprocess

from reporting import rows_of_perf, run

TOOLS = "aarch64-linux-gnu-"
CODE = re.compile(r"^ *([0-9a-f]+):\t(.*)$")


def code_of(elf):
    found = map(CODE.match, run(f"{TOOLS}objdump", "-d", "--no-show-raw-insn", elf).decode()
                .splitlines())
    return {int(m[1], 16): m[2].split() for m in found if m}


def moved(elf, to, by):
    """Copies an ELF file to other addresses; its code begins where a kernel's code may begin."""
    # It warns of where segments are loaded to, which is of no interest here.
    subprocess.run([f"{TOOLS}objcopy", "--add-symbol", "_text=.text:0,function,global",
                    "--change-addresses", f"{by:#x}", elf, to], check=True,
                   stderr=subprocess.DEVNULL)
    return to


def rows_of(program, *arguments):
    return list(map(json.loads, run(program, "annotate", "-j", *arguments).decode().splitlines()))


def most_of(rows):
    """Returns the function with the largest period of each event."""
    sums = collections.Counter()
    for r in rows:
        sums[r["event"], r["sym"]] += r["period"]
    return {event: function for (event, function), _ in reversed(sums.most_common())}


def lines_of(text):
    """Returns the period and the address of each line with samples."""
    found = [re.match(r"^ +[\d.]+% +([\d,]+) +([0-9a-f]+):\t", line) for line in text.splitlines()]
    return [(int(m[1].replace(",", "")), int(m[2], 16)) for m in found if m]


def same_instruction(mine, theirs):
    """
    By the mnemonic, which is longer in one of them where it has the size of an x86 operand. Both
    are None behind the last instruction, where the sample of an x86 SYSCALL can be.
    """
    if mine is None or theirs is None:
        return mine is theirs
    mine, theirs = mine.split()[0], theirs[0]
    return mine.startswith(theirs) or theirs.startswith(mine)


def check_code(equal, name, rows, code):
    """libcapstone finds the same instructions as objdump."""
    equal(f"{name}.code", [], [(r, code.get(int(r["address"], 16))) for r in rows
                               if not same_instruction(r["code"],
                                                       code.get(int(r["address"], 16)))][:3])


def check_objdump(equal, name, program, files, code):
    """With --objdump, the code is printed as objdump prints it."""
    rows = rows_of(program, *files, "-n", "1000", "--objdump", f"{TOOLS}objdump")
    equal(f"{name}.objdump", [], [r for r in rows if r["code"].split() != code[int(r["address"], 16)]])


def check(equal, name, program, path, elf, slide):
    """@slide: the difference between addresses of samples and those in the file."""
    sums = collections.defaultdict(lambda: [0, 0])
    for event, _, address, _, period in rows_of_perf(path, []):
        sums[event, address - slide][0] += 1
        sums[event, address - slide][1] += period
    files = ["-i", path, "--vmlinux", elf]
    rows = rows_of(program, *files, "-n", "1000")
    equal(f"{name}.samples", dict(sums),
          {(r["event"], int(r["address"], 16)): [r["samples"], r["period"]]
           for r in rows if r["samples"]})
    code = code_of(elf)
    check_code(equal, name, rows, code)
    check_objdump(equal, name, program, files, code)
    most = most_of(rows)
    equal(f"{name}.most", set(most.items()),
          {(r["event"], r["sym"]) for r in rows_of(program, *files, "-n", "1")})
    function = most[rows[0]["event"]]
    mine = [r for r in rows if r["sym"] == function]
    equal(f"{name}.named", mine, rows_of(program, *files, function))
    equal(f"{name}.symbol", mine, rows_of(program, *files, "-s", function))
    share = sum(r["percent"] for r in mine)
    equal(f"{name}.percent", True, abs(share - 100 * len(most)) < 0.01 * len(mine))
    text = run(program, "annotate", *files, function).decode()
    equal(f"{name}.text", [(r["period"], int(r["address"], 16)) for r in mine if r["samples"]],
          lines_of(text))


def check_strange(equal, name, program, path, elf, directory):
    """Whatever the disassembler prints, no sample is left out, and control characters are removed."""
    files = ["-i", path, "--vmlinux", elf, "-n", "1000"]
    want = [r | {"code": None} for r in rows_of(program, *files) if r["samples"]]
    # One in the middle, of all that are there.
    known = want[1]["address"]
    want = [r | {"code": "nop"} if r["address"] == known else r for r in want]
    strange = pathlib.Path(directory, "strange")
    strange.write_text("#!/bin/sh\nprintf 'x\\n\\nDisassembly of section .text:\\n\\n 10:\\tnop\\n"
                       f"\\033[31m\\tx\\007\\n {known[2:]}:\\tnop\\n f{known[2:]}:\\tnop\\033'\n")
    strange.chmod(0o755)
    files += ["--objdump", str(strange)]
    equal(f"{name}.strange.rows", want, [r for r in rows_of(program, *files) if r["samples"]])
    text = run(program, "annotate", *files).decode()
    equal(f"{name}.strange.text", (sum(r["code"] is None for r in want), set()),
          (text.count("no instruction"), set(re.findall(r"[\0-\x08\x0b-\x1f\x7f]", text))))


def check_refused(equal, name, program, path, elf, directory):
    """An input that cannot be shown gives an error of one line."""
    stripped = f"{directory}/stripped"
    run(f"{TOOLS}strip", "-o", stripped, elf)
    debug, other = f"{directory}/debug", f"{directory}/other"
    run(f"{TOOLS}objcopy", "--only-keep-debug", "--keep-file-symbols", elf, debug)
    data = bytearray(pathlib.Path(elf).read_bytes())
    data[18:20] = (243).to_bytes(2, "little")  # EM_RISCV
    pathlib.Path(other).write_bytes(data)
    for case, arguments, part in (
            ("both", ["--vmlinux", elf, "--kallsyms", "/dev/null"], "exclude each other"),
            ("no-file", ["--vmlinux", f"{directory}/nothing"], "No such file"),
            ("no-elf", ["--vmlinux", path], "is not an ELF file"),
            ("stripped", ["--vmlinux", stripped], "it is stripped"),
            ("unknown", [], "use --vmlinux or --map"),
            ("function", ["--vmlinux", elf, "nosuch"], "no sample is in nosuch"),
            ("functions", ["--vmlinux", elf, "one", "two"], "no sample is in one or the other functions"),
            ("no-objdump", ["--vmlinux", elf, "--objdump", "./nothing"], "cannot run ./nothing"),
            ("objdump", ["--vmlinux", elf, "--objdump", "false"], "false failed"),
            ("debug", ["--vmlinux", debug], "debug information only"),
            ("machine", ["--vmlinux", other], "neither Arm nor x86")):
        done = subprocess.run([program, "annotate", "-i", path, *arguments], capture_output=True,
                              text=True, check=False)
        equal(f"{name}.refused.{case}", (2, "", 1, True),
              (done.returncode, done.stdout, len(done.stderr.splitlines()), part in done.stderr))
