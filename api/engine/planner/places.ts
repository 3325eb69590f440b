import { walkSeconds } from '../../../pipeline/model/walking.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { PlanPlace } from './itinerary.ts';

/** Change places of the timetable: their count, and those of a stop. */
export interface ChangePlaces {
  readonly count: number;
  /** The stop of a change place. */
  stopOf(place: number): number;
  /** The stop itself, and its places for transfer rules of routes and trips. */
  placesOf(stop: number): readonly number[];
}

export function openChangePlaces({ stops, changePlaces }: TimetableTables): ChangePlaces {
  const stopCount = stops.source.length;
  const further = new Map<number, number[]>();
  changePlaces.stop.forEach((stop, i) => {
    const there = further.get(stop);
    if (there) there.push(stopCount + i);
    else further.set(stop, [stop, stopCount + i]);
  });
  return {
    count: stopCount + changePlaces.stop.length,
    stopOf: (place) => (place < stopCount ? place : changePlaces.stop[place - stopCount]!),
    placesOf: (stop) => further.get(stop) ?? [stop],
  };
}

/** A change place from which a place of the query is reached on foot. */
export interface Gate {
  readonly place: number;
  readonly seconds: number;
  readonly isMember: boolean;
}

/** All change places within walking range of a place of the query, and the walking time. */
export function listGates(places: ChangePlaces, { members, reach }: PlanPlace, walkSpeedKmh: number): Gate[] {
  const gates: Gate[] = [];
  for (const stop of members) {
    for (const place of places.placesOf(stop)) gates.push({ place, seconds: 0, isMember: true });
  }
  for (const { stop, meters } of reach) {
    const seconds = walkSeconds(meters, walkSpeedKmh);
    for (const place of places.placesOf(stop)) gates.push({ place, seconds, isMember: false });
  }
  return gates;
}

/** Seconds by change place; -1 where it is too far. The memory is reused by the next call. */
export type LayOutSeconds = (gates: readonly Gate[]) => Int32Array;

export function createLayout(count: number): LayOutSeconds {
  const seconds = new Int32Array(count).fill(-1);
  let current: readonly Gate[] = [];
  return (gates) => {
    for (const { place } of current) seconds[place] = -1;
    for (const gate of gates) seconds[gate.place] = gate.seconds;
    current = gates;
    return seconds;
  };
}

/**
 * By change place: 1 where it is not accessible with a wheelchair; a platform without a value has that of its station.
 */
export function markBlocked({ stops }: TimetableTables, places: ChangePlaces): Uint8Array {
  const marks = new Uint8Array(places.count);
  for (let place = 0; place < places.count; place++) {
    const stop = places.stopOf(place);
    const own = stops.wheelchairBoarding[stop]!;
    const boarding = own === 0 ? stops.wheelchairBoarding[stops.station[stop]!]! : own;
    if (boarding === 2) marks[place] = 1;
  }
  return marks;
}
