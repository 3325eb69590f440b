import process from 'node:process';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { ObservedTrip } from '../../pipeline/model/prediction.ts';
import type { EpochDay, Instant } from '../../pipeline/model/service-time.ts';
import { buildFeatures, choosePairs } from '../../pipeline/predictions/features/build-features.ts';
import { buildDatedTripTable, type DatedTripTable } from '../../pipeline/predictions/features/dated-trip-table.ts';
import { featureColumns } from '../../pipeline/predictions/features/instant-rows.ts';
import { seededRandom } from '../../pipeline/predictions/forest/seeded-random.ts';
import { noRecordedTrips, type RecordedTrips } from '../../pipeline/predictions/learning/recorded-trips.ts';
import { AdaptiveForecaster } from '../../pipeline/predictions/live/adaptive-forecaster.ts';
import {
  packPredictions,
  packTrips,
  unpackPredictions,
  unpackTrips,
} from '../../pipeline/predictions/live/thread-messages.ts';
import { TrainedForecaster } from '../../pipeline/predictions/live/trained-forecaster.ts';
import { TripPredictor } from '../../pipeline/predictions/live/trip-predictor.ts';
import {
  type DelayModel,
  describePairs,
  KIND_COUNT,
  type ModelRows,
  trainDelayModel,
} from '../../pipeline/predictions/model/delay-model.ts';
import { readPriors } from '../../pipeline/predictions/prior/read-priors.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import { type Metric, median } from './metric.ts';
import { quickSize } from './national-feed.ts';

/** Size of a country: concurrent trips, their calls, and the recorded days of each. */
export interface TrafficSize {
  readonly trips: number;
  readonly calls: number;
  readonly days: number;
}

const countrySize: TrafficSize = { trips: 20_000, calls: 25, days: 12 };
/** Limit of the rows that a model learns from. */
const TRAINING_ROWS = 440_000;
const ROUNDS = 10;
const TRIPS_PER_PATTERN = 5;
const FIRST_DAY = 20_000;
const LEG_SECONDS = 120;
const SOURCE = 'bench' as SourceId;

export interface PredictionMeasures {
  /** For as many rows as one model learns from at most. */
  readonly trainSeconds: number;
  readonly trips: number;
  readonly changed: number;
  readonly targets: number;
  readonly openSeconds: number;
  readonly pollSeconds: number;
  /** Of a source without a model. */
  readonly newSourcePollSeconds: number;
  readonly peakBytes: number;
}

/** Measures the predictions of one poll in which a tenth of the running trips have new observations. */
export async function benchPredictions(bench: Bench): Promise<Metric[]> {
  const isQuick = bench.size === quickSize;
  const size = isQuick ? { ...countrySize, trips: countrySize.trips / 10 } : countrySize;
  bench.progress('predictions: a made-up record, and a model that is trained on it: two minutes');
  const measures = await runInChild('predictions', size);
  const { trips, changed, targets, trainSeconds, openSeconds, pollSeconds, newSourcePollSeconds, peakBytes } = measures;
  return [
    { name: 'predictions: trips under way', value: trips, unit: '' },
    { name: 'predictions: of these with news in a poll', value: changed, unit: '' },
    { name: 'predictions: arrivals forecast in a poll', value: targets, unit: '' },
    { name: 'predictions: a poll, to the thread and back', value: pollSeconds, unit: 's', target: { atMost: 0.2 } },
    {
      name: 'predictions: the same for a source without a model',
      value: newSourcePollSeconds,
      unit: 's',
      target: { atMost: 0.2 },
    },
    {
      name: 'predictions: training on 440,000 rows',
      value: trainSeconds,
      unit: 's',
      target: { atMost: 90 },
    },
    { name: 'predictions: a record of six million calls taken up', value: openSeconds, unit: 's' },
    { name: 'predictions: peak memory, training included', value: peakBytes / 1e9, unit: 'GB' },
  ];
}

