import type { Arrival, Departure, Line } from '../../contract/definitions.ts';
import { placeRun } from '../news/notices.ts';
import {
  findAddedPlatform,
  getAddedDirection,
  getAddedLine,
  getAddedOrigin,
  getAddedStopName,
} from '../read/added-trips.ts';
import { findNotices, type NewsPlace } from '../read/news.ts';
import {
  getDirection,
  getOrigin,
  listCallAttributes,
  presentCallTime,
  presentPlatform,
  presentServiceKind,
} from '../read/present.ts';
import { findText } from '../read/realtime.ts';
import type { AddedRun } from './added-calls.ts';
import type { BoardContext } from './board-calls.ts';
import { type BoardCall, eventOf, type PlannedRun } from './board-calls.ts';
import type { BoardKind } from './calls-at-stop.ts';

/** A departure in words, its members in the order of the contract. @param id unique on the board */
export function presentDeparture(context: BoardContext, call: BoardCall, id: string): Departure {
  const { named, end, stopName, time, rest } = describeCall(context, call, 'departures');
  return { id, ...named, direction: end, stopName, departure: time, ...rest };
}

/** An arrival in words. @param id unique on the board */
export function presentArrival(context: BoardContext, call: BoardCall, id: string): Arrival {
  const { named, end, stopName, time, rest } = describeCall(context, call, 'arrivals');
  return { id, ...named, origin: end, stopName, arrival: time, ...rest };
}

/** What departures and arrivals tell alike. */
function describeCall(context: BoardContext, { run, live, scheduled, shown }: BoardCall, kind: BoardKind) {
  const { published, moment } = context;
  const { realtime } = published;
  const facts = 'call' in run ? describePlanned(context, run, kind) : describeAdded(context, run, kind);
  const { place, flags, journeyRef, line, end, stopName, attributes } = facts;
  const announced = live && realtime ? findText(realtime, live.platform) : null;
  return {
    named: { journeyRef, line },
    end,
    stopName,
    time: presentCallTime(scheduled, live, eventOf(kind), moment),
    rest: {
      platform: presentPlatform(facts.platform, announced),
      cancelled: live?.isCancelled ?? false,
      ...presentServiceKind(flags),
      notices: realtime ? findNotices(realtime.news, place, shown, shown) : [],
      attributes,
    },
  };
}

/** What is known of a run at one of its calls, whoever plans it. */
interface RunFacts {
  readonly place: NewsPlace;
  /** Bits of `tripFlags`. */
  readonly flags: number;
  readonly journeyRef: string;
  readonly line: Line;
  /** Where a departure goes, where an arrival comes from. */
  readonly end: string;
  readonly stopName: string;
  /** As planned; null where nobody says. */
  readonly platform: string | null;
  readonly attributes: string[];
}

function describePlanned(
  { published, references }: BoardContext,
  { call, liveTrip }: PlannedRun,
  kind: BoardKind,
): RunFacts {
  const { timetable, realtime } = published;
  const { pattern, position, trip, day } = call;
  const { patterns, patternCalls, trips, stops } = timetable.tables;
  const stop = patternCalls.stop[patterns.firstCall[pattern]! + position]!;
  const route = patterns.route[pattern]!;
  return {
    place: placeRun(published, { trip, addedTrip: -1, day }, [stop]),
    flags: realtime && liveTrip >= 0 ? realtime.tables.trips.flags[liveTrip]! : 0,
    journeyRef: references.sealJourney({ tripKey: trips.key[trip]!, day }),
    line: timetable.lines.get(route),
    end: kind === 'departures' ? getDirection(timetable, pattern, position, trip) : getOrigin(timetable, pattern),
    stopName: stops.name.get(stop),
    platform: stops.platformCode.get(stop) || null,
    attributes: listCallAttributes(timetable, pattern, position, trip),
  };
}

function describeAdded(
  { published, references }: BoardContext,
  { addedTrip, row }: AddedRun,
  kind: BoardKind,
): RunFacts {
  const { addedTrips, addedCalls } = published.realtime!.tables;
  const [tripKey, day] = [addedTrips.key[addedTrip]!, addedTrips.day[addedTrip]!];
  return {
    place: placeRun(published, { trip: -1, addedTrip, day }, [addedCalls.stop[row]!]),
    flags: addedTrips.flags[addedTrip]!,
    journeyRef: references.sealJourney({ tripKey, day }),
    line: getAddedLine(published, addedTrip),
    end: kind === 'departures' ? getAddedDirection(published, addedTrip) : getAddedOrigin(published, addedTrip),
    stopName: getAddedStopName(published, row),
    platform: findAddedPlatform(published, row),
    attributes: [],
  };
}
