import { expect } from 'vitest';
import { judgeTripWatch } from '../../../api/watches/judge/judge-watch.ts';
import type { SeenDisruption, SeenLeg, SeenTrip } from '../../../api/watches/judge/seen.ts';
import { NOTHING_EMITTED, type WatchMemory } from '../../../api/watches/watch.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { parseTimestamp } from '../../../pipeline/model/service-time.ts';

const DAY = parseTimestamp('2026-03-03T00:00:00+01:00')!;

/** `08:05`, or `08:05:30`. */
export const at = (clock: string): Instant => {
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(':').map(Number);
  return (DAY + hours * 3600 + minutes * 60 + seconds) as Instant;
};

/** The state of a leg: minutes late, and all differences from an undisturbed ride. */
export type Leg = Partial<Omit<SeenLeg, 'departure' | 'arrival'>> & {
  readonly late?: number | null;
  /** Minutes late at the destination; default: as at the origin. */
  readonly lateThere?: number | null;
};

export function legOf(i: number, { late = 0, lateThere = late, ...over }: Leg, now: Instant): SeenLeg {
  const [departs, arrives] = [at(`${8 + i}:00`), at(`${8 + i}:40`)];
  const timeOf = (scheduled: Instant, delay: number | null) => ({
    scheduled,
    expected: (scheduled + (delay ?? 0) * 60) as Instant,
    isLive: delay !== null,
  });
  const [departure, arrival] = [timeOf(departs, late), timeOf(arrives, lateThere)];
  return {
    leg: i,
    journeyRef: `ref${i}`,
    lastJourneyRef: `ref${i}`,
    trip: { label: `S${i + 1}`, direction: 'Ziel' },
    isRail: true,
    from: `Halt ${i}`,
    to: `Halt ${i + 1}`,
    departure,
    arrival,
    hasDeparted: departure.expected <= now,
    isOver: arrival.expected <= now,
    cancellation: null,
    skipped: [],
    plannedPlatform: '1',
    platform: '1',
    change: i === 0 ? null : 'safe',
    chance: null,
    ...over,
  };
}

export interface Seen {
  readonly state?: SeenTrip['state'];
  readonly legs?: readonly Leg[];
  readonly disruptions?: readonly string[] | null;
  /** Default: the time of the judgement. */
  readonly polledAt?: string;
}

/** One judgement: time, state, and the kinds of the events, each with its subject. */
export type Step = readonly [now: string, seen: Seen | null, emitted: readonly string[]];

export const disruptionOf = (id: string): SeenDisruption => ({ id, title: `Titel ${id}` });

export function play(
  steps: readonly Step[],
  { minDelayMinutes = 5, kind = 'trip' as 'trip' | 'rescue' } = {},
): WatchMemory {
  let memory: WatchMemory = NOTHING_EMITTED;
  for (const [clock, seen, emitted] of steps) {
    const now = at(clock);
    const trip = seen && {
      polledAt: seen.polledAt === undefined ? now : at(seen.polledAt),
      state: seen.state ?? 'onTrack',
      legs: (seen.legs ?? [{}]).map((leg, i) => legOf(i, leg, now)),
      disruptions: seen.disruptions === null ? null : (seen.disruptions ?? []).map(disruptionOf),
    };
    const verdict = judgeTripWatch({ kind, minDelayMinutes }, memory, trip, now);
    const reported = verdict.events.map(({ kind, delayMinutes, disruptionId, journeyRef }) =>
      [kind, delayMinutes, disruptionId ?? (journeyRef === 'ref0' ? undefined : journeyRef)]
        .filter((x) => x !== undefined)
        .join(' '),
    );
    expect([clock, reported]).toEqual([clock, emitted]);
    memory = verdict.memory;
    // The same state again emits no events.
    expect(judgeTripWatch({ kind, minDelayMinutes }, memory, trip, now).events).toEqual([]);
  }
  return memory;
}

export const late = (minutes: number | null): Seen => ({ legs: [{ late: minutes }] });