export async function measurePredictions(size: TrafficSize): Promise<PredictionMeasures> {
  const record = makeRecord(size);
  const { model, seconds: trainSeconds } = trainOn(record.table);
  const started = performance.now();
  const manifest = {
    id: 'bench',
    sourceId: 'bench',
    shifts: Array.from({ length: KIND_COUNT }, () => ({ down: 0, up: 0 })),
  };
  const room = { datedTrips: size.trips + 1, calls: (size.trips + 1) * size.calls };
  const trained = new TrainedForecaster({ manifest: manifest as never, model });
  const predictor = new TripPredictor(SOURCE, trained, record, room);
  const openSeconds = (performance.now() - started) / 1000;
  const { pollSeconds, changed, targets } = measurePolls(predictor, size);
  const adaptive = new AdaptiveForecaster(null, await readPriors());
  const newSource = measurePolls(new TripPredictor(SOURCE, adaptive, noRecordedTrips, room), size);
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  const newSourcePollSeconds = newSource.pollSeconds;
  return {
    trainSeconds,
    trips: size.trips,
    changed,
    targets,
    openSeconds,
    pollSeconds,
    newSourcePollSeconds,
    peakBytes,
  };
}

/** Polls of all trips, a tenth of which have new observations in each. */
function measurePolls(
  predictor: TripPredictor,
  size: TrafficSize,
): Pick<PredictionMeasures, 'pollSeconds' | 'changed' | 'targets'> {
  const live = makeLive(size);
  live.forEach((datedTrip) => {
    moveOn(datedTrip, 0);
  });
  predictor.update(live, nowOf(live[0]!, 0));
  const changed = Math.floor(size.trips / 10);
  const seconds: number[] = [];
  let targets = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const moved = live.slice(round * changed, (round + 1) * changed);
    for (const datedTrip of moved) moveOn(datedTrip, 1 + (round % 3));
    const begun = performance.now();
    // The copies that messages to and from a thread make.
    const received = unpackTrips(structuredClone(packTrips(moved)));
    const { predictions } = predictor.update(received, nowOf(moved[0]!, 1 + (round % 3)));
    const copy = unpackPredictions(structuredClone(packPredictions(SOURCE, predictions)));
    seconds.push((performance.now() - begun) / 1000);
    targets = copy.reduce((sum, one) => sum + one.median.length, 0);
  }
  return { pollSeconds: median(seconds), changed, targets };
}

// ---- A made-up country -------------------------------------------------------------------------

/** The same trips every day, with systematic and random delays. */
function makeRecord({ trips, calls, days }: TrafficSize): RecordedTrips {
  const random = seededRandom(7);
  const count = trips * calls * days;
  const int = () => new Int32Array(count);
  const float = () => new Float64Array(count);
  const columns = {
    datedTrip: int(),
    serviceDay: int(),
    train: int(),
    route: int(),
    operator: int(),
    stop: int(),
    sequence: int(),
    scheduledArrival: float(),
    scheduledDeparture: float(),
    arrivalDelay: float(),
    departureDelay: float(),
    isInstant: new Uint8Array(count),
  };
  let row = 0;
  for (let day = 0; day < days; day++) {
    for (let train = 0; train < trips; train++) {
      let delay = random() < 0.3 ? random() * 600 : 0;
      for (let call = 0; call < calls; call++, row++) {
        const { arrival, departure } = planOf(train, call, FIRST_DAY + day);
        // Some sections lose time on most days, and late trips catch up.
        const habit = (train * 7 + call * 13) % 11 === 0 ? 40 : -4;
        delay = Math.max(0, 0.95 * delay + habit + (random() - 0.5) * 60);
        columns.datedTrip[row] = day * trips + train;
        columns.serviceDay[row] = FIRST_DAY + day;
        columns.train[row] = train;
        columns.route[row] = Math.floor(train / TRIPS_PER_PATTERN);
        columns.stop[row] = stopOf(train, call);
        columns.sequence[row] = call;
        columns.scheduledArrival[row] = arrival;
        columns.scheduledDeparture[row] = departure;
        columns.arrivalDelay[row] = Math.round(delay);
        columns.departureDelay[row] = Math.round(delay + random() * 10);
        columns.isInstant[row] = random() < 0.02 ? 1 : 0;
      }
    }
  }
  const names = (letter: string, length: number) => Array.from({ length }, (_, i) => `${letter}${i}`);
  const table = buildDatedTripTable(columns);
  return {
    table,
    trips: Array.from(table.train, (train) => `t${train}`),
    departureOfDay: Int32Array.from(table.train, departureOf),
    implausible: { early_departure: 0, before_previous_event: 0 },
    routes: names('r', table.routeCount),
    products: Array.from({ length: table.routeCount }, () => 'regionalTrain'),
    stops: names('s', table.stopCount),
    stations: Int32Array.from({ length: table.stopCount }, (_, stop) => stop),
  };
}

