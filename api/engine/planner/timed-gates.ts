import { findNextBegin } from '../read/open-times.ts';
import { NEVER } from './int-list.ts';
import type { Gate } from './places.ts';

// Gates whose way may begin only at some times: rides on demand. Times are signed and relative to the base of the routes.
// The later a way may begin, the later it ends, so the labels of RAPTOR stay valid.

/** By transfer place of the end of a search: all ways to it, for places with a ride on demand. */
export type TimedEgress = ReadonlyMap<number, readonly Gate[]>;

/** @returns undefined if no way has opening times */
export function openTimedEgress(gates: readonly Gate[]): TimedEgress | undefined {
  const timed = new Set(gates.flatMap(({ place, open }) => (open ? place : [])));
  if (timed.size === 0) return undefined;
  const byPlace = new Map<number, Gate[]>();
  for (const gate of gates) {
    if (timed.has(gate.place)) byPlace.set(gate.place, [...(byPlace.get(gate.place) ?? []), gate]);
  }
  return byPlace;
}

/** Returns when a way that may begin from a time on is completed; `NEVER` if it cannot begin. */
export function findGateEnd({ seconds, open }: Gate, time: number): number {
  if (!open) return time + seconds;
  return Math.min(findNextBegin(open, time) + seconds, NEVER);
}

/** Returns when the end is reached from a place that is left at a time, by the way that is completed first. */
export function findEgressEnd(egress: TimedEgress, place: number, time: number, seconds: number): number {
  const gates = egress.get(place);
  if (gates === undefined) return time + seconds;
  return gates.reduce((end, gate) => Math.min(end, findGateEnd(gate, time)), NEVER);
}
