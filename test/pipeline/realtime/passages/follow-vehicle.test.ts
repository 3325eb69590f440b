import { expect, it } from 'vitest';
import type { FixOutcome } from '../../../../pipeline/realtime/passages/follow-vehicle.ts';
import { derive, type Meters, START, type TestFix, type TestLine } from './simulated-vehicle.ts';

const street: TestLine = {
  points: [
    [0, 0],
    [4000, 0],
  ],
  callsAt: [0, 800, 1600, 2400, 3200, 4000],
};
/** Out on a street and back on it: each stop but the turning point twice. */
const outAndBack: TestLine = {
  points: [
    [0, 0],
    [2000, 0],
    [0, 0],
  ],
  callsAt: [0, 500, 1500, 2000, 2500, 3500, 4000],
};
/** Around a square, which begins and ends at one stop. */
const loop: TestLine = {
  points: [
    [0, 0],
    [1000, 0],
    [1000, 1000],
    [0, 1000],
    [0, 0],
  ],
  callsAt: [0, 500, 1500, 2500, 3500, 4000],
};

/** Every 30 s at 8 m/s. */
function drive(from: number, to: number, startsAt = 0): TestFix[] {
  const fixes: TestFix[] = [];
  for (let i = 0; from + i * 240 <= to; i++) fixes.push([startsAt + i * 30, from + i * 240]);
  return fixes;
}

/** The second at which the simulated vehicle is there. */
const onTime = (along: number) => along / 8;

/** What came out: call, arrival and departure in seconds after the start, uncertainty of the event that counts. */
function show(line: TestLine, fixes: readonly TestFix[]): string[] {
  return derive(line, fixes).passages.map(({ position, arrival, departure }) => {
    const seconds = (time: typeof arrival) => (time ? `${time.time - START}±${time.uncertaintySeconds}` : '-');
    return `${position}: ${seconds(arrival)} ${seconds(departure)}`;
  });
}

it.each([
  ['a street', street, [0, 1, 2, 3, 4, 5]],
  ['a street that is used out and back', outAndBack, [0, 1, 2, 3, 4, 5, 6]],
  ['a loop that ends where it began', loop, [0, 1, 2, 3, 4, 5]],
] as const)('times each call once, in order, on %s', (_name, line, expected) => {
  const { passages } = derive(line, drive(0, 4000).concat([[500, 4000]]));
  expect(passages.map(({ position }) => position)).toEqual(expected);
  for (const { position, arrival, departure } of passages) {
    const truth = START + onTime(line.callsAt[position]!);
    for (const event of [arrival, departure]) {
      if (event) expect(Math.abs(event.time - truth)).toBeLessThanOrEqual(event.uncertaintySeconds);
    }
  }
});

it('finds the way back from a position in mid-street by what follows', () => {
  // At 300 m from the turn, out and back differ only by the direction of the next position.
  const out = derive(outAndBack, drive(700, 1900)).passages.map(({ position }) => position);
  const back = derive(outAndBack, drive(2300, 3900, 290)).passages.map(({ position }) => position);
  expect([out, back]).toEqual([[2], [4, 5]]);
});

it('separates arrival and departure of a vehicle that stood at a stop', () => {
  const fixes: TestFix[] = [...drive(0, 720), [120, 800], [150, 800], [180, 800], [210, 1040], [240, 1280]];
  expect(show(street, fixes)).toMatchInlineSnapshot(`
    [
      "0: - 8±16",
      "1: 97±25 188±16",
    ]
  `);
});

it('trusts the publisher that the vehicle stands at a stop, also at the far end of a platform', () => {
  const stopped = { call: 1, isStopped: true };
  const fixes: TestFix[] = [
    [0, 200],
    [30, 500],
    [60, 700, stopped],
    [90, 700, stopped],
    [120, 1000],
    [150, 1240],
  ];
  expect(show(street, fixes)).toMatchInlineSnapshot(`
    [
      "1: 57±18 102±14",
    ]
  `);
});

const far: Meters = [1500, 900];

