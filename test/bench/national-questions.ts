import { getStopId } from '../../api/engine/read/stop-ids.ts';
import { openTimetable, type Timetable } from '../../api/engine/read/timetable.ts';
import { type Instant, type ServiceDate, serviceDayStart } from '../../pipeline/model/service-time.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../pipeline/snapshots/timetable-files.ts';
import { makeRandom } from './made-up-stops.ts';

/** Wednesday, 11 March 2026, 07:30 in Austria: a working day within the national feed's period, in the rush hour. */
export const BENCH_NOW = 1_773_210_600 as Instant;
/** Midnight of that day. */
export const BENCH_DAY_START = serviceDayStart('2026-03-11' as ServiceDate, 'Europe/Vienna');

/** Stations that a board may be asked for, among them a search entry's row; by how often people ask. */
export interface RequestedStop {
  readonly id: string;
  readonly entry: number;
}

export const ASKED_STOPS = 500;
const SEED = 7;

/**
 * As apps ask: 500 stations, the busy ones far more often than the quiet ones.
 * @param count questions; each of the 500 occurs, where there are enough of them
 */
export function listAskedStops(timetable: Timetable, count: number): RequestedStop[] {
  const { importance, stop } = timetable.tables.searchEntries;
  const busiest = Array.from(importance.keys()).sort((a, b) => importance[b]! - importance[a]! || a - b);
  const asked = busiest.slice(0, ASKED_STOPS).map((entry) => ({ id: getStopId(timetable, stop[entry]!), entry }));
  const random = makeRandom(SEED);
  // The square makes the first quarter of them half of all questions.
  return Array.from({ length: count }, (_, i) =>
    i < asked.length ? asked[i]! : asked[Math.floor(random() ** 2 * asked.length)]!,
  );
}

/** Ids of the stations of as many questions, out of the published timetable. */
export async function readAskedStops(dataDir: string, count: number): Promise<string[]> {
  const id = await findCurrentTimetableId(dataDir);
  if (id === null) throw new Error(`no snapshot is published in ${dataDir}`);
  return listAskedStops(openTimetable(await readTimetableSnapshot(dataDir, id)), count).map((stop) => stop.id);
}

export function boardPath(stopId: string): string {
  return `/v2/stops/${encodeURIComponent(stopId)}/departures`;
}
