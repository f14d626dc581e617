#define P_LEGAL 2u
#define P_DOES 4u
#define P_ILLEGAL 6u
#define P_LOST 7u
#define P_STEPPING 8u
#define P_OVER 9u
#define P_SAID 12u
#define P_RULED 15u
#define P_ENDED 16u
#define P_AGAIN 17u
#define P_SEVERAL 18u
#define P_TERMINAL 19u
#define P_GOALS 20u
#define P_AGE 22u
#define P_LAST 54u
#define I_FROM_AT 0u
#define I_COUNT_AT 4u
#define I_PLACE_FROM_AT 8u
#define I_PLACE_AT 12u
#define I_NUMBER_AT 16u
#define I_START_AT 20u
#define I_SEVERAL_AT 24u
#define I_OPENING_AT 28u
#define I_GOAL_FROM_AT 32u
#define I_IS_NUMBER_AT 36u
#define I_OWN_AT 40u
#define I_OTHERS_AT 44u
#define I_WORTH_AT 48u
#define I_CONTROL_AT 52u
PLANE(P_STEPPING) = stepping;
u32 f0 = PLANE(0u);
u32 f1 = PLANE(1u);
u32 d0 = PLANE(P_DOES + 0u);
u32 d1 = PLANE(P_DOES + 1u);
L3(t1, stepping, d1, f0, 0xCA)
L3(t2, stepping, d0, f1, 0xCA)
f0 = t1;
PLANE(0u) = f0;
f1 = t2;
PLANE(1u) = f1;
PLANE(P_TERMINAL) = over;
PLANE(P_LEGAL + 0u) = ~0u;
PLANE(P_LEGAL + 1u) = ~0u;
if (ANY(over & stepping)) {
PLANE(P_GOALS + 0u) = f0;
PLANE(P_GOALS + 1u) = f1;
