import type { CallReport, TripName, TripReport } from '../../model/realtime.ts';
import { type EpochDay, type Instant, toEpochDay } from '../../model/service-time.ts';
import {
  deviationAt,
  type LinkedCalls,
  linkCalls,
  type PlacedTrip,
  placeCalls,
  plannedMoment,
} from './call-positions.ts';
import type { MatchContext, MatchedBy, UnmatchedReason } from './match-result.ts';
import type { PlaceNames } from './place-names.ts';
import type { StopLinks } from './stop-links.ts';
import { countsOn, listFeeds, listSources, type TimetableIndex } from './timetable-index.ts';

/** What matching knows of one timetable snapshot. */
export interface MatchingWorld {
  readonly index: TimetableIndex;
  readonly names: PlaceNames;
  readonly links: StopLinks;
  readonly findResolved: FindResolved;
}

/** The dated trip that a trip id which the timetable lacks stands for; null where no report has shown that yet. */
export type FindResolved = (trip: TripName, now: Instant) => { readonly trip: number; readonly day: EpochDay } | null;

/** One trip that is looked for. */
export interface TripQuestion {
  readonly trip: TripName;
  readonly calls: readonly CallReport[];
  readonly now: Instant;
  /** Service day as told, or null. */
  readonly day: EpochDay | null;
  /** The feeds that it may be in, and the calls' stops there. */
  readonly places: readonly QuestionPlace[];
  /** Its stops have ids of another publisher: then its trip id may be one of its own, that means nothing here. */
  readonly isForeign: boolean;
  /** The report takes the trip away. */
  readonly isCancelling: boolean;
}

interface QuestionPlace {
  readonly source: number;
  /** A version of the source. */
  readonly feed: number;
  readonly linked: LinkedCalls;
}

export interface FoundTrip {
  readonly trip: number;
  readonly day: EpochDay;
  readonly how: MatchedBy;
}

export interface MissedTrip {
  readonly reason: UnmatchedReason;
  /** The trip of that id that does not run on the day. */
  readonly idleTrip: number | null;
}

export type Search = FoundTrip | MissedTrip;

export function isFound(search: Search): search is FoundTrip {
  return 'how' in search;
}

export function missed(reason: UnmatchedReason, idleTrip: number | null = null): MissedTrip {
  return { reason, idleTrip };
}

export function askForTrip(
  { index, links }: MatchingWorld,
  { trip, calls, relationship }: Pick<TripReport, 'trip' | 'calls' | 'relationship'>,
  { timetableSource, now }: MatchContext,
): TripQuestion {
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
    isCancelling: relationship === 'cancelled' || relationship === 'deleted',
  };
}

/** Of several versions of a source the one that counts on the day that was reported; all where none was. */
export function listPlaces(index: TimetableIndex, { places, day }: TripQuestion): readonly QuestionPlace[] {
  return day === null ? places : places.filter(({ feed }) => countsOn(index, feed, day));
}

/** How well the planned times of a report's calls are those of a dated trip. */
export interface Agreement {
  /** Calls that are there at the planned time, give or take `MAX_PLAN_DIFFERENCE_SECONDS`. */
  readonly agreeing: number;
  /** Calls that are there at another time. */
  readonly disagreeing: number;
  /** Calls at stops that the timetable knows and the trip does not come to. */
  readonly absent: number;
}

/** What publishers' plans differ by where they are still of the same departure. */
export const MAX_PLAN_DIFFERENCE_SECONDS = 120;

export function compareCalls(
  index: TimetableIndex,
  run: PlacedTrip & { readonly day: number },
  calls: readonly CallReport[],
  linked: LinkedCalls,
): Agreement {
  const { trip, day } = run;
  const { positions } = placeCalls(index, run, calls, linked);
  let agreeing = 0;
  let disagreeing = 0;
  let absent = 0;
  for (const [i, call] of calls.entries()) {
    const position = positions[i]!;
    const planned = plannedMoment(call);
    if (position < 0) absent += Number(call.state !== 'unplanned' && linked[i] !== null && linked[i]!.length > 0);
    else if (planned === null) continue;
    else if (deviationAt(index, trip, day, position, planned) <= MAX_PLAN_DIFFERENCE_SECONDS) agreeing++;
    else disagreeing++;
  }
  return { agreeing, disagreeing, absent };
}
