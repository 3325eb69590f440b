import { findNextBegin } from '../read/open-times.ts';
import { NEVER } from './int-list.ts';
import type { Gate } from './places.ts';

// Gates that are open only within windows: on-demand rides. Times are signed and relative to the base of the routes. A
// ride that begins later never ends earlier, so the labels of RAPTOR stay valid.

/** All gates of each transfer place at the end of a search from which an on-demand ride leads on. */
export type TimedEgress = ReadonlyMap<number, readonly Gate[]>;

/** @returns undefined if all gates are open at any time */
export function openTimedEgress(gates: readonly Gate[]): TimedEgress | undefined {
  const timed = new Set(gates.flatMap(({ place, open }) => (open ? place : [])));
  if (timed.size === 0) return undefined;
  const byPlace = new Map<number, Gate[]>();
  for (const gate of gates) {
    if (timed.has(gate.place)) byPlace.set(gate.place, [...(byPlace.get(gate.place) ?? []), gate]);
  }
  return byPlace;
}

/** Returns when a leg that begins at a time or later ends; `NEVER` if it cannot begin. */
export function findGateEnd({ seconds, open }: Gate, time: number): number {
  if (!open) return time + seconds;
  return Math.min(findNextBegin(open, time) + seconds, NEVER);
}

/**
 * Returns when a traveller who leaves a place at a time reaches the end, by the leg that ends first.
 * @param egress `undefined` if all gates are open at any time
 * @param seconds from the place to the end, for a place without on-demand rides
 */
export function findEgressEnd(egress: TimedEgress | undefined, place: number, time: number, seconds: number): number {
  const gates = egress?.get(place);
  if (gates === undefined) return time + seconds;
  return gates.reduce((end, gate) => Math.min(end, findGateEnd(gate, time)), NEVER);
}
