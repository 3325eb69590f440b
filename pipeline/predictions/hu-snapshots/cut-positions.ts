import { findPosition, type PositionTable } from './snapshot-table.ts';

/** The positions as they would be had their feed stopped at a moment. */
export function cutPositions(positions: PositionTable, until: number): PositionTable {
  const runCount = positions.start.length - 1;
  const kept: number[] = [];
  const start = new Int32Array(runCount + 1);
  for (let run = 0; run < runCount; run++) {
    const last = findPosition(positions, run, until);
    for (let place = positions.start[run]!; place <= last; place++) kept.push(place);
    start[run + 1] = kept.length;
  }
  const pick = (column: Float64Array) => Float64Array.from(kept, (place) => column[place]!);
  return {
    start,
    seenAt: pick(positions.seenAt),
    delay: pick(positions.delay),
    latitude: pick(positions.latitude),
    longitude: pick(positions.longitude),
  };
}
