import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { Memory } from './shared-tables.ts';

/** The calls at which trips can be entered, or left, by transfer place: RAPTOR's routes of a stop. */
export interface PlaceCalls {
  /** The calls of a place are at `starts[place]` to `starts[place + 1]`. */
  readonly starts: Int32Array;
  /** Calls of the timetable's patterns, and their patterns. */
  readonly calls: Int32Array;
  readonly patterns: Int32Array;
}

/** @param placeAt transfer place by call of the timetable's patterns, -1 where it is not allowed */
export function listPlaceCalls(
  { stops, transferPlaces, stopCalls, patterns }: TimetableTables,
  placeAt: Int32Array,
  memory: Memory,
): PlaceCalls {
  const starts = memory.int32(stops.source.length + transferPlaces.stop.length + 1);
  for (const place of placeAt) if (place >= 0) starts[place + 1]!++;
  for (let place = 1; place < starts.length; place++) starts[place]! += starts[place - 1]!;
  const calls = memory.int32(starts.at(-1)!);
  const callPatterns = memory.int32(calls.length);
  const next = starts.slice();
  for (let i = 0; i < stopCalls.pattern.length; i++) {
    const pattern = stopCalls.pattern[i]!;
    const call = patterns.firstCall[pattern]! + stopCalls.position[i]!;
    const place = placeAt[call]!;
    if (place < 0) continue;
    calls[next[place]!] = call;
    callPatterns[next[place]!++] = pattern;
  }
  return { starts, calls, patterns: callPatterns };
}
