import { getStopId } from '../../api/engine/read/stop-ids.ts';
import { openTimetable, type Timetable } from '../../api/engine/read/timetable.ts';
import { type Instant, type ServiceDate, serviceDayStart } from '../../pipeline/model/service-time.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../pipeline/snapshots/timetable-files.ts';
import { makeRandom } from './made-up-stops.ts';

/** Wednesday, 11 March 2026, 07:30 in Austria: a working day within the national feed's period, in the rush hour. */
export const BENCH_NOW = 1_773_210_600 as Instant;
export const BENCH_DAY = '2026-03-11' as ServiceDate;
/** Midnight of that day. */
export const BENCH_DAY_START = serviceDayStart(BENCH_DAY, 'Europe/Vienna');

/** A station with a requested board, and its row in the search index. */
interface RequestedStop {
  readonly id: string;
  readonly entry: number;
}

export const REQUESTED_STOPS = 500;
const SEED = 7;

/**
 * Lists stations as apps request them: 500 stations, the busy ones far more often.
 * @param count number of requests; each of the 500 stations occurs if there are enough
 */
export function listRequestedStops(timetable: Timetable, count: number): RequestedStop[] {
  const { importance, stop } = timetable.tables.searchEntries;
  const busiest = Array.from(importance.keys()).sort((a, b) => importance[b]! - importance[a]! || a - b);
  const requested = busiest
    .slice(0, REQUESTED_STOPS)
    .map((entry) => ({ id: getStopId(timetable, stop[entry]!), entry }));
  const random = makeRandom(SEED);
  // The square gives the first quarter of the stations half of the requests.
  return Array.from({ length: count }, (_, i) =>
    i < requested.length ? requested[i]! : requested[Math.floor(random() ** 2 * requested.length)]!,
  );
}

/** Reads the station ids of that many requests from the published timetable. */
export async function readRequestedStops(dataDir: string, count: number): Promise<string[]> {
  const id = await findCurrentTimetableId(dataDir);
  if (id === null) throw new Error(`no snapshot is published in ${dataDir}`);
  return listRequestedStops(openTimetable(await readTimetableSnapshot(dataDir, id)), count).map((stop) => stop.id);
}

export function boardPath(stopId: string): string {
  return `/v2/stops/${encodeURIComponent(stopId)}/departures`;
}
