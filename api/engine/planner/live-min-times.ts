import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { CAN_ALIGHT, CAN_BOARD } from './call-service.ts';
import type { LiveRoutes } from './live-routes.ts';
import type { LiveTrip } from './live-trips.ts';
import type { MinTimes } from './min-times.ts';

/**
 * Returns the minimum times including live trips, some of which make up for delays.
 * @param before minimum times of another realtime snapshot, returned again if they are valid and close enough, so that
 * the bounds of most destinations survive a new snapshot
 */
export function withLiveTimes(
  tables: TimetableTables,
  least: MinTimes,
  live: LiveRoutes,
  before: MinTimes = least,
): MinTimes {
  const { patterns, trips } = tables;
  const lowered = { ride: least.ride.slice(), dwell: least.dwell.slice() };
  for (const liveTrip of live.liveTrips) {
    if (liveTrip.state === 'gone' || liveTrip.trip < 0) continue;
    lowerTimes(lowered, patterns.firstCall[trips.pattern[liveTrip.trip]!]!, liveTrip);
  }
  const spares = [measureSpare(before.ride, lowered.ride), measureSpare(before.dwell, lowered.dwell)];
  return spares.every((spare) => spare >= 0 && spare <= MAX_SPARE_SHARE) ? before : lowered;
}

/** Share of the minimum times that may be lower than necessary. */
const MAX_SPARE_SHARE = 0.01;

/** Returns the share of minimum times that are lower than necessary; negative if one is higher than allowed. */
function measureSpare(times: Int32Array, necessary: Int32Array): number {
  let spare = 0;
  for (let call = 0; call < times.length; call++) {
    if (times[call]! > necessary[call]!) return -1;
    if (times[call]! < necessary[call]!) spare++;
  }
  return spare / times.length;
}

/**
 * Lowers the minimum times where a live trip is faster between two events that take place. An event in between that is
 * cancelled has no time, so it lowers nothing by itself: one skipped call would make the bounds of a whole
 * pattern useless.
 * @param first the first call of its pattern
 */
function lowerTimes({ ride, dwell }: MinTimes, first: number, { arrival, departure, service }: LiveTrip): void {
  const leastOf = (event: number) => (event % 2 === 0 ? dwell : ride)[first + (event >> 1)]!;
  const timeOf = (event: number) => (event % 2 === 0 ? arrival : departure)[event >> 1]!;
  let begin = -1;
  let least = 0;
  for (let event = 0; event < 2 * arrival.length; event++) {
    if ((service[event >> 1]! & (event % 2 === 0 ? CAN_ALIGHT : CAN_BOARD)) !== 0) {
      if (begin >= 0 && timeOf(event) - timeOf(begin) < least) {
        for (let at = begin; at < event; at++) {
          const times = at % 2 === 0 ? dwell : ride;
          times[first + (at >> 1)] = Math.min(leastOf(at), timeOf(at + 1) - timeOf(at));
        }
      }
      begin = event;
      least = 0;
    }
    least += leastOf(event);
  }
}
