/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers that generated code calls for the PMU; included by
 * target/arm/helper.h
 */

DEF_HELPER_3(pmu_limit, noreturn, env, i32, i32)
DEF_HELPER_FLAGS_1(pmu_step, TCG_CALL_NO_RWG, void, env)
DEF_HELPER_FLAGS_1(pmu_near, TCG_CALL_NO_RWG, void, env)
DEF_HELPER_FLAGS_3(pmu_data, TCG_CALL_NO_RWG, void, env, i64, i32)
DEF_HELPER_FLAGS_3(pmu_fetch, TCG_CALL_NO_RWG, void, env, i64, i32)
DEF_HELPER_FLAGS_4(pmu_fetch_first, TCG_CALL_NO_RWG, void, env, i64, i32, i32)
DEF_HELPER_FLAGS_4(pmu_branch, TCG_CALL_NO_RWG, void, env, i64, i64, i32)
DEF_HELPER_FLAGS_4(pmu_taken, TCG_CALL_NO_RWG, void, env, i64, i64, i32)
DEF_HELPER_FLAGS_3(pmu_sampled, TCG_CALL_NO_RWG, void, env, i64, i32)
DEF_HELPER_FLAGS_3(pmu_sampled_access, TCG_CALL_NO_RWG, void, env, i64, i32)
DEF_HELPER_FLAGS_3(pmu_tage, TCG_CALL_NO_RWG, i64, ptr, i64, i32)
DEF_HELPER_FLAGS_1(pmu_overspent, TCG_CALL_NO_RWG, void, env)
DEF_HELPER_FLAGS_2(pmu_mispredicted, TCG_CALL_NO_RWG, void, env, i32)
DEF_HELPER_FLAGS_3(pmu_maintain, TCG_CALL_NO_RWG, void, env, i64, i32)
DEF_HELPER_FLAGS_2(pmu_predicate, TCG_CALL_NO_RWG_SE, i64, env, i32)
DEF_HELPER_FLAGS_5(pmu_call, TCG_CALL_NO_WG, void, env, i64, i64, i32, i32)
DEF_HELPER_FLAGS_4(pmu_leave, TCG_CALL_NO_WG, void, env, i64, i32, i32)
DEF_HELPER_FLAGS_6(pmu_jump, TCG_CALL_NO_WG, void, env, i64, i64, i32, i32,
                   i32)
DEF_HELPER_1(pmu_regime, void, env)
DEF_HELPER_3(pmu_tlbi, void, env, i32, i64)
