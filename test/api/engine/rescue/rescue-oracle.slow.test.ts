import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FindTransferChance } from '../../../../api/engine/predictions/transfer-chances.ts';
import { boundBetter, type Candidate, chooseOptions } from '../../../../api/engine/rescue/candidates.ts';
import { listRides } from '../../../../api/engine/rescue/option-plan.ts';
import { type SufficientOptions, searchOptions } from '../../../../api/engine/rescue/search-options.ts';
import type { Traveller } from '../../../../api/engine/rescue/traveller.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import type { Compared } from '../../../support/oracles/compare-plans.ts';
import { type NaivePlace, plainQuestion } from '../../../support/oracles/naive-plan-places.ts';
import { BUSY_HOUR, randomWords } from '../../../support/oracles/naive-plan-random.ts';
import type { NaiveRun } from '../../../support/oracles/naive-plan-runs.ts';
import { endOf } from '../../../support/oracles/naive-plan-search.ts';
import { type DatedTrip, listStays } from '../../../support/oracles/naive-plan-stays.ts';
import { placeId } from '../../../support/oracles/naive-plan-town.ts';
import { findTransfer, listNear } from '../../../support/oracles/naive-plan-transfers.ts';
import type { NaiveReports } from '../../../support/oracles/naive-reports.ts';
import {
  compareOptions,
  listNaiveOptions,
  type NaiveChance,
  type NaiveOption,
  type NaiveRescue,
} from '../../../support/oracles/naive-rescue.ts';
import { toQuery } from '../../../support/oracles/query-planner.ts';
import {
  asPlanned,
  asReported,
  openRandomWorld,
  type RandomTown,
  type RandomWorld,
  withReports,
} from '../../../support/worlds/random-plan-world.ts';

const SEED = 20_260_319;
const TOWNS = 40;
const HOUR = 3600;
const DAY = 24 * HOUR;

let random: RandomWorld;
beforeAll(async () => {
  random = await openRandomWorld(TOWNS, SEED);
});

const rescueQuestions = fc.record({
  town: fc.nat(TOWNS - 1),
  run: fc.nat(),
  /** Seconds after the departure of the trip. */
  after: fc.integer({ min: 0, max: 1800 }),
  from: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'near', 's', 's2'),
  to: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'near', 'far', 's', 's1'),
  isAboard: fc.boolean(),
  maxRides: fc.integer({ min: 1, max: 3 }),
});
type RescueQuestion = typeof rescueQuestions extends fc.Arbitrary<infer Value> ? Value : never;

/** Stands for unknown probabilities. */
const PRIOR_STEPS = 15;

/** A probability that rises with the spare time, different for each vehicle; unknown for some, not shown for others. */
function estimateSteps(arrival: number, departure: number, transferSeconds: number): NaiveChance | null {
  const sign = (Math.floor(departure / 60) * 3) % 7;
  if (sign === 0) return null;
  const spare = departure - arrival - transferSeconds;
  return { steps: Math.min(20, Math.round(2 + sign * 1.2 + spare / 125)), isKnown: sign !== 4 };
}

const findChance: FindTransferChance = (arrival, departure, transferSeconds) => {
  const found = estimateSteps(arrival.expected, departure.expected, transferSeconds);
  if (!found) return null;
  const probability = found.steps / 20;
  return { probability, estimate: found.isKnown ? { probability, sampleSize: 1, from: 'live' } : null };
};

interface Situation {
  readonly now: number;
  readonly at: NaiveRescue['at'];
  readonly to: NaivePlace;
  readonly maxRides: number;
}

function findSituation({ number }: RandomTown, { network }: Compared, question: RescueQuestion): Situation {
  const stop = (id: string): NaivePlace => ({ stopId: placeId(id, number) });
  const to = stop(question.to);
  const { maxRides } = question;
  if (!question.isAboard) return { now: BUSY_HOUR + question.after, at: stop(question.from), to, maxRides };
  const busy = network.runs.filter(({ trip, calls }) => trip && Math.abs(calls[0]!.departure - BUSY_HOUR) < HOUR);
  fc.pre(busy.length > 0);
  const run = busy[question.run % busy.length]!;
  const now = run.calls[0]!.departure + question.after;
  const place = run.calls.findLastIndex(({ departure }) => departure <= now);
  fc.pre(place >= 0 && place < run.calls.length - 1 && !run.calls[place]!.isCancelled);
  return { now, at: { run, place }, to, maxRides };
}

