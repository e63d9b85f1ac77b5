/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/levels/filter_rule.h"

#include "registers/pmu.h"

static bool has_secure_el2(void)
{
    return has_el(EL2) && has_el(EL3) && FIELD(read_sysreg(id_aa64pfr0_el1), 36, 4) != 0;
}

bool has_realm(void)
{
    return FIELD(read_sysreg(id_aa64pfr0_el1), 52, 4) != 0;
}

uint64_t filter_bits(void)
{
    uint64_t bits = PMEVTYPER_P | PMEVTYPER_U;

    bits |= has_el(EL3) ? PMEVTYPER_NSK | PMEVTYPER_NSU | PMEVTYPER_M : 0;
    bits |= has_el(EL2) ? PMEVTYPER_NSH : 0;
    bits |= has_secure_el2() ? PMEVTYPER_SH : 0;
    bits |= has_realm() ? PMEVTYPER_RLK | PMEVTYPER_RLU | PMEVTYPER_RLH : 0;
    return bits;
}

/* A filter bit of one of the two other states filters where it differs from the common bit. */
static uint64_t state_bit(enum security security, uint64_t non_secure, uint64_t realm)
{
    return security == NON_SECURE ? non_secure : security == REALM ? realm : 0;
}

bool filter_counts(uint64_t type, enum level level, enum security security)
{
    uint64_t t = type & filter_bits();
    bool p = t & PMEVTYPER_P, u = t & PMEVTYPER_U, nsh = t & PMEVTYPER_NSH;

    switch (level) {
    case EL0:
        return u == !!(t & state_bit(security, PMEVTYPER_NSU, PMEVTYPER_RLU));
    case EL1:
        return p == !!(t & state_bit(security, PMEVTYPER_NSK, PMEVTYPER_RLK));
    case EL2:
        if (security == NON_SECURE) {
            return nsh;
        }
        return nsh != !!(t & (security == SECURE ? PMEVTYPER_SH : PMEVTYPER_RLH));
    case EL3:
        return p == !!(t & PMEVTYPER_M);
    }
    return false;
}
