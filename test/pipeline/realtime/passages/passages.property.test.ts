import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CallPassage } from '../../../../pipeline/realtime/passages/time-passages.ts';
import { busSpeeds, derive, type Meters, pointAt, START, type TestFix, type TestLine } from './simulated-vehicle.ts';

/** A drive along a line: seconds and metres at which the vehicle's speed changes. */
type Drive = readonly (readonly [seconds: number, along: number])[];

type Turn = 'left' | 'right' | 'around';

/** Streets of a city grid, which a trip may use twice. */
function makeLine(legs: readonly (readonly [length: number, turn: Turn])[], apart: number): TestLine {
  const points: Meters[] = [[0, 0]];
  let [east, north] = [1, 0];
  for (const [length, turn] of legs) {
    const [x, y] = points.at(-1)!;
    points.push([x + length * east, y + length * north]);
    if (turn === 'around') [east, north] = [-east, -north];
    else [east, north] = turn === 'left' ? [-north, east] : [north, -east];
  }
  const total = legs.reduce((sum, [length]) => sum + length, 0);
  const stops = Math.max(1, Math.floor(total / apart));
  return { points, callsAt: Array.from({ length: stops + 1 }, (_, i) => (i * total) / stops) };
}

const makeLines = (...turns: Turn[]) =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.integer({ min: 300, max: 1500 }), fc.constantFrom(...turns)), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.integer({ min: 200, max: 700 }),
    )
    .map(([legs, apart]) => makeLine(legs, apart));

const drives = fc.record({
  speeds: fc.array(fc.integer({ min: 6, max: 20 }), { minLength: 1, maxLength: 10 }),
  dwells: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 10 }),
});

/** The times at which the vehicle arrives and departs, and its way. */
function simulate({ callsAt }: TestLine, { speeds, dwells }: { speeds: number[]; dwells: number[] }) {
  const times: { arrival: number; departure: number }[] = [];
  const way: [number, number][] = [];
  let now = 0;
  callsAt.forEach((at, i) => {
    if (i > 0) now += (at - callsAt[i - 1]!) / speeds[i % speeds.length]!;
    way.push([now, at]);
    const arrival = now;
    now += dwells[i % dwells.length]!;
    way.push([now, at]);
    times.push({ arrival, departure: now });
  });
  return { times, way, end: now };
}

function placeAt(way: Drive, seconds: number): number {
  const next = way.findIndex(([at]) => at >= seconds);
  if (next < 0) return way.at(-1)![1];
  if (next === 0) return way[0]![1];
  const [[fromTime, from], [toTime, to]] = [way[next - 1]!, way[next]!];
  return toTime > fromTime ? from + ((seconds - fromTime) / (toTime - fromTime)) * (to - from) : to;
}

const makeScenarios = (...turns: Turn[]) =>
  fc.tuple(
    makeLines(...turns),
    drives,
    fc.array(fc.integer({ min: 8, max: 40 }), { minLength: 5, maxLength: 20 }),
    fc.array(fc.tuple(fc.integer({ min: -8, max: 8 }), fc.integer({ min: -8, max: 8 })), {
      minLength: 5,
      maxLength: 20,
    }),
  );

/** Positions with errors at uneven intervals, from before the departure to after the arrival. */
function poll({ points }: TestLine, way: Drive, end: number, gaps: number[], errors: [number, number][]): TestFix[] {
  const fixes: TestFix[] = [];
  let [at, i] = [-20, 0];
  for (; at < end + 40; at += gaps[i++ % gaps.length]!) {
    const [x, y] = pointAt(points, placeAt(way, at));
    const [east, north] = errors[i % errors.length]!;
    fixes.push([at, [x + east, y + north]]);
  }
  return fixes;
}

function listEvents(passages: readonly CallPassage[]) {
  return passages.flatMap(({ position, arrival, departure }) =>
    [
      { position, event: 'arrival' as const, derived: arrival },
      { position, event: 'departure' as const, derived: departure },
    ].flatMap(({ derived, ...one }) => (derived ? [{ ...one, derived }] : [])),
  );
}

it('derives no time that is further from the truth than its uncertainty', () => {
  let [events, calls] = [0, 0];
  fc.assert(
    fc.property(makeScenarios('left', 'right'), ([line, drive, gaps, errors]) => {
      const { times, way, end } = simulate(line, drive);
      const derived = listEvents(derive(line, poll(line, way, end, gaps, errors)).passages);
      calls += times.length;
      for (const { position, event, derived: time } of derived) {
        const error = time.time - START - times[position]![event];
        expect({ position, event, error: Math.abs(error) <= time.uncertaintySeconds + 1 ? 0 : error }).toMatchObject({
          error: 0,
        });
        if (event === 'arrival') events += 1;
      }
    }),
  );
  // Not by deriving nothing.
  expect(events / calls).toBeGreaterThan(0.6);
});

it('times calls in their order, each at most once, and every arrival before its departure', () => {
  fc.assert(
    fc.property(makeScenarios('left', 'right', 'around'), ([line, drive, gaps, errors]) => {
      const { way, end } = simulate(line, drive);
      const { passages } = derive(line, poll(line, way, end, gaps, errors));
      const positions = passages.map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
      for (const { arrival, departure } of passages) {
        if (arrival && departure) expect(arrival.time).toBeLessThanOrEqual(departure.time);
      }
    }),
  );
});

it('derives nothing surprising from noise: any positions at all give calls of the trip with bounded times', () => {
  const noise = fc.array(
    fc.tuple(
      fc.integer({ min: -200, max: 400 }),
      fc.integer({ min: -200, max: 4200 }),
      fc.integer({ min: -80, max: 80 }),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(noise, (places) => {
      const times = places.map((_, i) => places.slice(0, i + 1).reduce((sum, [gap]) => sum + gap, 0));
      const fixes = places.map(([, x, y], i): TestFix => [times[i]!, [x, y]]);
      const line: TestLine = {
        points: [
          [0, 0],
          [4000, 0],
        ],
        callsAt: [0, 1000, 2000, 3000, 4000],
      };
      for (const { position, arrival, departure } of derive(line, fixes).passages) {
        expect(position).toBeLessThan(line.callsAt.length);
        for (const event of [arrival, departure]) {
          if (event) expect(event.uncertaintySeconds).toBeGreaterThan(20 / busSpeeds.cruisingSpeed);
        }
      }
    }),
  );
});
