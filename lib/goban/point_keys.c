/* point_keys.c: the table, computed by the compiler: macros that repeat km_mix64 as a constant expression. */
#include "point_keys.h"

#define MIX_0(x) ((x) + 0x9e3779b97f4a7c15u)
#define MIX_1(x) (((x) ^ ((x) >> 30)) * 0xbf58476d1ce4e5b9u)
#define MIX_2(x) (((x) ^ ((x) >> 27)) * 0x94d049bb133111ebu)
#define MIX_3(x) ((x) ^ ((x) >> 31))
#define MIX(x) MIX_3(MIX_2(MIX_1(MIX_0(x))))

#define KEY(i) {MIX(KM_POINT_KEYS_SEED + 2 * (i)), MIX(KM_POINT_KEYS_SEED + 2 * (i) + 1)}
#define KEYS_4(i) KEY(i), KEY(i + 1), KEY(i + 2), KEY(i + 3)
#define KEYS_16(i) KEYS_4(i), KEYS_4(i + 4), KEYS_4(i + 8), KEYS_4(i + 12)
#define KEYS_64(i) KEYS_16(i), KEYS_16(i + 16), KEYS_16(i + 32), KEYS_16(i + 48)
#define KEYS_256(i) KEYS_64(i), KEYS_64(i + 64), KEYS_64(i + 128), KEYS_64(i + 192)
#define KEYS_1024(i) KEYS_256(i), KEYS_256(i + 256), KEYS_256(i + 512), KEYS_256(i + 768)

const km_hash128 km_point_keys[KM_KEY_COUNT] = {
    KEYS_1024(0u),    KEYS_1024(1024u), KEYS_256(2048u), KEYS_256(2304u),
    KEYS_64(2560u),   KEYS_64(2624u),   KEYS_16(2688u),  KEYS_4(2704u),
};
_Static_assert(KM_KEY_COUNT == 2708, "as many initialisers as keys");
