// SPDX-License-Identifier: GPL-2.0-or-later
#include "textflag.h"

// func loop(turns uint64): two instructions a turn
TEXT ·loop(SB), NOSPLIT, $0-8
	MOVQ turns+0(FP), AX
again:
	DECQ AX
	JNZ again
	RET
