/**
 * The round in which a dated trip that continues as another was ridden, so that later rounds skip it. Few trips
 * continue, so the marks are cleared one by one.
 */
export interface RiddenTrips {
  /** Number of dated trips of a layer: scheduled ones, then live ones. */
  entryCount: number;
  /** By layer and dated trip: the round in which it was ridden from its first call; 0: never. */
  fromBegin: Uint8Array;
  /** By layer and dated trip: the round in which its continuations were followed; 0: never. */
  followed: Uint8Array;
  readonly marks: number[];
}

export function createRiddenTrips(): RiddenTrips {
  return { entryCount: 0, fromBegin: new Uint8Array(0), followed: new Uint8Array(0), marks: [] };
}

/** Clears all marks and allocates space for all dated trips of each layer. */
export function resetRiddenTrips(ridden: RiddenTrips, layerCount: number, entryCount: number): void {
  for (const mark of ridden.marks) {
    ridden.fromBegin[mark] = 0;
    ridden.followed[mark] = 0;
  }
  ridden.marks.length = 0;
  ridden.entryCount = entryCount;
  if (ridden.fromBegin.length >= layerCount * entryCount) return;
  ridden.fromBegin = new Uint8Array(layerCount * entryCount);
  ridden.followed = new Uint8Array(layerCount * entryCount);
}

/**
 * Marks a dated trip in one of the two columns.
 * @param mark `layer * entryCount` plus the dated trip
 * @returns false if it was already marked in this round or an earlier one
 */
export function markRidden(ridden: RiddenTrips, column: Uint8Array, mark: number, round: number): boolean {
  if (column[mark] !== 0 && column[mark]! <= round) return false;
  column[mark] = round;
  ridden.marks.push(mark);
  return true;
}
