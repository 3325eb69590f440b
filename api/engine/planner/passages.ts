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
  /**
   * From which change place a place was walked to; -1: from the place before it.
   * @param isOnFoot by those who did not alight at the place itself
   */
  getOrigin(stage: number, rides: number, isOnFoot: boolean): number;
}

export function createPassages(labels: Labels): Passages {
  let passages: readonly Passage[] = [];
  let blocked: Uint8Array | null = null;
  // When a place is passed by anybody, and by those who did not alight at it; and from where: by stage and rides.
  let times = new Int32Array(0);
  let origins = new Int32Array(0);

  const slotOf = (stage: number, rides: number) => (stage * labels.stride + rides) * 2;

  /** @returns whether that is news */
  function pass(slot: number, time: number, origin: number): boolean {
    if (time >= times[slot]!) return false;
    times[slot] = time;
    origins[slot] = origin;
    return true;
  }

  function walkOn(stage: number, round: number): void {
    const { onward, nextSeconds } = passages[stage]!;
    const slot = slotOf(stage, round);
    if (round < labels.rounds) {
      for (const { place, seconds, isMember } of onward) {
        // Whoever stays at the stop itself changes there as anywhere.
        const time = times[slot + (isMember ? 1 : 0)]!;
        if (time === NEVER || blocked?.[place] === 1) continue;
        const by = isMember ? REACHED.viaOnFoot : REACHED.via;
        setReady(labels, stage + 1, round, place, time + seconds, by, labels.markedNext[stage + 1]!);
      }
    }
    if (nextSeconds === null) return;
    const time = times[slot]! + nextSeconds;
    if (stage + 1 === labels.stageCount - 1) {
      setEnd(labels, round, time, -1, -1);
      return;
    }
    const next = slotOf(stage + 1, round);
    const isNews = [pass(next, time, -1), pass(next + 1, time, -1)];
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
      const row = rowOf(labels, stage, round);
      const slot = slotOf(stage, round);
      let isNews = false;
      const { items: improved, length } = labels.improved;
      for (let at = 0; at < length; at++) {
        const place = improved[at]!;
        if (there[place]! < 0) continue;
        const time = labels.reach[row + place]! + there[place]!;
        if (pass(slot, time, place)) isNews = true;
        if (isMember[place] === 0 && pass(slot + 1, time, place)) isNews = true;
      }
      if (isNews) walkOn(stage, round);
    },
    getOrigin: (stage, rides, isOnFoot) => origins[slotOf(stage, rides) + (isOnFoot ? 1 : 0)]!,
  };
}
