import { NEVER } from './int-list.ts';
import { type Labels, REACHED, rowOf, setEnd, setReady } from './labels.ts';
import type { Gate } from './places.ts';

/** A via, in the direction of search. */
export interface Passage {
  /** Minimum stay. */
  readonly staySeconds: number;
  /** By stop: 1 if a traveller on board passes the via when the vehicle calls there; 0 everywhere if there is a stay. */
  readonly isStop: Uint8Array;
  /** By transfer place: 1 if a traveller who alights there is at the via. */
  readonly isMember: Uint8Array;
  /** By transfer place: seconds on foot to the via, -1 if it is too far. */
  readonly secondsThere: Int32Array;
  readonly onward: readonly Gate[];
  /** Seconds on foot directly to the next place; `null` if it is too far. */
  readonly nextSeconds: number | null;
}

/** Passing vias on foot: alighting near one, walking to it, and on to another trip or via. */
export interface Passages {
  vias: readonly Passage[];
  /** By transfer place; see `SearchTask`. */
  isBlocked: Uint8Array | null;
  /**
   * Signed time of passing a via, and the transfer place that the traveller came from; by layer, rides and walker, see
   * `slotOf`.
   */
  times: Int32Array;
  origins: Int32Array;
}

/**
 * Kinds of travellers at a via, each with a separate time. A walk of zero metres must not replace a transfer, which
 * takes its own time: a traveller who alights at a stop of the via boards at another of its stops only by a transfer. A
 * traveller who alights or boards at a stop that belongs to two consecutive vias is at both, and does not walk from one
 * to the other, unless a stay makes it impossible to pass the one on board.
 */
export const WALKERS = {
  anybody: 0,
  /** Did not alight at a stop of the via. */
  onFoot: 1,
  /** Did not alight at a stop that also belongs to the next via. */
  toNext: 2,
  /** Did not alight at a stop of the via, and did not walk there from the previous via. */
  straight: 3,
} as const;

const WALKER_COUNT = Object.keys(WALKERS).length;
const NO_SLOTS = new Int32Array(0);

export function createPassages(): Passages {
  return { vias: [], isBlocked: null, times: NO_SLOTS, origins: NO_SLOTS };
}

/** Clears all passages. @param labels reset for the same search */
export function resetPassages(
  passages: Passages,
  labels: Labels,
  vias: readonly Passage[],
  isBlocked: Uint8Array | null,
): void {
  const count = slotOf(labels, vias.length, 0);
  passages.vias = vias;
  passages.isBlocked = isBlocked;
  passages.times = new Int32Array(count).fill(NEVER);
  passages.origins = new Int32Array(count).fill(-1);
}

/**
 * Returns the transfer place from which a via was reached on foot; -1: from the previous via. @param walker one of
 * `WALKERS`
 */
export function getOrigin({ origins }: Passages, labels: Labels, layer: number, rides: number, walker: number): number {
  return origins[slotOf(labels, layer, rides) + walker]!;
}

/** Passes the via of a layer on foot from all places whose arrival improved in this round. */
export function passOnFoot(passages: Passages, labels: Labels, layer: number, round: number): void {
  const { secondsThere, isMember, staySeconds } = passages.vias[layer]!;
  const after = passages.vias[layer + 1];
  const row = rowOf(labels, layer, round);
  const slot = slotOf(labels, layer, round);
  let isImproved = false;
  const { items: improved, length } = labels.improved;
  for (let at = 0; at < length; at++) {
    const place = improved[at]!;
    if (secondsThere[place]! < 0) continue;
    const time = labels.reach[row + place]! + secondsThere[place]!;
    const isAlighted = isMember[place] === 1;
    if (pass(passages, slot + WALKERS.anybody, time, place)) isImproved = true;
    if (!isAlighted && pass(passages, slot + WALKERS.onFoot, time, place)) isImproved = true;
    if (!isAlighted && pass(passages, slot + WALKERS.straight, time, place)) isImproved = true;
    const isShared = isAlighted && staySeconds === 0 && after?.isMember[place] === 1;
    if (!isShared && pass(passages, slot + WALKERS.toNext, time, place)) isImproved = true;
  }
  if (isImproved) walkOn(passages, labels, layer, round);
}

function slotOf({ stride }: Labels, layer: number, rides: number): number {
  return (layer * stride + rides) * WALKER_COUNT;
}

/** @returns whether it is an improvement */
function pass({ times, origins }: Passages, slot: number, time: number, origin: number): boolean {
  if (time >= times[slot]!) return false;
  times[slot] = time;
  origins[slot] = origin;
  return true;
}

/** Walks on, after the stay, from a via to the stops of the next layer, and directly to the next via or the end. */
function walkOn(passages: Passages, labels: Labels, layer: number, round: number): void {
  if (round < labels.rounds) walkToStops(passages, labels, layer, round);
  const { times, vias } = passages;
  const { nextSeconds, staySeconds } = vias[layer]!;
  const slot = slotOf(labels, layer, round);
  if (nextSeconds === null || times[slot + WALKERS.toNext] === NEVER) return;
  const time = times[slot + WALKERS.toNext]! + staySeconds + nextSeconds;
  if (layer + 1 === labels.layerCount - 1) {
    setEnd(labels, round, time, -1, -1);
    return;
  }
  const next = slotOf(labels, layer + 1, round);
  const { anybody, onFoot, toNext } = WALKERS;
  const isImproved = [anybody, onFoot, toNext].map((walker) => pass(passages, next + walker, time, -1));
  if (isImproved.includes(true)) walkOn(passages, labels, layer + 1, round);
}

function walkToStops({ vias, isBlocked, times }: Passages, labels: Labels, layer: number, round: number): void {
  const { staySeconds, onward } = vias[layer]!;
  const before = staySeconds === 0 ? vias[layer - 1] : undefined;
  const slot = slotOf(labels, layer, round);
  for (const { place, seconds, isMember } of onward) {
    const isShared = isMember && before?.isMember[place] === 1;
    const walker = isShared ? WALKERS.straight : isMember ? WALKERS.onFoot : WALKERS.anybody;
    const time = times[slot + walker]!;
    if (time === NEVER || isBlocked?.[place] === 1) continue;
    setReady(
      labels,
      layer + 1,
      round,
      place,
      time + staySeconds + seconds,
      REACHED.via - walker,
      labels.markedNext[layer + 1]!,
    );
  }
}
