import { walkSeconds } from '../../../pipeline/model/walking.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { OnDemandUse } from '../read/open-times.ts';
import type { PlanPlace, WalkableStop } from './itinerary.ts';
import type { Sign } from './search-direction.ts';

/**
 * The transfer places of the timetable: RAPTOR's stops. One per stop, and one more per stop for each route or trip with
 * special transfer rules.
 */
export interface PlaceIndex {
  readonly count: number;
  /** Returns the stop of a transfer place. */
  stopOf(place: number): number;
  /** Returns all transfer places of a stop: the stop itself, and those with transfer rules of routes and trips. */
  placesOf(stop: number): readonly number[];
}

export function openTransferPlaces({ stops, transferPlaces }: TimetableTables): PlaceIndex {
  const stopCount = stops.source.length;
  const further = new Map<number, number[]>();
  transferPlaces.stop.forEach((stop, i) => {
    const secondsThere = further.get(stop);
    if (secondsThere) secondsThere.push(stopCount + i);
    else further.set(stop, [stop, stopCount + i]);
  });
  return {
    count: stopCount + transferPlaces.stop.length,
    stopOf: (place) => (place < stopCount ? place : transferPlaces.stop[place - stopCount]!),
    placesOf: (stop) => further.get(stop) ?? [stop],
  };
}

/** A transfer place from which a place of the query can be reached. */
export interface Gate {
  readonly place: number;
  readonly seconds: number;
  readonly isMember: boolean;
  /** When an on-demand ride may begin: signed, relative to the base of the routes. Absent if at any time. */
  readonly open?: readonly OpenSpan[];
  /** The on-demand ride; absent for the only other leg between the stop and the place. */
  readonly way?: WalkableStop;
}

interface OpenSpan {
  readonly from: number;
  readonly until: number;
}

/** Direction of a search, and the signed time that its times are relative to. */
export interface TimeBase {
  readonly sign: Sign;
  readonly base: number;
}

/** Returns the seconds of a way by its vehicle, or on foot. */
export function getWaySeconds(
  { meters, vehicle, onDemand }: Pick<WalkableStop, 'meters' | 'vehicle' | 'onDemand'>,
  walkSpeedKmh: number,
): number {
  return (onDemand ?? vehicle)?.seconds ?? walkSeconds(meters, walkSpeedKmh);
}

/** Lists all transfer places within reach of a place of the query, with the time to get there. */
export function listGates(
  places: PlaceIndex,
  { members, reach }: PlanPlace,
  walkSpeedKmh: number,
  times: TimeBase | null = null,
): Gate[] {
  const gates: Gate[] = [];
  for (const stop of members) {
    for (const place of places.placesOf(stop)) gates.push({ place, seconds: 0, isMember: true });
  }
  for (const way of reach) {
    const seconds = getWaySeconds(way, walkSpeedKmh);
    const timed = way.onDemand && times ? { way, open: toSpans(way.onDemand, times) } : {};
    for (const place of places.placesOf(way.stop)) gates.push({ place, seconds, isMember: false, ...timed });
  }
  return gates;
}

/** In a backward search, begin and end are exchanged. */
function toSpans({ open, seconds }: OnDemandUse, { sign, base }: TimeBase): OpenSpan[] {
  return open.map(({ from, until }) => {
    return sign > 0
      ? { from: from - base, until: until - base }
      : { from: -until - seconds - base, until: -from - seconds - base };
  });
}

/** Writes the minimum seconds to each transfer place; -1 if it is too far. The next call reuses the memory. */
export type WriteSeconds = (gates: readonly Gate[]) => Int32Array;

export function createSecondsTable(count: number): WriteSeconds {
  const seconds = new Int32Array(count).fill(-1);
  let current: readonly Gate[] = [];
  return (gates) => {
    for (const { place } of current) seconds[place] = -1;
    for (const gate of gates) {
      const known = seconds[gate.place]!;
      if (known < 0 || gate.seconds < known) seconds[gate.place] = gate.seconds;
    }
    current = gates;
    return seconds;
  };
}

/**
 * Returns marks by transfer place: 1 if it is not accessible by wheelchair. A platform without a value inherits that of
 * its station.
 */
export function markBlocked({ stops }: TimetableTables, places: PlaceIndex): Uint8Array {
  const marks = new Uint8Array(places.count);
  for (let place = 0; place < places.count; place++) {
    const stop = places.stopOf(place);
    const extra = stops.wheelchairBoarding[stop]!;
    const boarding = extra === 0 ? stops.wheelchairBoarding[stops.station[stop]!]! : extra;
    if (boarding === 2) marks[place] = 1;
  }
  return marks;
}
