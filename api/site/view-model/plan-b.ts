import type { TripChoice } from '../../contract/trip-outlook.ts';
import type { Trip } from '../../contract/v2-trip.ts';
import type { Language } from '../texts/languages.ts';
import { tripsTexts } from '../texts/trips.ts';
import { toLocalTime } from './local-time.ts';
import { clockOf } from './shown-time.ts';
import { expectedAt } from './trip-times.ts';
import { listViaAhead } from './trip-via.ts';
import { isBroken, type LegView } from './trip-view.ts';
import { emptyState, type TripsState } from './trips-state.ts';

/**
 * The search for a traveller who misses a tight transfer: from its stop to the destination, a minute after the vehicle
 * has left.
 * @returns `null` if the transfer is not tight
 */
export function planBSearch(
  views: readonly LegView[],
  i: number,
  { to, via, wheelchair }: TripsState,
): TripsState | null {
  if (views[i]?.transfer?.risk !== 'tight') return null;
  const missed = views.slice(i).find(({ leg }) => leg.mode === 'transit')?.leg.origin;
  const leavesAt = expectedAt(missed?.departure);
  if (!missed || leavesAt === null) return null;
  return {
    ...emptyState,
    from: { place: missed.placeId ?? missed.id, name: missed.name },
    to,
    via: listViaAhead(
      via,
      views.slice(0, i).map(({ leg }) => leg),
    ),
    when: { kind: 'departure', localTime: toLocalTime((leavesAt + 60) * 1000) },
    wheelchair,
  };
}

/**
 * One sentence on the trip after a missed transfer: the one that arrives first.
 * @param plannedArrival of the trip with the transfer, seconds since 1970
 */
export function describePlanB({ trips }: TripChoice, plannedArrival: number | null, language: Language): string {
  const texts = tripsTexts[language].change.planB;
  const possible = trips.filter((trip) => !isBroken(trip) && expectedAt(trip.arrival) !== null);
  if (possible.length === 0) return texts.none;
  const best = possible.reduce((first, one) => (arrivalOf(one) < arrivalOf(first) ? one : first));
  const line = best.legs.find(({ mode }) => mode === 'transit')?.line?.label ?? null;
  const later = plannedArrival === null ? null : Math.round((arrivalOf(best) - plannedArrival) / 60);
  return texts.next({ line, departure: clockAt(best, 'departure'), arrival: clockAt(best, 'arrival'), later });
}

function arrivalOf({ arrival }: Trip): number {
  return expectedAt(arrival)!;
}

/** The departure of the first vehicle; the walk to it may begin earlier. */
function clockAt(trip: Trip, event: 'departure' | 'arrival'): string {
  const ride = trip.legs.find(({ mode }) => mode === 'transit');
  const time = event === 'departure' ? (ride?.origin.departure ?? trip.departure) : trip.arrival;
  return clockOf((time.realtime ?? time.scheduled)!);
}
