// What passengers may do at a call of a dated trip, as bits.

export const CAN_BOARD = 1;
export const CAN_ALIGHT = 2;
export const WHOLE_SERVICE = CAN_BOARD | CAN_ALIGHT;
