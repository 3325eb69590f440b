import type { Arrival, Departure } from '../contract/definitions.ts';
import type { AddedRun } from './added-calls.ts';
import { findAddedPlatform, getAddedDirection, getAddedLine, getAddedOrigin, getAddedStopName } from './added-trips.ts';
import { type BoardCall, eventOf, type PlannedRun } from './board-calls.ts';
import type { BoardContext } from './boards.ts';
import type { BoardKind } from './calls-at-stop.ts';
import { findNotices } from './news.ts';
import {
  getDirection,
  getOrigin,
  listCallAttributes,
  presentCallTime,
  presentPlatform,
  presentServiceKind,
} from './present.ts';
import { findText, type Published } from './realtime.ts';

/** A departure in words. @param id unique on the board */
export function presentDeparture(context: BoardContext, call: BoardCall, id: string): Departure {
  const { time, ...row } = presentCall(context, call, 'departures');
  const { published } = context;
  const direction =
    'call' in call.run
      ? getDirection(published.timetable, call.run.call.pattern, call.run.call.position, call.run.call.trip)
      : getAddedDirection(published, call.run.addedTrip);
  return { id, ...row, direction, departure: time };
}

/** An arrival in words. @param id unique on the board */
export function presentArrival(context: BoardContext, call: BoardCall, id: string): Arrival {
  const { time, ...row } = presentCall(context, call, 'arrivals');
  const { published } = context;
  const origin =
    'call' in call.run
      ? getOrigin(published.timetable, call.run.call.pattern)
      : getAddedOrigin(published, call.run.addedTrip);
  return { id, ...row, origin, arrival: time };
}

/** What departures and arrivals tell alike. */
function presentCall(context: BoardContext, { run, live, scheduled, shown }: BoardCall, kind: BoardKind) {
  const { published, moment } = context;
  const { place, platform, ...facts } = 'call' in run ? describePlanned(context, run) : describeAdded(context, run);
  const { realtime } = published;
  const announced = live && realtime ? findText(realtime, live.platform) : null;
  return {
    ...facts,
    time: presentCallTime(scheduled, live, eventOf(kind), moment),
    platform: presentPlatform(platform, announced),
    cancelled: live?.isCancelled ?? false,
    notices: realtime ? findNotices(realtime.news, { ...place, from: shown, to: shown }) : [],
  };
}

/** A stop and the station that it belongs to: news of either concern whoever is there. */
export function listPlaces({ timetable }: Published, stop: number): number[] {
  if (stop < 0) return [];
  const station = timetable.tables.stops.station[stop]!;
  return station === stop ? [stop] : [stop, station];
}

function describePlanned({ published, references }: BoardContext, { call, liveTrip }: PlannedRun) {
  const { timetable, realtime } = published;
  const { pattern, position, trip, day } = call;
  const { patterns, patternCalls, trips, stops } = timetable.tables;
  const stop = patternCalls.stop[patterns.firstCall[pattern]! + position]!;
  const route = patterns.route[pattern]!;
  return {
    place: { route, trip, day, stops: listPlaces(published, stop) },
    journeyRef: references.sealJourney({ tripKey: trips.key[trip]!, day }),
    line: timetable.lines.get(route),
    stopName: stops.name.get(stop),
    platform: stops.platformCode.get(stop) || null,
    ...presentServiceKind(liveTrip < 0 ? 0 : realtime!.tables.trips.flags[liveTrip]!),
    attributes: listCallAttributes(timetable, pattern, position, trip),
  };
}

function describeAdded({ published, references }: BoardContext, { addedTrip, row }: AddedRun) {
  const { addedTrips, addedCalls } = published.realtime!.tables;
  const day = addedTrips.day[addedTrip]!;
  return {
    place: {
      route: addedTrips.route[addedTrip]!,
      trip: addedTrips.basedOn[addedTrip]!,
      day,
      stops: listPlaces(published, addedCalls.stop[row]!),
    },
    journeyRef: references.sealJourney({ tripKey: addedTrips.key[addedTrip]!, day }),
    line: getAddedLine(published, addedTrip),
    stopName: getAddedStopName(published, row),
    platform: findAddedPlatform(published, row),
    ...presentServiceKind(addedTrips.flags[addedTrip]!),
    attributes: [] as string[],
  };
}