function listNaive(
  { network }: Compared,
  { now, at, to, maxRides }: Situation,
  guaranteedSteps?: number,
): NaiveOption[] {
  return listNaiveOptions(
    network,
    {
      now,
      at,
      to,
      maxRides,
      estimate: estimateSteps,
      priorSteps: PRIOR_STEPS,
      ...(guaranteedSteps === undefined ? {} : { guaranteedSteps }),
    },
    now + 4 * HOUR,
  );
}

function searchEngine(
  { world, network }: Compared,
  { now, at, to, maxRides }: Situation,
  sufficient: SufficientOptions | null,
  find = findChance,
) {
  const { planner, realtime } = world;
  const { timetable } = planner;
  const instant = BUSY_HOUR as Instant;
  const from = 'run' in at ? { stopId: network.feed.stops[at.run.calls[at.place]!.stop]!.id } : at;
  const terms = { ...plainQuestion, from, to, time: now, timeMode: 'departure' as const, limit: 6, instant };
  const query = { ...toQuery(timetable, { ...terms, maxTransfers: maxRides - 1 }) };
  const traveller: Exclude<Traveller, { kind: 'arrived' }> =
    'run' in at
      ? { kind: 'aboard', leg: 0, ride: findRide(random, at.run), position: at.place }
      : { kind: 'waiting', leg: 0, stop: -1, alighted: null, isLeftBehind: false };
  return searchOptions(
    {
      published: { timetable, realtime },
      planner,
      instant,
      now: now as Instant,
      query: { ...query, stretchMeters: [null] },
      traveller,
      isElsewhere: false,
      sufficient,
      isSpent: () => false,
    },
    find,
    { note: () => {}, expect: () => PRIOR_STEPS / 20 },
  );
}

function listEngine(compared: Compared, situation: Situation): NaiveOption[] {
  const { options, scope } = searchEngine(compared, situation, null);
  const { base } = scope.task.raptorRoutes;
  return options
    .map(({ arrival, chance, decideBy }) => ({
      arrival: Math.ceil((arrival + base) / 60),
      steps: Math.round(chance.grade * 20),
      isKnown: chance.isKnown,
      decideBy: Math.floor((decideBy + base) / 300),
    }))
    .sort(compareOptions);
}

/** The exhaustive search covers the next hours: later arrivals are not compared. */
function compare(compared: Compared, situation: Situation): NaiveOption[] {
  const [naive, engine] = [listNaive(compared, situation), listEngine(compared, situation)];
  const isSoon = [naive, engine].some((options) =>
    options.some(({ arrival }) => arrival * 60 <= situation.now + 2 * HOUR),
  );
  if (isSoon) expect(engine).toEqual(naive);
  return isSoon ? naive : [];
}

function findRide({ planner: { timetable } }: RandomWorld, { name, day }: NaiveRun) {
  const { tripId, frequencyStart } = timetable.tables.trips;
  const [id, start = '-1'] = name.split('@');
  for (let trip = 0; trip < tripId.length; trip++) {
    if (tripId.get(trip) === id && frequencyStart[trip] === Number(start)) {
      return { trip, addedTrip: -1, day, boardPosition: 0, alightPosition: 1 };
    }
  }
  throw new Error(`there is no trip ${name}`);
}