it.each<{ name: string; fixes: TestFix[]; outcomes: Partial<Record<FixOutcome, number>>; calls: string[] }>([
  {
    name: 'a position jumps away and returns: the others count',
    fixes: [...drive(0, 480), [75, [3500, 0]], ...drive(720, 1680, 90)],
    outcomes: { followed: 8, jumped: 1 },
    calls: ['0: - 8±16', '1: 100±17 100±17', '2: 200±17 200±17'],
  },
  {
    name: 'a position jumps off the path',
    fixes: [...drive(0, 480), [75, far], ...drive(720, 1680, 90)],
    outcomes: { followed: 8, off_path: 1 },
    calls: ['0: - 8±16', '1: 100±17 100±17', '2: 200±17 200±17'],
  },
  {
    name: 'the vehicle jumps ahead for good: the calls between stay unknown',
    fixes: [...drive(0, 960), ...drive(3000, 3960, 130)],
    outcomes: { followed: 9, jumped: 1 },
    calls: ['0: - 8±16', '1: 100±17 100±17', '4: 155±20 155±20'],
  },
  {
    name: 'stands for hours beside no stop: later calls are late, earlier ones as they were',
    fixes: [
      ...drive(0, 1200),
      ...Array.from({ length: 240 }, (_, i): TestFix => [180 + i * 30, 1210]),
      ...drive(1300, 2260, 7400),
    ],
    outcomes: { followed: 70, standing: 181 },
    calls: ['0: - 8±16', '1: 100±17 100±17', '2: 7437±19 7437±19'],
  },
  {
    name: 'positions wobble while it stands at a stop',
    fixes: [
      ...drive(0, 720),
      ...Array.from({ length: 20 }, (_, i): TestFix => [120 + i * 30, [800 + ((i * 7) % 5) * 6 - 12, (i % 3) * 8]]),
      ...drive(1000, 1960, 740),
    ],
    outcomes: { followed: 29 },
    calls: ['0: - 8±16', '1: 97±27 722±35', '2: 815±13 815±13'],
  },
  {
    name: 'carries the trip of another street',
    fixes: Array.from({ length: 12 }, (_, i): TestFix => [i * 30, [1500, 2000 + i * 240]]),
    outcomes: { off_path: 12 },
    calls: [],
  },
  {
    name: 'carries the trip of the other direction',
    fixes: drive(0, 3840).map(([seconds, at]): TestFix => [seconds, 4000 - (at as number)]),
    outcomes: { followed: 1, jumped: 16 },
    calls: [],
  },
  {
    name: 'crosses the path of a wrong trip',
    fixes: Array.from({ length: 12 }, (_, i): TestFix => [i * 30, [1500, -900 + i * 150]]),
    outcomes: { off_path: 11, followed: 1 },
    calls: [],
  },
  {
    name: 'leaves the path for a detour: the calls beside it are not served',
    fixes: [
      ...drive(0, 720),
      [120, [960, 300]],
      [150, [1200, 500]],
      [180, [1900, 500]],
      [210, [2200, 300]],
      ...drive(2700, 3900, 250),
    ],
    outcomes: { followed: 10, off_path: 4 },
    calls: ['0: - 8±16', '4: 304±17 320±14'],
  },
  {
    name: 'turns back in mid-route',
    fixes: [
      ...drive(0, 1920),
      ...drive(0, 1680, 260).map(([seconds, at]): TestFix => [seconds, 1920 - (at as number)]),
    ],
    outcomes: { followed: 10, jumped: 7 },
    calls: ['0: - 8±16', '1: 100±17 100±17', '2: 200±17 200±17'],
  },
  {
    name: 'drives through a tunnel: calls in it are uncertain',
    fixes: [...drive(0, 720), ...drive(2600, 3800, 320)],
    outcomes: { followed: 10 },
    calls: ['0: - 8±16', '1: 100±151 100±151', '2: 198±85 198±85', '3: 296±142 296±142', '4: 395±13 395±13'],
  },
  {
    name: 'repeats a position, and sends an older one',
    fixes: [...drive(0, 960), [120, 960], [60, 480], ...drive(1200, 1920, 150)],
    outcomes: { followed: 9, not_newer: 2 },
    calls: ['0: - 8±16', '1: 100±17 100±17', '2: 200±17 200±17'],
  },
  {
    name: 'appears in mid-route: earlier calls stay unknown',
    fixes: drive(1700, 3140, 212),
    outcomes: { followed: 7 },
    calls: ['3: 292±14 308±17'],
  },
])('$name', ({ fixes, outcomes, calls }) => {
  const judged: Partial<Record<FixOutcome, number>> = {};
  for (const outcome of derive(street, fixes).outcomes) judged[outcome] = (judged[outcome] ?? 0) + 1;
  expect({ outcomes: judged, calls: show(street, fixes) }).toEqual({ outcomes, calls });
});
