import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { PredictionBatch, V1Predictions } from '../../../api/contract/definitions.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { type Instant, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { hashTrip } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { instant, openWorld, type World } from '../../support/worlds/board-world.ts';
import { mergeNothing } from '../../support/worlds/ingest.ts';
import { callOf, reportOf, stopOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { predictionOf, type Quantiles } from '../../support/worlds/trip-predictions.ts';
import { openService } from '../service-app.ts';
import { at, DAY, town, townTrip } from './live-town.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(town, { settings: { merging: mergeNothing } });
});

/** Trips of the network that run in the morning: line, stops and scheduled arrivals. */
const plans = {
  t1: { line: '1', calls: ['a 08:00', 's1 08:10', 'k 08:20', 'z 08:30'] },
  t2: { line: '1', calls: ['a 08:30', 's1 08:40', 'k 08:50', 'z 09:00'] },
  t3: { line: '2', calls: ['s2 08:15', 'k 08:25'] },
} as const;
type TripId = keyof typeof plans;
const tripIds = Object.keys(plans) as TripId[];

/** The fate of a trip; `observed` is null if nothing is reported. */
interface Fate {
  readonly tripId: TripId;
  readonly observed: { readonly position: number; readonly minutesAgo: number; readonly quantiles: Quantiles } | null;
  readonly skipped: readonly boolean[];
}

const anyQuantiles: fc.Arbitrary<Quantiles> = fc
  .tuple(fc.integer({ min: -240, max: 1500 }), fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 200 }))
  .map(([median, before, after]) => [median - before, median, median + after]);

const anyFate = (tripId: TripId): fc.Arbitrary<Fate> => {
  const { length } = plans[tripId].calls;
  return fc.record({
    tripId: fc.constant(tripId),
    observed: fc.option(
      fc.record({
        position: fc.integer({ min: 0, max: length - 2 }),
        minutesAgo: fc.integer({ min: 0, max: 10 }),
        quantiles: anyQuantiles,
      }),
      { freq: 6, nil: null },
    ),
    skipped: fc
      .array(fc.integer({ min: 0, max: 4 }), { minLength: length, maxLength: length })
      .map((dice) => dice.map((die) => die === 0)),
  });
};

const refOf = (tripId: TripId) =>
  world.references.sealJourney({ tripKey: hashTrip('at', tripId, -1), day: toEpochDay(DAY as ServiceDate) });

/** `1 2.5 high`: the expected prediction by the rules in the documentation; null if there is none. */
/** Skipped, or before the first stop that is served. */
function isUnserved(skipped: readonly boolean[], position: number): boolean {
  return skipped[position]! || skipped.slice(0, position).every(Boolean);
}

function expectPrediction({ tripId, observed, skipped }: Fate, now: Instant): string | null {
  if (!observed || observed.minutesAgo > 8 || skipped.every(Boolean)) return null;
  const { line, calls } = plans[tripId];
  const [low, median, high] = observed.quantiles;
  const isToCome = calls.some((call, position) => {
    const arrival = instant(at(call.split(' ')[1]!)) + median;
    return position > observed.position && !isUnserved(skipped, position) && arrival >= now;
  });
  if (!isToCome || high - low > 300) return null;
  const tenths = Math.round(Math.abs(median) / 6) * (median < 0 ? -1 : 1);
  return `${line} ${tenths / 10 + 0} ${high - low > 120 ? 'medium' : 'high'}`;
}

async function openFates(fates: readonly Fate[], now: string): Promise<World> {
  const live = await openLiveWorld(world);
  const reported = { trips: fates.flatMap((fate) => (fate.skipped.includes(true) ? reportSkips(fate) : [])) };
  expect(live.report('rt', now, reported).tally.unmatched).toEqual({});
  live.forecast(
    fates.flatMap(({ tripId, observed }) => {
      if (!observed) return [];
      const observedAt = (instant(now) - observed.minutesAgo * 60) as Instant;
      const ahead = plans[tripId].calls.length - 1 - observed.position;
      const quantiles = Array<Quantiles>(ahead).fill(observed.quantiles);
      return predictionOf(tripId, { day: DAY, observedAt: now }, quantiles, {
        position: observed.position,
        observedAt,
      });
    }),
  );
  return live.at(now);
}

function reportSkips({ tripId, skipped }: Fate) {
  const stops = plans[tripId].calls.map((call) => call.split(' ')[0]!);
  const calls = stops.flatMap((stop, i) => (skipped[i] ? callOf(stopOf(stop), { state: 'skipped' }) : []));
  return reportOf(townTrip(tripId), { calls });
}

test('all routes follow the documented rules, and no reference is both predicted and unusable', async () => {
  const seconds = fc.integer({ min: instant(at('07:55')) / 15, max: instant(at('09:05')) / 15 }).map((n) => n * 15);
  let emitted = 0;
  let useless = 0;
  await fc.assert(
    fc.asyncProperty(fc.tuple(...tripIds.map(anyFate)), seconds, async (fates, second) => {
      const now = new Date(second * 1000).toISOString();
      const app = await openService(await openFates(fates, now), { clock: fixedClock(now) });
      const refs = tripIds.map(refOf);
      const v1 = (await app.inject({ url: `/v1/predictions?jids=${refs.join()}` })).json() as V1Predictions;
      const send = (url: string, payload: object) => app.inject({ method: 'POST', url, payload });
      const batch = (await send('/v2/predictions/batch', { journeyRefs: refs })).json() as PredictionBatch;
      await expectValidAnswer('PredictionBatch', batch);
      expect((await send('/v1/predictions/batch', { jids: refs })).json()).toEqual(v1);

      const expected = fates.map((fate) => expectPrediction(fate, second as Instant));
      const byRef = new Map(batch.predictions.map((each) => [each.journeyRef, each]));
      const describePrediction = ({ line, delayMinutes, confidence }: (typeof batch.predictions)[number]) =>
        `${line} ${delayMinutes} ${confidence}`;
      const inAnswer = refs.map((ref) => (byRef.has(ref) ? describePrediction(byRef.get(ref)!) : null));
      expect(inAnswer).toEqual(expected);
      const lines = v1.predictions.map(({ line, delayMin, confidence }) => `${line} ${delayMin} ${confidence}`);
      expect([...lines].sort()).toEqual(inAnswer.filter((each) => each !== null).sort());
      expect(v1.predictions.map(({ line }) => line)).toEqual(v1.predictions.map(({ line }) => line).sort());
      expect(batch.invalidatedJourneyRefs.filter((ref) => byRef.has(ref))).toEqual([]);
      emitted += batch.predictions.length;
      useless += batch.invalidatedJourneyRefs.length;
    }),
    { numRuns: 60 },
  );
  expect(Math.min(emitted, useless)).toBeGreaterThan(20);
});