describe('rescue options equal those of an exhaustive search', () => {
  test('by schedule', () => {
    const seen = { options: 0, risky: 0 };
    fc.assert(
      fc.property(rescueQuestions, (question) => {
        const town = random.towns[question.town]!;
        const compared = asPlanned(random, town);
        const situation = findSituation(town, compared, question);
        const naive = compare(compared, situation);
        seen.options += naive.length;
        seen.risky += naive.filter(({ steps }) => steps > 0 && steps < 20).length;
      }),
      { numRuns: 3000, seed: SEED },
    );
    expect(seen.options).toBeGreaterThan(1000);
    expect(seen.risky).toBeGreaterThan(300);
  });

  test('with realtime', async () => {
    let options = 0;
    await fc.assert(
      fc.asyncProperty(
        randomWords,
        fc.array(rescueQuestions, { minLength: 6, maxLength: 6 }),
        async (words, questions) => {
          const town = random.towns[questions[0]!.town]!;
          const compared = await asReported(random, town, words);
          for (const question of questions) {
            const situation = findSituation(town, compared, question);
            options += compare(compared, situation).length;
          }
        },
      ),
      { numRuns: 60, seed: SEED },
    );
    expect(options).toBeGreaterThan(100);
  });

  test('with a late vehicle that runs through, of which only the first trip is reported', async () => {
    const pairs = random.towns.flatMap(listThroughTrips);
    const seen = { delayed: 0, options: 0 };
    const drawn = fc.record({
      pair: fc.nat(pairs.length - 1),
      delayMinutes: fc.integer({ min: 1, max: 45 }),
      isAtNext: fc.boolean(),
      question: rescueQuestions,
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ pair, delayMinutes, isAtNext, question }) => {
        const { town, first, next } = pairs[pair]!;
        const compared = await withReports(random, town, reportLateArrival(first, delayMinutes * 60));
        const [planned, run] = [town.network, compared.network].map(({ runs }) => findRun(runs, next)!);
        if (run!.calls[0]!.departure > planned!.calls[0]!.departure) seen.delayed += 1;
        const situation = findSituation(town, compared, { ...question, isAboard: !isAtNext && question.isAboard });
        const at = isAtNext ? { stopId: town.feed.stops[next.trip.calls[0]!.stop]!.id } : situation.at;
        const to = { stopId: town.feed.stops[next.trip.calls.at(-1)!.stop]!.id };
        seen.options += compare(compared, { ...situation, at, to }).length;
      }),
      { numRuns: 120, seed: SEED },
    );
    expect(seen.delayed).toBeGreaterThan(60);
    expect(seen.options).toBeGreaterThan(60);
  });

  test('at the stop of a vehicle that is late, or leaves early', async () => {
    const departures = random.towns.flatMap(listDepartures);
    const seen = { late: 0, early: 0 };
    const drawn = fc.record({
      departure: fc.nat(departures.length - 1),
      delayMinutes: fc.integer({ min: -8, max: 45 }),
      /** Of the time between the planned and the reported departure. */
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      question: rescueQuestions,
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ departure, delayMinutes, share, question }) => {
        const { town, trip } = departures[departure]!;
        const compared = await withReports(random, town, reportDeparture(trip, delayMinutes * 60));
        const planned = findRun(town.network.runs, trip)!.calls[0]!;
        const now = Math.round(planned.departure + share * delayMinutes * 60);
        const [from, last] = [planned.stop, trip.trip.calls.at(-1)!.stop].map((stop) => town.feed.stops[stop]!.id);
        const situation = { now, at: { stopId: from! }, to: { stopId: last! }, maxRides: question.maxRides };
        const options = compare(compared, situation);
        if (options.length > 0) seen[delayMinutes > 0 ? 'late' : 'early'] += 1;
      }),
      { numRuns: 120, seed: SEED },
    );
    expect(seen.late).toBeGreaterThan(40);
    expect(seen.early).toBeGreaterThan(5);
  });

  test('on board of a late vehicle with a guaranteed transfer', async () => {
    const transfers = random.towns.flatMap(listGuaranteedTransfers);
    const seen = { options: 0, guaranteed: 0 };
    const drawn = fc.record({
      transfer: fc.nat(transfers.length - 1),
      /** Delay as a share of the time between the two vehicles; above 1 the second one would have to wait. */
      share: fc.double({ min: 0, max: 1.2, noNaN: true }),
      question: rescueQuestions,
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ transfer, share, question }) => {
        const { town, arriving, place, betweenSeconds, to } = transfers[transfer]!;
        const reports = reportArrival(arriving, place, Math.round(share * betweenSeconds));
        const compared = await withReports(random, town, reports);
        const run = findRun(compared.network.runs, arriving);
        fc.pre(run !== undefined && !run.calls[place - 1]!.isCancelled);
        const now = run.calls[place - 1]!.departure + 1;
        const { maxRides } = question;
        const situation = { now, at: { run, place: place - 1 }, to: { stopId: to }, maxRides };
        const options = compare(compared, situation);
        seen.options += options.length;
        const withoutGuarantee = listNaive(compared, situation, 0);
        if (options.length > 0 && JSON.stringify(options) !== JSON.stringify(withoutGuarantee)) seen.guaranteed += 1;
      }),
      { numRuns: 120, seed: SEED },
    );
    expect(seen.options).toBeGreaterThan(60);
    expect(seen.guaranteed).toBeGreaterThan(30);
  });
});

