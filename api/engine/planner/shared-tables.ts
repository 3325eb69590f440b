/** Allocates arrays that are written once and then only read. */
export interface Memory {
  int32(length: number): Int32Array;
  uint8(length: number): Uint8Array;
}

/**
 * Derived tables that the planners of one timetable share. A table consists of objects, numbers and arrays, and is
 * immutable once built.
 */
export interface SharedTables {
  /** Returns the table that another planner has built under `name`, or builds it. */
  share<Table extends object>(name: string, build: (memory: Memory) => Table): Table;
}

export const localMemory: Memory = {
  int32: (length) => new Int32Array(length),
  uint8: (length) => new Uint8Array(length),
};

/** For a planner that does not share tables. */
export const localTables: SharedTables = { share: (_, build) => build(localMemory) };