/** Seconds from midnight to the first departure of a trip. */
function departureOf(train: number): number {
  return planOf(train, 0, 0).departure;
}

function planOf(train: number, call: number, day: number): { arrival: number; departure: number } {
  const arrival = day * 86_400 + 8 * 3600 + (train % TRIPS_PER_PATTERN) * 60 + call * LEG_SECONDS;
  return { arrival, departure: arrival + 20 };
}

/** Patterns of a town share some of their stops. */
function stopOf(train: number, call: number): number {
  const pattern = Math.floor(train / TRIPS_PER_PATTERN);
  return Math.floor(pattern / 4) * 60 + (pattern % 4) * 12 + call;
}

function trainOn(table: DatedTripTable): { model: DelayModel; seconds: number } {
  const pairs = choosePairs(table);
  const { values } = buildFeatures(table, pairs);
  const { truth, current } = describePairs(table, pairs);
  const width = featureColumns.length;
  const first = Math.floor(0.8 * pairs.count);
  const part = (from: number, to: number): ModelRows => ({
    values: values.subarray(from * width, to * width),
    truth: truth.subarray(from, to),
    current: current.subarray(from, to),
  });
  const begun = performance.now();
  const model = trainDelayModel(featureColumns, part(0, first), part(first, pairs.count), 1);
  return { model, seconds: ((performance.now() - begun) / 1000) * (TRAINING_ROWS / first) };
}

function makeLive({ trips, calls, days }: TrafficSize): ObservedTrip[] {
  return Array.from({ length: trips }, (_, train) => {
    const plan = Array.from({ length: calls }, (_call, call) => planOf(train, call, FIRST_DAY + days));
    return {
      tripKey: BigInt(train),
      day: (FIRST_DAY + days) as EpochDay,
      tripId: `t${train}`,
      departureOfDay: departureOf(train),
      product: 'regionalTrain',
      routeId: `r${Math.floor(train / TRIPS_PER_PATTERN)}`,
      stopIds: plan.map((_call, call) => `s${stopOf(train, call)}`),
      scheduledArrival: Float64Array.from(plan, ({ arrival }) => arrival),
      scheduledDeparture: Float64Array.from(plan, ({ departure }) => departure),
      arrival: new Float64Array(calls).fill(Number.NaN),
      departure: new Float64Array(calls).fill(Number.NaN),
      isFromPosition: new Uint8Array(calls),
    };
  });
}

/** The trip is observed this many calls after its middle. */
function moveOn(datedTrip: ObservedTrip, steps: number): void {
  const call = Math.floor(datedTrip.stopIds.length / 2) + steps - 1;
  datedTrip.arrival[call] = datedTrip.scheduledArrival[call]! + 50;
  datedTrip.departure[call] = datedTrip.scheduledDeparture[call]! + 60;
}

function nowOf(datedTrip: ObservedTrip, steps: number): Instant {
  const call = Math.floor(datedTrip.stopIds.length / 2) + steps - 1;
  // Trips of a pattern are minutes apart, so the observations of all of them are recent.
  return (datedTrip.scheduledDeparture[call]! + 300) as Instant;
}
