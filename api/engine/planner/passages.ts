import { type Labels, NEVER, REACHED, rowOf, setEnd, setReady } from './labels.ts';
import type { Gate } from './places.ts';

/** A place on the way, in the direction of search. */
export interface Passage {
  /** By stop: 1 where the place is reached by being there on board. */
  readonly isStop: Uint8Array;
  /** By change place: 1 where whoever alights is at the place itself. */
  readonly isMember: Uint8Array;
  /** By change place: seconds on foot to the place, -1 where it is too far. */
  readonly there: Int32Array;
  readonly onward: readonly Gate[];
  /** On foot straight on to the next place; null: too far. */
  readonly nextSeconds: number | null;
}

/** Passing places on the way on foot: by leaving a trip near one, walking there, and on to another trip or place. */
export interface Passages {
  reset(vias: readonly Passage[], isBlocked: Uint8Array | null): void;
  /** From what was reached in this round. */
  passOnFoot(stage: number, round: number): void;
  /** From which change place a place was walked to; -1: from the place before it. @param walker one of `WALKERS` */
  getOrigin(stage: number, rides: number, walker: number): number;
}

/**
 * Who is at a place on the way, each with a time of their own. A change takes its time, and nobody gets round that by
 * walking no distance: who alights at a stop of the place boards at another of its stops by a change. And who alights or
 * boards at a stop that belongs to two places in turn is at both, and does not walk from one to the other.
 */
export const WALKERS = {
  anybody: 0,
  /** Alighted at no stop of the place. */
  onFoot: 1,
  /** Alighted at no stop that is of the next place, too. */
  toNext: 2,
  /** Alighted at no stop of the place, and did not walk there from the place before. */
  straight: 3,
} as const;

const WALKER_COUNT = Object.keys(WALKERS).length;

export function createPassages(labels: Labels): Passages {
  let passages: readonly Passage[] = [];
  let blocked: Uint8Array | null = null;
  // When a place is passed, and from where: by stage, rides and walker.
  let times = new Int32Array(0);
  let origins = new Int32Array(0);

  const slotOf = (stage: number, rides: number) => (stage * labels.stride + rides) * WALKER_COUNT;

  /** @returns whether that is news */
  function pass(slot: number, time: number, origin: number): boolean {
    if (time >= times[slot]!) return false;
    times[slot] = time;
    origins[slot] = origin;
    return true;
  }

  function walkOn(stage: number, round: number): void {
    const { onward, nextSeconds } = passages[stage]!;
    const before = passages[stage - 1];
    const slot = slotOf(stage, round);
    if (round < labels.rounds) {
      for (const { place, seconds, isMember } of onward) {
        const isShared = isMember && before?.isMember[place] === 1;
        const walker = isShared ? WALKERS.straight : isMember ? WALKERS.onFoot : WALKERS.anybody;
        const time = times[slot + walker]!;
        if (time === NEVER || blocked?.[place] === 1) continue;
        setReady(labels, stage + 1, round, place, time + seconds, REACHED.via - walker, labels.markedNext[stage + 1]!);
      }
    }
    if (nextSeconds === null || times[slot + WALKERS.toNext] === NEVER) return;
    const time = times[slot + WALKERS.toNext]! + nextSeconds;
    if (stage + 1 === labels.stageCount - 1) {
      setEnd(labels, round, time, -1, -1);
      return;
    }
    const next = slotOf(stage + 1, round);
    const { anybody, onFoot, toNext } = WALKERS;
    const isNews = [anybody, onFoot, toNext].map((walker) => pass(next + walker, time, -1));
    if (isNews.includes(true)) walkOn(stage + 1, round);
  }

  return {
    reset(vias, isBlocked) {
      passages = vias;
      blocked = isBlocked;
      times = new Int32Array(slotOf(vias.length, 0)).fill(NEVER);
      origins = new Int32Array(slotOf(vias.length, 0)).fill(-1);
    },
    passOnFoot(stage, round) {
      const { there, isMember } = passages[stage]!;
      const after = passages[stage + 1];
      const row = rowOf(labels, stage, round);
      const slot = slotOf(stage, round);
      let isNews = false;
      const { items: improved, length } = labels.improved;
      for (let at = 0; at < length; at++) {
        const place = improved[at]!;
        if (there[place]! < 0) continue;
        const time = labels.reach[row + place]! + there[place]!;
        const isAlighted = isMember[place] === 1;
        if (pass(slot + WALKERS.anybody, time, place)) isNews = true;
        if (!isAlighted && pass(slot + WALKERS.onFoot, time, place)) isNews = true;
        if (!isAlighted && pass(slot + WALKERS.straight, time, place)) isNews = true;
        const isShared = isAlighted && after?.isMember[place] === 1;
        if (!isShared && pass(slot + WALKERS.toNext, time, place)) isNews = true;
      }
      if (isNews) walkOn(stage, round);
    },
    getOrigin: (stage, rides, walker) => origins[slotOf(stage, rides) + walker]!,
  };
}
