import type { Instant } from '../../../pipeline/model/service-time.ts';
import { isStepFreeBetween } from '../../../pipeline/snapshots/step-free-ways.ts';
import type { PlanPlace, PlanQuery } from '../planner/itinerary.ts';
import type { EventTime } from '../read/event-times.ts';
import { isClosedByLifts, isLiftOut, listClosedStops } from '../read/lifts.ts';
import type { Published } from '../read/realtime.ts';
import { getAlighting, getBoarding } from './run.ts';
import type { PlannedWalk, TimedPart, Timeline } from './timeline.ts';

// A lift that is out of service matters where travellers enter or leave its platform: at both ends of a trip, and when
// they change platforms. A transfer at the same platform needs no lift.

/** Approximate period of a page of trips: outages that begin or end within it may affect only some of them. */
const PAGE_SECONDS = 2 * 3600;

/**
 * The queries to try in order for a wheelchair, until no trip found needs a lift that is out of service at that time:
 * first without the stops that are closed during the whole page, then without those that are closed at any time of it.
 * @param time begin of the page, or its end in a search by arrival
 */
export function listOpenQueries(published: Published, query: PlanQuery, time: Instant): readonly PlanQuery[] {
  if (!query.wheelchair) return [query];
  const other = time + (query.timeMode === 'departure' ? PAGE_SECONDS : -PAGE_SECONDS);
  const [from, to] = [Math.min(time, other) as Instant, Math.max(time, other) as Instant];
  const closed = listClosedStops(published, from, to);
  const always = closed.whole.length === closed.partly.length ? [] : [closed.whole];
  return [...always, closed.partly].map((stops) => closeStops(query, stops));
}

/** The query with some stops closed, see `PlanQuery.closedStops`. */
export function closeStops(query: PlanQuery, closedStops: readonly number[]): PlanQuery {
  if (closedStops.length === 0) return query;
  const closed = new Set(closedStops);
  const open = ({ members, reach }: PlanPlace): PlanPlace => ({
    members: members.filter((stop) => !closed.has(stop)),
    reach: reach.filter(({ stop }) => !closed.has(stop)),
  });
  return { ...query, from: open(query.from), to: open(query.to), via: query.via.map(open), closedStops };
}

/** Whether a trip needs a lift that is out of service at that time. */
export function isLiftMissing(published: Published, { parts }: Timeline): boolean {
  return parts.some((_, index) =>
    listPassages(published, parts, index).some(({ stop, at }) => isClosedByLifts(published, stop, at.expected)),
  );
}

/** `lift:outOfService` if a lift at the begin or end of a part is out of service. */
export function listLiftAttributes(published: Published, parts: readonly TimedPart[], index: number): string[] {
  const passages = listPassages(published, parts, index);
  return passages.some(({ stop, at }) => isLiftOut(published, stop, at.expected)) ? ['lift:outOfService'] : [];
}

/** Where a traveller passes between a stop and the street or another platform. */
interface LiftPassage {
  readonly stop: number;
  readonly at: EventTime;
}

/** The passages of a ride or transfer. */
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
