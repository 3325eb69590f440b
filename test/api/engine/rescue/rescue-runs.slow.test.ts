import { beforeAll, expect, test } from 'vitest';
import type { LegRef, RescueOption, RescueResult, Trip } from '../../../../api/contract/definitions.ts';
import { openPlanner, type Planner } from '../../../../api/engine/planner/open-planner.ts';
import { presentTimestamp } from '../../../../api/engine/read/present.ts';
import { planRescue } from '../../../../api/engine/rescue/plan-rescue.ts';
import { listBusiestStops } from '../../../../api/engine/search/stops.ts';
import { openPlaces } from '../../../../api/engine/trips/places.ts';
import { planTrips, type TripsContext } from '../../../../api/engine/trips/plan-trips.ts';
import type { TripReport } from '../../../../pipeline/model/realtime.ts';
import { fromEpochDay, type Instant, parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { type Random, seededRandom, wholeBetween } from '../../../../pipeline/sample/simulator/seeded-random.ts';
import { trials } from '../../../support/checks/trials.ts';
import { openWorld, type World } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { buildSample, withoutNastyTrips } from '../../../support/worlds/sample.ts';

// Trips of the sample as travellers would request them: before the start, and at the stop of a late vehicle.

const SEED = 20_260_316;
const ON_TRACK_TRIPS = trials(100);
/** One in twenty is at risk before it starts. */
const PLANNED_TRIPS = trials(110);
const LATE_VEHICLES = trials(30);
const ANYWHERE_TRIPS = trials(50);
const STOPS = 60;
const FIRST = Date.parse('2026-03-16T07:30:00+01:00') / 1000;
const TIMEOUT_MILLISECONDS = 600_000;

let world: World;
let planner: Planner;
beforeAll(async () => {
  world = await openWorld({ at: withoutNastyTrips(await buildSample('2026-03-15')) });
  planner = openPlanner(world.timetable);
}, 120_000);

function contextAt(shown: World, instant: number, isSpent = () => false): TripsContext {
  const { timetable, realtime, references } = shown;
  return {
    published: { timetable, realtime },
    planner,
    places: openPlaces(timetable),
    references,
    instant: instant as Instant,
    walks: null,
    isSpent,
  };
}

const timeText = (seconds: number) => presentTimestamp(seconds as Instant);

/** Trips between busy stops, each with a ride, from the busiest hours of a Monday. */
async function drawTrips(random: Random, count: number): Promise<Trip[]> {
  const stops = listBusiestStops(world.timetable, STOPS).map(({ id }) => id);
  const drawn: Trip[] = [];
  while (drawn.length < count) {
    const [from, to] = [stops[wholeBetween(random, 0, STOPS - 1)]!, stops[wholeBetween(random, 0, STOPS - 1)]!];
    if (from === to) continue;
    const time = FIRST + wholeBetween(random, 0, 120) * 60;
    const { trips } = await planTrips(contextAt({ ...world, realtime: null }, FIRST), {
      from: { stopId: from },
      to: { stopId: to },
      time: timeText(time),
      timeMode: 'departure',
      limit: 2,
      walkSpeedKmh: 4.7,
      maxWalkMeters: 1500,
      wheelchair: false,
    });
    const ridden = trips.filter(({ legs }) => ridesOf(legs).length > 0);
    if (ridden.length > 0) drawn.push(ridden[0]!);
  }
  return drawn;
}

const ridesOf = (legs: Trip['legs']) => legs.filter(({ mode }) => mode === 'transit');

function toLegs({ legs }: Trip): LegRef[] {
  return ridesOf(legs).map(({ journeyRef, origin, destination }) => ({
    journeyRef: journeyRef!,
    originId: origin.id!,
    destinationId: destination.id!,
  }));
}

/** The vehicle of a leg departs some seconds late. */
function reportLeg({ journeyRef, origin }: Trip['legs'][number], lateSeconds: number): TripReport {
  const { tripKey, day } = world.references.openJourney(journeyRef!)!;
  const { key, tripId } = world.timetable.tables.trips;
  const id = tripId.get(key.indexOf(tripKey));
  const departure = parseTimestamp(origin.departure!.scheduled!)! + lateSeconds;
  return reportOf(tripOf(id, { startDate: fromEpochDay(day) }), {
    calls: [callOf(stopOf(origin.id!.replace(/^at:/, '')), { departure: timeOf(departure) })],
  });
}

/** Reports of trips at a given time. */
async function openReported(trips: readonly Trip[], instant: number, lateSeconds: (leg: number) => number) {
  const live = await openLiveWorld(world);
  const reports = trips.flatMap(({ legs }) => ridesOf(legs).map((leg, i) => reportLeg(leg, lateSeconds(i))));
  const byTrip = new Map(reports.map((report) => [`${report.trip.tripId} ${report.trip.startDate}`, report]));
  live.report('rt', timeText(instant), { trips: [...byTrip.values()] });
  return live.at(timeText(instant));
}

/** @param receivedAt time of the realtime, @param now time of the request */
const rescue = (shown: World, trip: Trip, receivedAt: number, now: number, limit: number): Promise<RescueResult> =>
  planRescue(contextAt(shown, receivedAt), { legs: toLegs(trip), time: timeText(now), limit });

const departureOf = ({ legs }: Trip) => parseTimestamp(ridesOf(legs)[0]!.origin.departure!.scheduled!)!;

/** Of following the first option instead of the plan; minutes, negative where that arrives earlier. */
function describeCost(minutes: readonly number[]) {
  const mean = minutes.reduce((sum, one) => sum + one, 0) / minutes.length;
  return { meanMinutes: mean, worstMinutes: Math.max(...minutes) };
}

const arrivalOf = ({ arrivalDeltaMinutes }: RescueOption) => arrivalDeltaMinutes;
/** Whether an option may rank above the plan. */
function isClearlyBetter(option: RescueOption, plan: RescueOption): boolean {
  const isAsProbable = (option.successProbability ?? 1) >= (plan.successProbability ?? 0);
  return arrivalOf(option) <= arrivalOf(plan) - 4 && isAsProbable;
}

test(
  'before the start of a punctual trip the plan is first, unless another option certainly arrives clearly earlier',
  async () => {
    const trips = await drawTrips(seededRandom(SEED, 'planned'), PLANNED_TRIPS);
    const instant = FIRST - 600;
    const shown = await openReported(trips, instant, () => 0);
    const seen = { onTrack: 0, planFirst: 0, clearlyBetter: 0 };
    const cost: number[] = [];
    for (const [i, trip] of trips.entries()) {
      const { state, options } = await rescue(shown, trip, instant, departureOf(trip) - 600, (i % 6) + 1);
      if (state !== 'onTrack') continue;
      seen.onTrack += 1;
      const at = options.findIndex(({ kind }) => kind === 'wait');
      expect(at, `the options of trip ${i}`).toBeGreaterThanOrEqual(0);
      expect(arrivalOf(options[at]!)).toBe(0);
      const before = options.slice(0, at);
      expect(before.every((option) => isClearlyBetter(option, options[at]!))).toBe(true);
      if (at === 0) seen.planFirst += 1;
      else seen.clearlyBetter += 1;
      cost.push(arrivalOf(options[0]!));
    }
    process.stdout.write(`on track before the start: ${JSON.stringify({ ...seen, ...describeCost(cost) })}\n`);
    expect(seen.onTrack).toBeGreaterThanOrEqual(ON_TRACK_TRIPS);
    expect(Math.max(...cost)).toBeLessThanOrEqual(0);
  },
  TIMEOUT_MILLISECONDS,
);

test(
  'at the stop of a late vehicle, waiting for it is first and certain',
  async () => {
    const random = seededRandom(SEED, 'late');
    const trips = (await drawTrips(random, LATE_VEHICLES * 3)).filter(({ legs }) => ridesOf(legs).length === 1);
    expect(trips.length).toBeGreaterThanOrEqual(LATE_VEHICLES);
    const cost: number[] = [];
    let earlier = 0;
    for (const trip of trips.slice(0, LATE_VEHICLES)) {
      const lateSeconds = wholeBetween(random, 3, 40) * 60;
      const instant = departureOf(trip) + wholeBetween(random, 1, lateSeconds / 60 - 1) * 60;
      const shown = await openReported([trip], instant, () => lateSeconds);
      const { state, options } = await rescue(shown, trip, instant, instant, 4);
      expect(state).toBe('onTrack');
      const wait = options.find(({ kind }) => kind === 'wait')!;
      expect(wait.successProbability).toBe(1);
      if (options[0] !== wait) {
        expect(isClearlyBetter(options[0]!, wait)).toBe(true);
        earlier += 1;
      }
      cost.push(arrivalOf(options[0]!) - arrivalOf(wait));
    }
    process.stdout.write(`late vehicles: ${JSON.stringify({ count: cost.length, earlier, ...describeCost(cost) })}\n`);
    expect(Math.max(...cost)).toBeLessThanOrEqual(0);
  },
  TIMEOUT_MILLISECONDS,
);

test('a rescue returns the plan when its time limit is reached', async () => {
  const [trip] = await drawTrips(seededRandom(SEED, 'spent'), 1);
  const shown = await openReported([trip!], FIRST - 600, () => 0);
  const context = contextAt(shown, FIRST - 600, () => true);
  const { options } = await planRescue(context, { legs: toLegs(trip!), time: timeText(FIRST - 600), limit: 4 });
  expect(options.map(({ kind }) => kind)).toEqual(['wait']);
});

test(
  'the options fit the state, wherever the traveller is and however late or early the vehicles are',
  async () => {
    const random = seededRandom(SEED, 'anywhere');
    const trips = await drawTrips(random, ANYWHERE_TRIPS);
    const seen = new Set<string>();
    for (const [i, trip] of trips.entries()) {
      const rides = ridesOf(trip.legs);
      const late = rides.map(() => wholeBetween(random, -3, 30) * 60);
      const arrival = parseTimestamp(rides.at(-1)!.destination.arrival!.scheduled!)!;
      const now = wholeBetween(random, departureOf(trip) - 900, arrival + 1800);
      const { origin, destination } = rides[wholeBetween(random, 0, rides.length - 1)]!;
      const { lat, lon } = origin.coord!;
      const position = [undefined, { lat, lon }, { lat: lat + 0.01, lon }, { lat: lat + 0.5, lon }, destination.coord!][
        i % 5
      ];
      const shown = await openReported([trip], now, (leg) => late[leg]!);
      const limit = (i % 6) + 1;
      const body = { legs: toLegs(trip), time: timeText(now), limit, ...(position && { position }) };
      const { state, atLeg, options } = await planRescue(contextAt(shown, now), body);
      const isLost = state === 'missed' || state === 'cancelled';
      const isOver = state === 'onTrack' && atLeg !== undefined;
      const kinds = options.map(({ kind }) => kind);
      expect(kinds.length).toBeLessThanOrEqual(limit);
      expect(kinds.includes('wait'), `the plan of trip ${i}, which is ${state}`).toBe(!isLost && !isOver);
      for (const { decideBy } of options) expect(parseTimestamp(decideBy)!).toBeGreaterThanOrEqual(now);
      seen.add(isOver ? 'over' : state);
    }
    expect([...seen]).toEqual(expect.arrayContaining(['missed', 'onTrack', 'over']));
  },
  TIMEOUT_MILLISECONDS,
);
