import type { CallReport, TripName, TripReport } from '../../model/realtime.ts';
import { type EpochDay, type Instant, toEpochDay } from '../../model/service-time.ts';
import {
  deviationAt,
  type LinkedCalls,
  linkCalls,
  type PlacedTrip,
  placeCalls,
  plannedTime,
} from './call-positions.ts';
import type { MatchContext, MatchedBy, UnmatchedReason } from './match-result.ts';
import type { PlaceNames } from './place-names.ts';
import type { StopLinks } from './stop-links.ts';
import { isInForceOn, listFeeds, listSources, type TimetableIndex } from './timetable-index.ts';

/** The indexes of one timetable snapshot that matching uses. */
export interface MatchingIndexes {
  readonly index: TimetableIndex;
  readonly names: PlaceNames;
  readonly links: StopLinks;
  readonly findResolved: FindResolved;
}

/** The dated trip of a trip id that the timetable lacks; null where no report has resolved it yet. */
export type FindResolved = (trip: TripName, now: Instant) => { readonly trip: number; readonly day: EpochDay } | null;

/** Query for one dated trip. */
export interface TripQuery {
  readonly trip: TripName;
  readonly calls: readonly CallReport[];
  readonly now: Instant;
  /** Reported service date, or null. */
  readonly day: EpochDay | null;
  /** The feeds that may hold it, with the calls' stops there. */
  readonly places: readonly QueryFeed[];
  /** Its stops have ids of another publisher: then its trip id may also be from there, and meaningless here. */
  readonly isForeign: boolean;
  /** Its calls are not those of the trip, but replace them: they count their stop_sequences for themselves. */
  readonly isReplacing: boolean;
  /** The report cancels or deletes the trip. */
  readonly isCancelling: boolean;
}

interface QueryFeed {
  readonly source: number;
  /** A version of the source. */
  readonly feed: number;
  readonly linked: LinkedCalls;
}

export interface FoundTrip {
  /** As reported: on that day it may be a duplicate of the trip that is shown. */
  readonly trip: number;
  readonly day: EpochDay;
  readonly how: MatchedBy;
}

export interface MissedTrip {
  readonly reason: UnmatchedReason;
  /** The trip of that id, which does not run on the day. */
  readonly idleTrip: number | null;
}

export type TripSearchResult = FoundTrip | MissedTrip;

export function isFound(search: TripSearchResult): search is FoundTrip {
  return 'how' in search;
}

export function missed(reason: UnmatchedReason, idleTrip: number | null = null): MissedTrip {
  return { reason, idleTrip };
}

export function buildTripQuery(
  { index, links }: MatchingIndexes,
  { trip, calls, relationship }: Pick<TripReport, 'trip' | 'calls' | 'relationship'>,
  { timetableSource, now }: MatchContext,
): TripQuery {
  return {
    trip,
    calls,
    now,
    day: trip.startDate === null ? null : toEpochDay(trip.startDate),
    places: listSources(index, timetableSource).flatMap((source) => {
      const linked = linkCalls(links, calls, source);
      return listFeeds(index, index.sourceIds[source]!).map((feed) => ({ source, feed, linked }));
    }),
    isForeign: calls.some(({ stop }) => stop !== null && stop.idSpace !== 'gtfs'),
    isReplacing: relationship === 'replacement',
    isCancelling: relationship === 'cancelled' || relationship === 'deleted',
  };
}

/** The version of each source that is in force on the reported day; all versions where no day is reported. */
export function listPlaces(index: TimetableIndex, { places, day }: TripQuery): readonly QueryFeed[] {
  return day === null ? places : places.filter(({ feed }) => isInForceOn(index, feed, day));
}

/** How well the planned times of a report's calls agree with a dated trip. */
export interface Agreement {
  /** Calls at the planned time, within `MAX_PLAN_DIFFERENCE_SECONDS`. */
  readonly agreeing: number;
  /** Calls at another time. */
  readonly disagreeing: number;
  /** Calls at stops that the timetable has and the trip does not serve. */
  readonly absent: number;
}

/** Publishers' plans of the same departure may differ by this much. */
export const MAX_PLAN_DIFFERENCE_SECONDS = 120;

export function compareCalls(
  index: TimetableIndex,
  placed: PlacedTrip & { readonly day: number },
  calls: readonly CallReport[],
  linked: LinkedCalls,
): Agreement {
  const { trip, day } = placed;
  const { positions } = placeCalls(index, placed, calls, linked);
  let agreeing = 0;
  let disagreeing = 0;
  let absent = 0;
  for (const [i, call] of calls.entries()) {
    const position = positions[i]!;
    const planned = plannedTime(call);
    if (position < 0) absent += Number(call.state !== 'unplanned' && linked[i] !== null && linked[i]!.length > 0);
    else if (planned === null) continue;
    else if (deviationAt(index, trip, day, position, planned) <= MAX_PLAN_DIFFERENCE_SECONDS) agreeing++;
    else disagreeing++;
  }
  return { agreeing, disagreeing, absent };
}
