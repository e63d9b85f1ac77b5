/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_DECLS_H
#define VPMU_DECLS_H

/* The headers of this library use these, so that C++ can include them, too. */
#ifdef __cplusplus
#define VPMU_DECLS_BEGIN extern "C" {
#define VPMU_DECLS_END }
#define VPMU_STATIC_ASSERT static_assert
#else
#define VPMU_DECLS_BEGIN
#define VPMU_DECLS_END
#define VPMU_STATIC_ASSERT _Static_assert
#endif

#endif
