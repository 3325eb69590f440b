/** Things at stops, put in the order of stops. */
export interface StopGroups {
  /** Stops that have any, rising. */
  readonly stop: Int32Array;
  /** Where each one's run begins in `order`, and its length. */
  readonly first: Int32Array;
  readonly count: Int32Array;
  /** Indices of the things. */
  readonly order: Int32Array;
}

/** @param stops row of the stop of each thing, below `stopCount`; a negative one is left out */
export function groupByStop(stops: readonly number[], stopCount: number): StopGroups {
  const counts = new Int32Array(stopCount + 1);
  for (const stop of stops) if (stop >= 0) counts[stop + 1]!++;
  let used = 0;
  for (let stop = 0; stop < stopCount; stop++) {
    if (counts[stop + 1]! > 0) used += 1;
    counts[stop + 1]! += counts[stop]!;
  }
  const order = new Int32Array(counts[stopCount]!);
  const next = counts.slice();
  stops.forEach((stop, thing) => {
    if (stop >= 0) order[next[stop]!++] = thing;
  });
  const groups = { stop: new Int32Array(used), first: new Int32Array(used), count: new Int32Array(used), order };
  let row = 0;
  for (let stop = 0; stop < stopCount; stop++) {
    const count = counts[stop + 1]! - counts[stop]!;
    if (count === 0) continue;
    groups.stop[row] = stop;
    groups.first[row] = counts[stop]!;
    groups.count[row] = count;
    row += 1;
  }
  return groups;
}