// ---- Sufficient options ------------------------------------------------------------------------

const answers = fc.record({
  limit: fc.integer({ min: 1, max: 6 }),
  /** Which option is the plan, and which its fallback; beyond the last one: another one. */
  plan: fc.option(fc.nat(9)),
  fallback: fc.option(fc.nat(9)),
  /** Of the other one. */
  lateSeconds: fc.integer({ min: -600, max: 3600 }),
  probability: fc.double({ min: 0, max: 1, noNaN: true }),
  isKnown: fc.boolean(),
});
type Answer = typeof answers extends fc.Arbitrary<infer Value> ? Value : never;

/** Lists options, with the number of estimates that they took. */
function findCandidates(compared: Compared, situation: Situation, sufficient: SufficientOptions | null) {
  let estimates = 0;
  const { options, scope } = searchEngine(compared, situation, sufficient, (...transfer) => {
    estimates += 1;
    return findChance(...transfer);
  });
  const { base } = scope.task.raptorRoutes;
  const found = options.map((option) => ({
    openTimeline: () => expect.fail('the order needs no timeline'),
    rides: listRides(scope, option),
    chance: option.chance,
    arrival: (option.arrival + base) as Instant,
    decideBy: (option.decideBy + base) as Instant,
  }));
  return { found, estimates };
}

function makeOther(first: Candidate, { lateSeconds, probability, isKnown }: Answer): Candidate {
  const chance = { probability, grade: probability, isKnown, sampleSize: 1 };
  return { ...first, rides: [], arrival: (first.arrival + lateSeconds) as Instant, chance };
}

