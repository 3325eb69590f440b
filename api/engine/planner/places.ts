import { walkSeconds } from '../../../pipeline/model/walking.ts';
import type { TimetableTables } from '../../../pipeline/timetable/snapshot/contract.ts';
import type { PlanPlace } from './itinerary.ts';

/** Change places of the timetable: how many, and which belong to a stop. */
export interface ChangePlaces {
  readonly count: number;
  /** The stop of a change place. */
  stopOf(place: number): number;
  /** The stop itself, and its places for the rules of routes and trips. */
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

/** Where the network is entered from, or left to, a place of the question. */
export interface Gate {
  readonly place: number;
  readonly seconds: number;
  readonly isMember: boolean;
}

/** All change places from which a place of the question is reached, and how long that takes on foot. */
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

/** Seconds by change place; -1 where it is too far. The next ones are laid out in the same memory. */
export type LayOutSeconds = (gates: readonly Gate[]) => Int32Array;

export function createLayout(count: number): LayOutSeconds {
  const seconds = new Int32Array(count).fill(-1);
  let laid: readonly Gate[] = [];
  return (gates) => {
    for (const { place } of laid) seconds[place] = -1;
    for (const gate of gates) seconds[gate.place] = gate.seconds;
    laid = gates;
    return seconds;
  };
}

/** By change place: 1 where a wheelchair can neither board nor alight; a platform that does not say is as its station. */
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
