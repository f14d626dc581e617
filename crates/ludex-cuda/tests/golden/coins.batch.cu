#define P_LEGAL 5u
#define P_DOES 9u
#define P_ILLEGAL 13u
#define P_LOST 15u
#define P_STEPPING 16u
#define P_OVER 17u
#define P_SAID 20u
#define P_RULED 23u
#define P_ENDED 24u
#define P_AGAIN 25u
#define P_SEVERAL 26u
#define P_TERMINAL 28u
#define P_GOALS 29u
#define P_AGE 33u
#define P_LAST 65u
#define I_FROM_AT 0u
#define I_COUNT_AT 4u
#define I_PLACE_FROM_AT 8u
#define I_PLACE_AT 12u
#define I_NUMBER_AT 16u
#define I_START_AT 20u
#define I_SEVERAL_AT 32u
#define I_OPENING_AT 36u
#define I_GOAL_FROM_AT 40u
#define I_IS_NUMBER_AT 44u
#define I_OWN_AT 48u
#define I_OTHERS_AT 56u
#define I_WORTH_AT 64u
#define I_CONTROL_AT 68u
PLANE(P_STEPPING) = stepping;
u32 f0 = PLANE(0u);
u32 f1 = PLANE(1u);
u32 f2 = PLANE(2u);
u32 f3 = PLANE(3u);
u32 f4 = PLANE(4u);
u32 d0 = PLANE(P_DOES + 0u);
u32 d1 = PLANE(P_DOES + 1u);
u32 d2 = PLANE(P_DOES + 2u);
u32 d3 = PLANE(P_DOES + 3u);
u32 t1 = ~stepping & f0;
L3(t2, stepping, d0, f1, 0xCA)
L3(t3, stepping, d1, f2, 0xCA)
L3(t4, stepping, d2, f3, 0xCA)
L3(t5, stepping, d3, f4, 0xCA)
f0 = t1;
PLANE(0u) = f0;
f1 = t2;
PLANE(1u) = f1;
f2 = t3;
PLANE(2u) = f2;
f3 = t4;
PLANE(3u) = f3;
f4 = t5;
PLANE(4u) = f4;
u32 t1 = f1 | f2;
PLANE(P_TERMINAL) = over;
PLANE(P_LEGAL + 0u) = f0;
PLANE(P_LEGAL + 1u) = f0;
PLANE(P_LEGAL + 2u) = f0;
PLANE(P_LEGAL + 3u) = f0;
if (ANY(over & stepping)) {
u32 t2 = f2 & f4;
L3(t3, f1, f3, t2, 0x15)
PLANE(P_GOALS + 0u) = t3;
PLANE(P_GOALS + 1u) = ~t3;
PLANE(P_GOALS + 2u) = t3;
PLANE(P_GOALS + 3u) = ~t3;
