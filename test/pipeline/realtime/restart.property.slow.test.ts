import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type ObservationStore,
  openMemoryOnlyObservations,
} from '../../../pipeline/lake/observations/observation-store.ts';
import type { CallObservation } from '../../../pipeline/model/observation.ts';
import type { TripReport } from '../../../pipeline/model/realtime.ts';
import {
  clock,
  clockText,
  DATE,
  describeObservation,
  type LiveLine,
  openLiveLine,
  type ReportedCall,
  reported,
} from './live-line.ts';
import { vehicleReport } from './matching/matching-world.ts';

// Emitted observations must not depend on restarts of the service: the lake keeps the open ones, and the next process
// continues from there.

interface Step {
  readonly part: string;
  readonly isPropagating: boolean;
  readonly trips: readonly TripReport[];
}

/** Behaviour of a publisher. */
interface PunctualityProfile {
  /** Some of its times are measured. */
  readonly isMeasuring: boolean;
  /** Its trips are omitted from some responses. */
  readonly isForgetful: boolean;
}

/** Times around eight. */
function anyTime({ isMeasuring }: PunctualityProfile) {
  const instant = fc.tuple(fc.integer({ min: -5, max: 60 }), isMeasuring ? fc.boolean() : fc.constant(false));
  return fc.option(
    instant.map(([minutes, isMeasured]) => `${clockText(clock('08:00') + minutes * 60)}${isMeasured ? '!' : ''}`),
    { nil: null },
  );
}

function anyCalls(manners: PunctualityProfile) {
  const call = fc.record({
    times: fc.tuple(anyTime(manners), anyTime(manners)),
    state: fc.constantFrom('normal', 'normal', 'normal', 'skipped', 'noData'),
    assignedStop: fc.constantFrom(undefined, undefined, 'b2'),
  } as const);
  return fc
    .array(fc.option(call, { nil: null, freq: 2 }), { maxLength: 4 })
    .map((all) => all.flatMap((one, i) => (one ? [{ sequence: i + 1, ...one } as ReportedCall] : [])));
}

/** Each trip is reported by one part: if several parts report a trip, the lake keeps the name of one. */
const partsOfTrips = { bus: 'north', late: 'south', loop: 'north' } as const;
type TripId = keyof typeof partsOfTrips;

const relationship = fc.constantFrom('scheduled', 'scheduled', 'scheduled', 'cancelled', 'deleted');

function anyTrips(part: string, manners: PunctualityProfile) {
  const ids = (Object.keys(partsOfTrips) as TripId[]).filter((id) => partsOfTrips[id] === part);
  const reports = ids.map((id) => {
    const report = fc
      .tuple(anyCalls(manners), relationship)
      .map(([calls, how]) => reported(id, calls, { relationship: how as 'scheduled' }));
    return manners.isForgetful ? fc.option(report, { nil: null, freq: 3 }) : report;
  });
  return fc.tuple(...reports).map((all) => all.filter((report) => report !== null));
}

/** An extra trip that loses its first calls under way, as publishers omit past calls; or is omitted itself. */
function anyExtra({ isForgetful }: PunctualityProfile) {
  const report = fc
    .tuple(isForgetful ? fc.constant(0) : fc.nat({ max: 2 }), fc.integer({ min: 0, max: 20 }))
    .map(([gone, minutes]) => {
      const at = (offset: number) => clockText(clock('08:00') + (offset + minutes) * 60);
      const calls: ReportedCall[] = [
        { stop: 'a', plan: [null, '08:00'], times: [null, at(0)] },
        { stop: 'c', plan: ['08:10', '08:10'], times: [at(10), at(10)] },
        { stop: 'd', plan: ['08:20', null], times: [at(20), null] },
      ];
      const name = { tripId: 'extra', startDate: DATE, lineLabel: 'E' };
      return reported(name, calls.slice(gone), { relationship: 'added' });
    });
  return isForgetful ? fc.option(report, { nil: null }) : report;
}

function anyAnswer(manners: PunctualityProfile): fc.Arbitrary<Step> {
  return fc.constantFrom('north', 'south').chain((part) =>
    fc.record({
      part: fc.constant(part),
      isPropagating: fc.boolean(),
      trips: fc
        .tuple(anyTrips(part, manners), anyExtra(manners))
        .map(([trips, one]) => (one && part === 'south' ? [...trips, one] : trips)),
    }),
  );
}

/** The observations emitted by each response, and those open in the lake afterwards. */
interface RestartResult {
  readonly news: readonly string[];
  readonly open: readonly string[];
}

