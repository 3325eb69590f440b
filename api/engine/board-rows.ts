import { products } from '../../pipeline/model/product.ts';
import type { Arrival, Departure, Line } from '../contract/definitions.ts';
import type { AddedRun, BoardCall, PlannedRun } from './board-calls.ts';
import type { BoardContext } from './boards.ts';
import type { BoardKind } from './calls-at-stop.ts';
import { findNotices } from './news.ts';
import {
  getDirection,
  getOrigin,
  listCallAttributes,
  presentCallTime,
  presentLivePlatform,
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
      : getAddedHeadsign(published, call.run.addedTrip);
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
function presentCall(context: BoardContext, call: BoardCall, kind: BoardKind) {
  const { run } = call;
  const facts = 'call' in run ? describePlanned(context, run) : describeAdded(context, run);
  const { live, scheduled } = call;
  const isDeparture = kind === 'departures';
  const realtime = live && !live.isCancelled ? (isDeparture ? live.departure : live.arrival) : null;
  const evidence = live ? (isDeparture ? live.departureEvidence : live.arrivalEvidence) : 0;
  const { published } = context;
  const announced = live && published.realtime ? findText(published.realtime, live.platform) : null;
  const { route, trip, day, stop, ...shown } = facts;
  return {
    ...shown,
    time: presentCallTime(scheduled, realtime, evidence),
    platform: presentLivePlatform(facts.platform, announced),
    cancelled: live?.isCancelled ?? false,
    notices: published.realtime
      ? findNotices(published.realtime.news, {
          route,
          trip,
          day,
          stops: listPlaces(published, stop),
          at: call.shown,
        })
      : [],
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
    route,
    trip,
    day,
    stop,
    journeyRef: references.sealJourney({ tripKey: trips.key[trip]!, day }),
    line: timetable.lines.get(route),
    stopName: stops.name.get(stop),
    platform: stops.platformCode.get(stop) || null,
    ...presentServiceKind(liveTrip < 0 ? 0 : realtime!.tables.trips.flags[liveTrip]!),
    attributes: listCallAttributes(timetable, pattern, position, trip),
  };
}

function describeAdded({ published, references }: BoardContext, { addedTrip, row }: AddedRun) {
  const { timetable, realtime } = published;
  const { addedTrips, addedCalls } = realtime!.tables;
  const stop = addedCalls.stop[row]!;
  const { stops } = timetable.tables;
  const scheduledPlatform = findText(realtime!, addedCalls.scheduledPlatform[row]!);
  return {
    route: addedTrips.route[addedTrip]!,
    trip: addedTrips.basedOn[addedTrip]!,
    day: addedTrips.day[addedTrip]!,
    stop,
    journeyRef: references.sealJourney({ tripKey: addedTrips.key[addedTrip]!, day: addedTrips.day[addedTrip]! }),
    line: getAddedLine(published, addedTrip),
    stopName: stop >= 0 ? stops.name.get(stop) : (findText(realtime!, addedCalls.stopName[row]!) ?? ''),
    platform: scheduledPlatform ?? (stop >= 0 ? stops.platformCode.get(stop) || null : null),
    ...presentServiceKind(addedTrips.flags[addedTrip]!),
    attributes: [] as string[],
  };
}

// ---- Trips that the timetable does not hold ----------------------------------------------------

/** The line of an added trip: the timetable's, or what its publisher calls it. */
export function getAddedLine({ timetable, realtime }: Published, addedTrip: number): Line {
  const { addedTrips } = realtime!.tables;
  const route = addedTrips.route[addedTrip]!;
  if (route >= 0) return timetable.lines.get(route);
  const label = findText(realtime!, addedTrips.label[addedTrip]!) ?? '';
  const operatorName = findText(realtime!, addedTrips.operatorName[addedTrip]!);
  return {
    label,
    name: label,
    product: products[addedTrips.product[addedTrip]!]!,
    ...(operatorName === null ? {} : { operatorName }),
  };
}

/** Where an added trip says that it goes: its sign, or its last stop. */
export function getAddedHeadsign(published: Published, addedTrip: number): string {
  const { addedTrips } = published.realtime!.tables;
  const sign = findText(published.realtime!, addedTrips.headsign[addedTrip]!);
  return sign ?? getAddedStopName(published, addedTrip, addedTrips.callCount[addedTrip]! - 1);
}

function getAddedOrigin(published: Published, addedTrip: number): string {
  const origin = findText(published.realtime!, published.realtime!.tables.addedTrips.originName[addedTrip]!);
  return origin ?? getAddedStopName(published, addedTrip, 0);
}

function getAddedStopName(published: Published, addedTrip: number, position: number): string {
  const { addedTrips, addedCalls } = published.realtime!.tables;
  const row = addedTrips.firstCall[addedTrip]! + position;
  const stop = addedCalls.stop[row]!;
  if (stop >= 0) return published.timetable.tables.stops.name.get(stop);
  return findText(published.realtime!, addedCalls.stopName[row]!) ?? '';
}
