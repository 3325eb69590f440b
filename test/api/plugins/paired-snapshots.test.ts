import { describe, expect, test } from 'vitest';
import type { Realtime } from '../../../api/engine/read/realtime.ts';
import type { Timetable } from '../../../api/engine/read/timetable.ts';
import { pairSnapshots } from '../../../api/plugins/paired-snapshots.ts';
import type { HeldSnapshot } from '../../../api/plugins/route-handler.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';

// Snapshots are plain names here, because pairing only compares which timetable the realtime refers to.

interface Newest {
  timetable: string | null;
  /** `t1:r5`: realtime `r5`, built for timetable `t1`. */
  realtime: string | null;
}

const START = Date.parse('2026-03-03T08:00:00Z');

/** A service whose newest snapshots a test sets; every read returns the version of the pair, or null. */
function openPairs() {
  const newest: Newest = { timetable: null, realtime: null };
  const clock = fixedClock(new Date(START).toISOString());
  const timetables = new Map<string, Timetable>();
  const pairs = pairSnapshots(
    {
      current() {
        if (newest.timetable === null) return null;
        const value = timetables.get(newest.timetable) ?? ({ name: newest.timetable } as unknown as Timetable);
        timetables.set(newest.timetable, value);
        return { value, dataVersion: newest.timetable };
      },
    },
    { current: () => (newest.realtime === null ? null : heldRealtime(newest.realtime)) },
    clock,
  );
  return {
    pairs,
    /** @param seconds since the start */
    at(seconds: number, change: Partial<Newest> = {}): string | null {
      clock.set(new Date(START + seconds * 1000).toISOString());
      Object.assign(newest, change);
      const pair = pairs.current();
      if (!pair) return null;
      // Always of one piece.
      const { timetable, realtime } = pair.value;
      expect(timetable).toBe(timetables.get(pair.timetableVersion!));
      if (realtime) expect(realtime.manifest.timetableId).toBe(pair.timetableVersion);
      const versions = [pair.timetableVersion, ...(realtime ? [realtime.manifest.id] : [])];
      expect(pair.dataVersion).toBe(versions.join('.'));
      return pair.dataVersion;
    },
  };
}

function heldRealtime(name: string): HeldSnapshot<Realtime> {
  const [timetableId, id] = name.split(':');
  return { value: { manifest: { timetableId, id } } as unknown as Realtime, dataVersion: id! };
}

/** Times, with the published snapshots and the expected pair. */
type Step = readonly [seconds: number, change: Partial<Newest>, served: string | null];

describe('pairs', () => {
  test.each<[string, readonly Step[]]>([
    [
      'nothing without a timetable',
      [
        [0, {}, null],
        [1, { realtime: 't1:r1' }, null],
        [2, { timetable: 't1' }, 't1.r1'],
      ],
    ],
    [
      'a timetable alone, until there is realtime for it',
      [
        [0, { timetable: 't1' }, 't1'],
        [1, { realtime: 't1:r1' }, 't1.r1'],
        [2, { realtime: 't1:r2' }, 't1.r2'],
      ],
    ],
    [
      'a timetable without realtime goes to the next at once',
      [
        [0, { timetable: 't1' }, 't1'],
        [1, { timetable: 't2' }, 't2'],
      ],
    ],
    [
      'at the start nothing is waited for: realtime of another timetable is none',
      [
        [0, { timetable: 't2', realtime: 't1:r1' }, 't2'],
        [1, { realtime: 't2:r2' }, 't2.r2'],
      ],
    ],
    [
      'a new timetable waits for its realtime, and meanwhile the old pair goes on, with what is polled for it',
      [
        [0, { timetable: 't1', realtime: 't1:r1' }, 't1.r1'],
        [10, { timetable: 't2' }, 't1.r1'],
        [30, { realtime: 't1:r2' }, 't1.r2'],
        [60, { realtime: 't2:r3' }, 't2.r3'],
      ],
    ],
    [
      'patience has an end, and what comes too late for the old timetable does not bring it back',
      [
        [0, { timetable: 't1', realtime: 't1:r1' }, 't1.r1'],
        [10, { timetable: 't2' }, 't1.r1'],
        [99, {}, 't1.r1'],
        [100, {}, 't2'],
        [110, { realtime: 't1:r2' }, 't2'],
        [500, { realtime: 't2:r3' }, 't2.r3'],
      ],
    ],
    [
      'realtime that is ahead waits for its timetable to be loaded',
      [
        [0, { timetable: 't1', realtime: 't1:r1' }, 't1.r1'],
        [10, { realtime: 't2:r2' }, 't1.r1'],
        [20, { realtime: 't2:r3' }, 't1.r1'],
        [25, { timetable: 't2' }, 't2.r3'],
      ],
    ],
    [
      'of a timetable that cannot be loaded it is of no use for ever',
      [
        [0, { timetable: 't1', realtime: 't1:r1' }, 't1.r1'],
        [10, { realtime: 't2:r2' }, 't1.r1'],
        [100, {}, 't1'],
        [110, { realtime: 't2:r3' }, 't1'],
        [120, { realtime: 't1:r4' }, 't1.r4'],
      ],
    ],
    [
      'timetables that follow one another do not wait one after the other',
      [
        [0, { timetable: 't1', realtime: 't1:r1' }, 't1.r1'],
        [10, { timetable: 't2' }, 't1.r1'],
        [70, { timetable: 't3' }, 't1.r1'],
        [100, {}, 't3'],
      ],
    ],
    [
      'each wait restarts after a match',
      [
        [0, { timetable: 't1', realtime: 't1:r1' }, 't1.r1'],
        [10, { timetable: 't2' }, 't1.r1'],
        [80, { realtime: 't2:r2' }, 't2.r2'],
        [90, { timetable: 't3' }, 't2.r2'],
        [179, {}, 't2.r2'],
        [180, {}, 't3'],
      ],
    ],
  ])('%s', (_rule, steps) => {
    const service = openPairs();
    expect(steps.map(([seconds, change]) => service.at(seconds, change))).toEqual(steps.map(([, , served]) => served));
  });
});

test('returns the same object for the same pair', () => {
  const service = openPairs();
  service.at(0, { timetable: 't1', realtime: 't1:r1' });
  const first = service.pairs.current();
  service.at(30, { timetable: 't2' });
  expect(service.pairs.current()).toBe(first);
  service.at(31, { realtime: 't2:r2' });
  const second = service.pairs.current();
  expect(second).not.toBe(first);
  expect(service.pairs.current()).toBe(second);
});
