import type { TripCalls } from '../../timetable/patterns.ts';

/** GTFS stop_sequence of all trips: most feeds number calls in a few ways, so each list of numbers is kept once. */
export interface StopSequences {
  /** Row of `sequence` at which the list of a trip begins; as long as the trip has calls. */
  readonly firstSequence: Int32Array;
  readonly sequence: Uint32Array;
}

/** @param sequence by call, in the order of `calls` */
export function buildStopSequences({ tripFirstCall }: Pick<TripCalls, 'tripFirstCall'>, sequence: Int32Array) {
  const tripCount = tripFirstCall.length - 1;
  const firstSequence = new Int32Array(tripCount);
  const kept = new Uint32Array(sequence.length);
  const listsByHash = new Map<number, { readonly first: number; readonly count: number }[]>();
  let next = 0;
  for (let trip = 0; trip < tripCount; trip++) {
    const from = tripFirstCall[trip]!;
    const count = tripFirstCall[trip + 1]! - from;
    const hash = hashList(sequence, from, count);
    const lists = listsByHash.get(hash) ?? [];
    let list = lists.find((known) => known.count === count && hasSameNumbers(kept, known.first, sequence, from, count));
    if (!list) {
      list = { first: next, count };
      kept.set(sequence.subarray(from, from + count), next);
      next += count;
      lists.push(list);
      listsByHash.set(hash, lists);
    }
    firstSequence[trip] = list.first;
  }
  return { firstSequence, sequence: kept.slice(0, next) } satisfies StopSequences;
}

/** FNV-1a; `hasSameNumbers` settles what it leaves open. */
function hashList(sequence: Int32Array, from: number, count: number): number {
  let hash = 0x811c9dc5 ^ count;
  for (let i = from; i < from + count; i++) hash = Math.imul(hash ^ sequence[i]!, 0x01000193);
  return hash;
}

function hasSameNumbers(kept: Uint32Array, first: number, sequence: Int32Array, from: number, count: number): boolean {
  for (let i = 0; i < count; i++) if (kept[first + i] !== sequence[from + i]) return false;
  return true;
}
