import type { Instant } from '../../../pipeline/model/service-time.ts';
import { isStepFreeBetween } from '../../../pipeline/snapshots/step-free-ways.ts';
import type { PlanPlace, PlanQuery } from '../planner/itinerary.ts';
import type { EventTime } from '../read/event-times.ts';
import { isClosedByLifts, isLiftOut, listClosedStops } from '../read/lifts.ts';
import type { Published } from '../read/realtime.ts';
import { getAlighting, getBoarding } from './run.ts';
import type { PlannedWalk, TimedPart, Timeline } from './timeline.ts';

// A lift out of service concerns those who leave or enter its platform: at both ends of a trip, and between two
// platforms. A change at one platform needs no lift.

/** A page of trips is about this long: outages that begin or end within it may concern some of them. */
const PAGE_SECONDS = 2 * 3600;

/**
 * The queries to try for a wheelchair, until no trip of an answer leads past a lift that is out of service then: first
 * without the stops that are closed for the whole time of a page, then without those that are closed for a part of it.
 * @param time where the page begins, or ends in a search by arrival
 */
export function listOpenQueries(published: Published, query: PlanQuery, time: Instant): readonly PlanQuery[] {
  if (!query.wheelchair) return [query];
  const other = time + (query.timeMode === 'departure' ? PAGE_SECONDS : -PAGE_SECONDS);
  const [from, to] = [Math.min(time, other) as Instant, Math.max(time, other) as Instant];
  const closed = listClosedStops(published, from, to);
  const always = closed.whole.length === closed.partly.length ? [] : [closed.whole];
  return [...always, closed.partly].map((stops) => closeStops(query, stops));
}

/** The query without some stops, at which nobody boards or alights. */
export function closeStops(query: PlanQuery, closedStops: readonly number[]): PlanQuery {
  if (closedStops.length === 0) return query;
  const closed = new Set(closedStops);
  const open = ({ members, reach }: PlanPlace): PlanPlace => ({
    members: members.filter((stop) => !closed.has(stop)),
    reach: reach.filter(({ stop }) => !closed.has(stop)),
  });
  return { ...query, from: open(query.from), to: open(query.to), via: query.via.map(open), closedStops };
}

/** Whether a trip leads past a lift that is out of service then. */
export function isLiftMissing(published: Published, { parts }: Timeline): boolean {
  return parts.some((_, index) =>
    listPassages(published, parts, index).some(({ stop, at }) => isClosedByLifts(published, stop, at.expected)),
  );
}

/** `lift:outOfService` of a part at whose begin or end a lift is out of service. */
export function listLiftAttributes(published: Published, parts: readonly TimedPart[], index: number): string[] {
  const passages = listPassages(published, parts, index);
  return passages.some(({ stop, at }) => isLiftOut(published, stop, at.expected)) ? ['lift:outOfService'] : [];
}

/** The way between a stop and the street, or another platform. */
interface LiftPassage {
  readonly stop: number;
  readonly at: EventTime;
}

/** Of a ride, or of a transfer. */
function listPassages(published: Published, parts: readonly TimedPart[], index: number): LiftPassage[] {
  const { tables } = published.timetable;
  const isLevel = ({ fromStop, toStop }: PlannedWalk) => isStepFreeBetween(tables, fromStop, toStop);
  const part = parts[index]!;
  const { begin, end } = part;
  if (part.kind === 'walk') {
    const { role, fromStop, toStop } = part.walk;
    const ends = [begin, end].map((at, i) => ({ stop: i === 0 ? fromStop : toStop, at }));
    return role === 'transfer' && !isLevel(part.walk) ? ends : [];
  }
  const staysThere = (beside: TimedPart | undefined) =>
    beside?.kind === 'walk' && beside.walk.role === 'transfer' && isLevel(beside.walk);
  const [before, after] = [parts[index - 1], parts[index + 1]];
  const isBoarding = !part.isStaying && !staysThere(before);
  const isAlighting = !(after?.kind === 'ride' && after.isStaying) && !staysThere(after);
  return [
    ...(isBoarding ? [{ stop: getBoarding(part.run).stop, at: begin }] : []),
    ...(isAlighting ? [{ stop: getAlighting(part.run).stop, at: end }] : []),
  ];
}