test('the options that suffice give the same answer as all of them, by fewer estimates', async () => {
  const seen = { fewer: 0, estimates: 0, estimatesOfAll: 0 };
  const compareAnswers = (compared: Compared, situation: Situation, answer: Answer) => {
    const all = findCandidates(compared, situation, null);
    if (all.found.length === 0) return;
    const pick = (at: number | null) => (at === null ? null : (all.found[at] ?? makeOther(all.found[0]!, answer)));
    const plan = pick(answer.plan);
    const fallback = plan && pick(answer.fallback);
    const sufficient = { count: answer.limit, preferred: plan && boundBetter(plan) };
    const enough = findCandidates(compared, situation, sufficient);
    const choose = ({ found }: typeof all) =>
      chooseOptions(found, plan, fallback, answer.limit).map(({ openTimeline, ...option }) => option);
    expect(choose(enough)).toEqual(choose(all));
    if (enough.found.length < all.found.length) seen.fewer += 1;
    seen.estimates += enough.estimates;
    seen.estimatesOfAll += all.estimates;
  };
  const drawn = fc.array(fc.record({ question: rescueQuestions, answer: answers }), { minLength: 6, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(randomWords, drawn, async (words, cases) => {
      const town = random.towns[cases[0]!.question.town]!;
      const compared = await asReported(random, town, words);
      for (const { question, answer } of cases) {
        compareAnswers(compared, findSituation(town, compared, question), answer);
      }
    }),
    { numRuns: 150, seed: SEED },
  );
  expect(seen.fewer).toBeGreaterThan(40);
  expect(seen.estimates).toBeLessThan(0.95 * seen.estimatesOfAll);
});

// ---- Vehicles that run through -----------------------------------------------------------------

interface ThroughTrips {
  readonly town: RandomTown;
  readonly first: DatedTrip;
  readonly next: DatedTrip;
}

/** Longer than most delays. */
const MAX_LAYOVER_SECONDS = 1200;

/** Trips that soon continue as others around the busy hour. */
function listThroughTrips(town: RandomTown): ThroughTrips[] {
  const day = Math.floor(BUSY_HOUR / DAY);
  return town.feed.trips.flatMap((trip) =>
    listStays(town.feed, { trip, day }).flatMap((next) => {
      const run = findRun(town.network.runs, next);
      const before = findRun(town.network.runs, { trip, day });
      const isSoon = run && before && Math.abs(run.calls[0]!.departure - BUSY_HOUR) < HOUR;
      return isSoon && run.calls[0]!.departure - before.calls.at(-1)!.arrival < MAX_LAYOVER_SECONDS
        ? { town, first: { trip, day }, next }
        : [];
    }),
  );
}

// ---- Guaranteed transfers ----------------------------------------------------------------------

interface GuaranteedTransfer {
  readonly town: RandomTown;
  readonly arriving: DatedTrip;
  /** Call of the arriving trip where the transfer begins. */
  readonly place: number;
  readonly betweenSeconds: number;
  /** Last stop of the departing trip. */
  readonly to: string;
}

/** Guaranteed transfers around the busy hour, between two trips that meet by the timetable. */
function listGuaranteedTransfers(town: RandomTown): GuaranteedTransfer[] {
  const { feed, network } = town;
  const found: GuaranteedTransfer[] = [];
  for (const run of network.runs) {
    // A report of a trip with a frequency must name the start, which that of the others has not.
    if (!run.trip || run.name.includes('@') || Math.abs(run.calls[0]!.departure - BUSY_HOUR) >= HOUR) continue;
    for (const [place, { stop, arrival }] of run.calls.entries()) {
      if (place === 0) continue;
      for (const next of listNear(feed, stop).flatMap((other) => network.departures[other]!)) {
        const betweenSeconds = next.time - arrival;
        if (next.run === run || betweenSeconds < 0 || betweenSeconds > MAX_LAYOVER_SECONDS) continue;
        const from = endOf(run, stop);
        const to = endOf(next.run, next.run.calls[next.place]!.stop);
        if (findTransfer(feed, from, to, plainQuestion)?.kind !== 'timed') continue;
        const arriving = { trip: run.trip, day: run.day };
        found.push({ town, arriving, place, betweenSeconds, to: feed.stops[next.run.calls.at(-1)!.stop]!.id });
      }
    }
  }
  return found;
}

/** Trips that begin around the busy hour. */
function listDepartures(town: RandomTown): { readonly town: RandomTown; readonly trip: DatedTrip }[] {
  const day = Math.floor(BUSY_HOUR / DAY);
  return town.feed.trips.flatMap((trip) => {
    const run = findRun(town.network.runs, { trip, day });
    // A report of a trip with a frequency must name the start, which that of the others has not.
    if (!run || run.name.includes('@')) return [];
    return Math.abs(run.calls[0]!.departure - BUSY_HOUR) < HOUR ? { town, trip: { trip, day } } : [];
  });
}

function reportDeparture({ trip, day }: DatedTrip, departureDelay: number): NaiveReports {
  const moved = { isSkipped: false, isMeasured: false, arrivalDelay: null, departureDelay, platform: null };
  const calls = trip.calls.map((_, place) => (place === 0 ? moved : null));
  return { at: BUSY_HOUR, trips: [{ trip: trip.naive, day, kind: 'scheduled', calls }], extras: [] };
}

function findRun(runs: readonly NaiveRun[], { trip, day }: DatedTrip): NaiveRun | undefined {
  return runs.find((run) => run.trip === trip && run.day === day);
}

function reportLateArrival(dated: DatedTrip, arrivalDelay: number): NaiveReports {
  return reportArrival(dated, dated.trip.calls.length - 1, arrivalDelay);
}

function reportArrival({ trip, day }: DatedTrip, at: number, arrivalDelay: number): NaiveReports {
  const late = { isSkipped: false, isMeasured: false, arrivalDelay, departureDelay: null, platform: null };
  const calls = trip.calls.map((_, place) => (place === at ? late : null));
  return { at: BUSY_HOUR, trips: [{ trip: trip.naive, day, kind: 'scheduled', calls }], extras: [] };
}
