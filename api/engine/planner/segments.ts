/** Rides that a search has begun, so that the way to a place can be told: append only, emptied for the next departure. */
export interface Segments {
  /** @returns its number */
  add(lane: number, entry: number, enterPosition: number, before: number, stage: number, round: number): number;
  clear(): void;
  /** Lane and dated trip; the call where it was entered, and the segment before if nobody got up there, else -1. */
  lane(segment: number): number;
  entry(segment: number): number;
  enterPosition(segment: number): number;
  before(segment: number): number;
  /** Stage and round in which it was entered. */
  stage(segment: number): number;
  round(segment: number): number;
}

const FIELDS = 6;

export function createSegments(): Segments {
  let fields = new Int32Array(FIELDS * 1024);
  let used = 0;
  return {
    add(lane, entry, enterPosition, before, stage, round) {
      if (used + FIELDS > fields.length) {
        const larger = new Int32Array(fields.length * 2);
        larger.set(fields);
        fields = larger;
      }
      fields[used] = lane;
      fields[used + 1] = entry;
      fields[used + 2] = enterPosition;
      fields[used + 3] = before;
      fields[used + 4] = stage;
      fields[used + 5] = round;
      used += FIELDS;
      return used / FIELDS - 1;
    },
    clear() {
      used = 0;
    },
    lane: (segment) => fields[segment * FIELDS]!,
    entry: (segment) => fields[segment * FIELDS + 1]!,
    enterPosition: (segment) => fields[segment * FIELDS + 2]!,
    before: (segment) => fields[segment * FIELDS + 3]!,
    stage: (segment) => fields[segment * FIELDS + 4]!,
    round: (segment) => fields[segment * FIELDS + 5]!,
  };
}