async function reportAll(steps: readonly Step[], restartsBefore: ReadonlySet<number>): Promise<RestartResult[]> {
  const store = openMemoryOnlyObservations();
  let line = await openLiveLine();
  const all: RestartResult[] = [];
  for (const [i, { part, isPropagating, trips }] of steps.entries()) {
    if (restartsBefore.has(i)) {
      line = await openLiveLine();
      line.state.restore('rt', store.listOpen(), store.listResolved());
    }
    all.push(await reportTo(line, store, `08:${String(i * 5).padStart(2, '0')}`, { part, isPropagating, trips }));
  }
  return all;
}

async function reportTo(
  line: LiveLine,
  store: ObservationStore,
  at: string,
  { part, ...update }: Step,
): Promise<RestartResult> {
  const { observations, ended, resolved } = line.report(at, update, { part });
  await store.append({ part, rawId: at, seenAt: clock(at), observations, ended, resolved });
  return { news: observations.map(describeObservation).sort(), open: [...store.listOpen()].map(nameOpen).sort() };
}

function nameOpen(observation: CallObservation): string {
  return `${describeObservation(observation)} ${observation.tripKey}`;
}

// Only the process that received a trip knows what was observed, and the identity of the calls of an extra trip. To a
// process started since, a trip that was omitted and returns is new.
it.each<[reason: string, manners: PunctualityProfile]>([
  ['trips come and go', { isMeasuring: false, isForgetful: true }],
  ['times are measured', { isMeasuring: true, isForgetful: false }],
])('a restart at any point emits the same, and nothing twice: %s', async (_reason, manners) => {
  const answers = fc.array(anyAnswer(manners), { minLength: 2, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(answers, fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 3 }), async (steps, restarts) => {
      expect(await reportAll(steps, new Set(restarts))).toEqual(await reportAll(steps, new Set()));
    }),
    { numRuns: 150 },
  );
});

it('a response without changes emits nothing', async () => {
  const answer = anyAnswer({ isMeasuring: true, isForgetful: true });
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { maxLength: 4 }), answer, async (before, last) => {
      const line = await openLiveLine();
      const emit = ({ part, ...update }: Step, at: string) => line.report(at, update, { part }).observations;
      for (const [i, one] of before.entries()) emit(one, `08:0${i}`);
      emit(last, '08:30');
      expect(emit(last, '08:30').map(describeObservation)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

it('emitted observations are shown again after a restart, until they expire', async () => {
  const store = openMemoryOnlyObservations();
  const line = await openLiveLine();
  const trips = [
    reported('bus', [
      { sequence: 2, times: ['08:10!', '08:17'], assignedStop: 'b2' },
      { sequence: 3, state: 'skipped' },
    ]),
  ];
  await reportTo(line, store, '08:12', { part: 'all', isPropagating: true, trips });
  const next = await openLiveLine();
  next.state.restore('rt', store.listOpen(), store.listResolved());
  expect(next.show('bus', '08:12')).toBe('partlyCancelled -/- 08:10!/08:17@2 x -/-');
  expect(next.build('08:12').calls.expiresAt[1]).toBe(clock('08:17'));
  // A confirmation of the publisher's last response counts as if this process had received it.
  expect(next.state.confirm('rt', 'all', clock('08:15'))).toBe(true);
  expect(next.build('08:15').calls.expiresAt[1]).toBe(clock('08:20'));
});

it('a vehicle that stands during a restart is not emitted again; its later departure is unknown', async () => {
  const store = openMemoryOnlyObservations();
  let line = await openLiveLine();
  const see = async (at: string, call: number, stopStatus: 'stoppedAt' | 'inTransitTo') => {
    const vehicle = vehicleReport({ tripId: 'bus', startDate: DATE }, { stopSequence: call, stopStatus });
    const { observations, ended, resolved } = line.report(at, { vehicles: [vehicle] });
    await store.append({ part: 'all', rawId: at, seenAt: clock(at), observations, ended, resolved });
    return observations.map(describeObservation);
  };
  expect(await see('08:10', 2, 'stoppedAt')).toHaveLength(1);
  line = await openLiveLine();
  line.state.restore('rt', store.listOpen(), store.listResolved());
  expect(line.show('bus', '08:10')).toBe('-/- 08:10!/- -/- -/-');
  expect(await see('08:11', 2, 'stoppedAt')).toEqual([]);
  expect(await see('08:12', 3, 'inTransitTo')).toEqual(['bus 1.departure 08:11 observed from a position']);
  line = await openLiveLine();
  line.state.restore('rt', store.listOpen(), store.listResolved());
  expect(await see('08:20', 3, 'stoppedAt')).toHaveLength(1);
  line = await openLiveLine();
  line.state.restore('rt', store.listOpen(), store.listResolved());
  expect(await see('08:23', 4, 'inTransitTo')).toEqual([]);
});
