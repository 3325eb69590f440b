import { isAhead } from '../model/clock-tolerance.ts';
import type { Instant } from '../model/service-time.ts';
import { endOfAdded } from './added-calls.ts';
import type { SourceMemory, TripMemory } from './memory.ts';
import { endOfPlan, type PlannedCalls } from './planned-calls.ts';
import { forgetResolved } from './resolved-trips.ts';

/** A trip that has ended is of interest to those who look at its journey a little longer. */
const KEPT_SECONDS = 3600;
/** What was said this long ago of a trip that nobody knows is of a trip that is over. */
const UNRESOLVED_SECONDS = 12 * 3600;
/** No vehicle is shown that was seen longer ago; one that comes back is a new sighting. */
const VEHICLE_SECONDS = 15 * 60;

/** Lets go of what is over, so that the memory holds a day's traffic and not a year's. */
export function forgetOld(source: SourceMemory, planned: PlannedCalls, now: Instant): void {
  const { trips, added, told, vehicles, boards, parts } = source;
  // What was seen in the future, before the clock was set back, would count as fresh until then.
  const isOver = (end: number, seenAt: number) => Math.max(end, seenAt) + KEPT_SECONDS < now || isAhead(seenAt, now);
  for (const [name, trip] of trips) if (isOver(endOf(trip, planned), trip.seenAt)) trips.delete(name);
  for (const [name, { calls, seenAt }] of added) if (isOver(endOfAdded(calls), seenAt)) added.delete(name);
  for (const [name, { until }] of told) if (until < now) told.delete(name);
  for (const [id, { observedAt }] of vehicles) {
    if (observedAt + VEHICLE_SECONDS < now || isAhead(observedAt, now)) vehicles.delete(id);
  }
  for (const [station, { fetchedAt }] of boards) if (isAhead(fetchedAt, now)) boards.delete(station);
  forgetResolved(source, now);
  // Differential answers name a trip once, and nobody need say that it is over.
  for (const part of parts.values()) {
    const { mentioned, unresolved } = part;
    if (unresolved.some(({ facts }) => facts.seenAt + UNRESOLVED_SECONDS < now)) {
      part.unresolved = unresolved.filter(({ facts }) => facts.seenAt + UNRESOLVED_SECONDS >= now);
    }
    for (const name of mentioned.keys()) {
      if (!trips.has(name) && !added.has(name) && !told.has(name)) mentioned.delete(name);
    }
  }
}

function endOf({ trip, day, calls }: TripMemory, planned: PlannedCalls): number {
  return Math.max(endOfPlan(planned.plan(trip, day)), calls.at(-1)?.arrival.time ?? 0);
}
