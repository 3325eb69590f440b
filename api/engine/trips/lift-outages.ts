import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { PlanPlace, PlanQuery } from '../planner/itinerary.ts';
import type { EventTime } from '../read/event-times.ts';
import { isLiftOut, listClosedStops } from '../read/lifts.ts';
import type { Published } from '../read/realtime.ts';
import { getAlighting, getBoarding } from './run.ts';
import type { TimedPart, Timeline } from './timeline.ts';

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

function closeStops(query: PlanQuery, closedStops: readonly number[]): PlanQuery {
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
  return parts.some((_, index) => passesOutage(published, parts, index));
}

/** `lift:outOfService` of a part at whose begin or end a lift is out of service. */
export function listLiftAttributes(published: Published, parts: readonly TimedPart[], index: number): string[] {
  return passesOutage(published, parts, index) ? ['lift:outOfService'] : [];
}

function passesOutage(published: Published, parts: readonly TimedPart[], index: number): boolean {
  return listPassages(parts, index).some(({ stop, at }) => isLiftOut(published, stop, at.expected));
}

/** The way between a stop and the street, or another platform. */
interface LiftPassage {
  readonly stop: number;
  readonly at: EventTime;
}

/** Of a ride, or of a transfer. */
function listPassages(parts: readonly TimedPart[], index: number): LiftPassage[] {
  const part = parts[index]!;
  const { begin, end } = part;
  if (part.kind === 'walk') {
    const { role, fromStop, toStop } = part.walk;
    const isAnother = role === 'transfer' && fromStop !== toStop;
    return isAnother
      ? [
          { stop: fromStop, at: begin },
          { stop: toStop, at: end },
        ]
      : [];
  }
  const [before, after] = [parts[index - 1], parts[index + 1]];
  return [
    ...(isSamePlatform(before, part.isStaying) ? [] : [{ stop: getBoarding(part.run).stop, at: begin }]),
    ...(isSamePlatform(after, isStaying(after)) ? [] : [{ stop: getAlighting(part.run).stop, at: end }]),
  ];
}

function isStaying(part: TimedPart | undefined): boolean {
  return part?.kind === 'ride' && part.isStaying;
}

/** Whether the traveller stays on the platform, or on board. @param beside the part before or after a ride */
function isSamePlatform(beside: TimedPart | undefined, staysOnBoard: boolean): boolean {
  if (staysOnBoard) return true;
  return beside?.kind === 'walk' && beside.walk.role === 'transfer' && beside.walk.fromStop === beside.walk.toStop;
}
