/** Memory for what is worked out once and then only read. */
export interface Memory {
  int32(length: number): Int32Array;
  uint8(length: number): Uint8Array;
}

/**
 * Where the planners of one timetable keep what each of them would work out alike. What is made there is plain: objects
 * of numbers and arrays, and nobody writes to them afterwards.
 */
export interface Workshop {
  /** What one of them has made under this name; else it is made now. */
  share<Made extends object>(name: string, make: (memory: Memory) => Made): Made;
}

/** Of a planner that is alone. */
export const ownWorkshop: Workshop = {
  share: (_, make) => make({ int32: (length) => new Int32Array(length), uint8: (length) => new Uint8Array(length) }),
};
