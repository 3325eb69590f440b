import type { RescueOption, RescueRequest, WatchEvent } from '../../../../api/contract/definitions.ts';
import type { Published } from '../../../../api/engine/read/realtime.ts';
import { planRescue } from '../../../../api/engine/rescue/plan-rescue.ts';
import { emitOptions } from '../../../../api/watches/service/emit-options.ts';
import { createWatchService } from '../../../../api/watches/service/watch-service.ts';
import { openWatchStore } from '../../../../api/watches/store/sql-store.ts';
import type { WatchOrder } from '../../../../api/watches/store/watch-store.ts';
import type { WatchedLeg } from '../../../../api/watches/watch.ts';
import { fixedClock } from '../../../../pipeline/effects/clock.ts';
import { silentLog } from '../../../../pipeline/effects/log.ts';
import {
  addDays,
  type Instant,
  isoWeekday,
  parseTimestamp,
  serviceDayStart,
} from '../../../../pipeline/model/service-time.ts';
import { breakDownOnly } from '../../../../pipeline/sample/simulator/breakdowns.ts';
import { createSimulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import { type Random, seededRandom, wholeBetween } from '../../../../pipeline/sample/simulator/seeded-random.ts';
import { SAMPLE_ZONE } from '../../../../pipeline/sample/simulator/service-day.ts';
import type { AnswerSource } from '../../../../pipeline/sample/upstream/answer-source.ts';
import { simulatedAnswers } from '../../../../pipeline/sample/upstream/simulated-answers.ts';
import { TEST_KEY } from '../board-world.ts';
import { breakDown, drawTransferringTrip, queryTimetable, type TransferringTrip } from './find-watched-trip.ts';
import type { SceneModels } from './learn-models.ts';
import { type SceneCountry, TIMETABLE_SEED } from './open-scene-country.ts';
import { openTruth, type Ridden, rideTrip, type SetOut, type Truth } from './ride-trip.ts';
import { openScenePolls } from './scene-polls.ts';

/** An option that was offered to a watch, and its outcome. */
export interface ReportedOption {
  readonly kind: RescueOption['kind'];
  /** As offered; null: unknown. */
  readonly probability: number | null;
  readonly arrival: Instant;
  readonly ridden: Ridden;
}

export interface PlayedScene {
  readonly seed: number;
  /** Kinds of the events, in order, up to the options. */
  readonly events: readonly WatchEvent['kind'][];
  /** Time of the first options; null if there were none although the transfer was missed. */
  readonly offeredAt: Instant | null;
  /**
   * The first options, best first: mostly when the transfer was at risk. Fewer of them work than predicted, as scenes
   * always end with a missed transfer, while most trains that stop for two minutes continue.
   */
  readonly options: readonly ReportedOption[];
  /** The first options after the transfer was reported as missed, often while the train was still stopped. */
  readonly onceMissed: readonly ReportedOption[];
  /** The options after the train continues. */
  readonly afterwards: readonly ReportedOption[];
}

/** A trip, and an operation in which its transfer is missed. */
interface Plot extends TransferringTrip {
  readonly answers: AnswerSource;
  readonly truth: Truth;
  /** Begin of the breakdown of the first train. */
  readonly brokenFrom: Instant;
  readonly brokenUntil: Instant;
  /** Its arrival at the stop where the traveller alights. */
  readonly arrival: Instant;
}

/** Earlier polls, since predictions depend on what was observed. */
const POLLED_BEFORE_MINUTES = [45, 30, 15];
const WATCHED_BEFORE_SECONDS = 300;
/** Default interval of polls. The service polls more often; two minutes change few options. */
const POLL_SECONDS = 120;
/** Time limit for the events of a watch, after the arrival at the transfer. */
const PATIENCE_SECONDS = 900;
const MAX_PLOTS = 20;

/**
 * Plays a scene in this process: a trip with a transfer is watched, its first train breaks down so that the transfer is
 * missed, and every option that the watch receives then, or that is found once the train continues, is tried with the
 * actual times. If the only options were offered before, because of another delay, another trip is drawn: nobody can
 * predict a breakdown.
 * @param models without any, nothing is predicted
 * @param seed of the operation, the trip and the breakdown
 */
export async function playScene(
  country: SceneCountry,
  models: SceneModels,
  seed: number,
  pollSeconds: number = POLL_SECONDS,
): Promise<PlayedScene> {
  const random = seededRandom(seed, 'scene');
  for (let i = 0; i < MAX_PLOTS; i++) {
    const scene = await playPlot(country, models, await drawPlot(country, seed, random), pollSeconds);
    if (scene.offeredAt !== null || !scene.events.includes('options')) return { seed, ...scene };
  }
  throw new RangeError(`no scene was found for the seed ${seed}`);
}

async function playPlot(
  country: SceneCountry,
  models: SceneModels,
  plot: Plot,
  pollSeconds: number,
): Promise<Omit<PlayedScene, 'seed'>> {
  const polls = openScenePolls(country, models);
  const departure = parseTimestamp(plot.rides[0].origin.departure!.scheduled!)!;
  const watchedFrom = Math.min(departure, plot.brokenFrom) - WATCHED_BEFORE_SECONDS;
  const watch = await openSceneWatch(country, plot);
  const poll = async (at: number) => polls.poll(plot.answers, at as Instant);
  try {
    for (const minutes of POLLED_BEFORE_MINUTES) await poll(watchedFrom - minutes * 60);
    await watch.follow(await poll(watchedFrom), watchedFrom as Instant);
    const firstAt = Math.max(watchedFrom + pollSeconds, plot.brokenFrom);
    let first: Pick<PlayedScene, 'events' | 'offeredAt' | 'options'> | null = null;
    let [onceMissed, afterwards]: (readonly ReportedOption[] | null)[] = [null, null];
    const ride = (options: readonly RescueOption[], at: number) =>
      options.map((option) => rideOption(country, plot, option, at as Instant));
    for (let at = firstAt; at <= plot.arrival + PATIENCE_SECONDS; at += pollSeconds) {
      const events = await watch.follow(await poll(at), at as Instant);
      const lastEvent = events.at(-1);
      if (lastEvent?.kind === 'options' && parseTimestamp(lastEvent.at)! >= at) {
        const kinds = events.map(({ kind }) => kind);
        const options = ride(lastEvent.options!, at);
        first ??= { events: kinds, offeredAt: at as Instant, options };
        if (kinds.includes('transferMissed')) onceMissed ??= options;
      }
      if (first && at > plot.brokenUntil) afterwards ??= ride(await watch.query(at as Instant), at);
      if (first && onceMissed && afterwards) break;
    }
    first ??= { events: (await watch.list()).map(({ kind }) => kind), offeredAt: null, options: [] };
    return { ...first, onceMissed: onceMissed ?? [], afterwards: afterwards ?? [] };
  } finally {
    await watch.close();
  }
}

// ---- The plot ----------------------------------------------------------------------------------

/** Days after that of the country on which scenes take place. */
const SCENE_DAYS = 40;
const [FIRST_HOUR, LAST_HOUR] = [6, 19];
/** A trip begins within an hour. */
const MAX_AHEAD_SECONDS = 3600;
/** How much too long the first train stops. */
const OVER_MINUTES = { least: 2, most: 20 };

/** Draws until the transfer is missed: the second train may be late as well. */
async function drawPlot(country: SceneCountry, seed: number, random: Random): Promise<Plot> {
  const operation = { seed, timetableSeed: TIMETABLE_SEED };
  const query = queryTimetable(country);
  const calm = openTruth(country, createSimulator(country.lookups, operation));
  for (;;) {
    const changing = await drawTransferringTrip(
      country,
      { time: drawTime(country, random), maxAheadSeconds: MAX_AHEAD_SECONDS, random },
      query,
    );
    const overSeconds = wholeBetween(random, OVER_MINUTES.least, OVER_MINUTES.most) * 60;
    const breakdown = breakDown(changing, calm, overSeconds, random);
    const simulator = createSimulator(country.lookups, { ...operation, findBreakdown: breakDownOnly(breakdown) });
    const truth = openTruth(country, simulator);
    const begin = { at: 0 as Instant, aboard: null, alighted: null };
    const { failure, rides } = rideTrip(country, truth, changing.trip, begin);
    const [first] = rides;
    if (failure !== 'missed' || !first) continue;
    return {
      ...changing,
      answers: simulatedAnswers(simulator),
      truth,
      brokenFrom: first.calls[breakdown.call - 1]!.departure,
      brokenUntil: first.calls[breakdown.call]!.arrival,
      arrival: first.to.arrival,
    };
  }
}

/** A random time of a working day. */
function drawTime({ today }: SceneCountry, random: Random): Instant {
  const dates = Array.from({ length: SCENE_DAYS }, (_, i) => addDays(today, i + 1)).filter(
    (date) => isoWeekday(date) < 6,
  );
  const date = dates[wholeBetween(random, 0, dates.length - 1)]!;
  const seconds = wholeBetween(random, FIRST_HOUR * 3600, LAST_HOUR * 3600);
  return (serviceDayStart(date, SAMPLE_ZONE) + seconds) as Instant;
}

// ---- Watch -------------------------------------------------------------------------------------

const LIMITS = { maxTotal: 10, maxPerAddress: 10, maxPerToken: 10 };

/** A rescue watch of the trip, judged on each snapshot, with options as the service offers them. */
async function openSceneWatch(country: SceneCountry, { rides }: Plot) {
  const { planner, places, references } = country;
  const clock = fixedClock(`${country.today}T00:00:00Z`);
  const store = await openWatchStore({ file: ':memory:', postgresUrl: null }, { clock, log: silentLog });
  const service = createWatchService({ store, referenceKey: TEST_KEY, limits: LIMITS, clock });
  const legs = rides.map((leg): WatchedLeg => {
    const { tripKey, day } = references.openJourney(leg.journeyRef!)!;
    const ends = { originId: leg.origin.id, destinationId: leg.destination.id };
    return { journeyRef: leg.journeyRef!, tripKey: tripKey.toString(), day, ...ends };
  });
  // All options count here, however unlikely.
  const requested = { to: null, minSuccessProbability: 0, minDelayMinutes: 5, until: null };
  let order: WatchOrder = {
    id: null,
    spec: { kind: 'rescue', legs, ...requested },
    target: null,
    owner: '',
    address: '',
  };
  const list = async () => {
    const report = await service.watch(order, null);
    order = { ...order, id: report!.watchId };
    return report!.events;
  };
  let newest: Published | null = null;
  const find = (body: RescueRequest, instant: Instant) =>
    planRescue({ published: newest!, planner, places, references, instant, walks: null, isSpent: () => false }, body);
  return {
    async follow(published: Published, instant: Instant): Promise<readonly WatchEvent[]> {
      newest = published;
      clock.set(new Date(instant * 1000).toISOString());
      await service.follow(published);
      await list();
      await emitOptions(service, (body) => find(body, instant));
      return list();
    },
    /** The options on the latest snapshot. */
    async query(instant: Instant): Promise<readonly RescueOption[]> {
      const requested = legs.map(({ journeyRef, originId, destinationId }) => ({
        journeyRef,
        originId,
        destinationId,
      }));
      return (await find({ legs: requested, limit: 4 }, instant)).options;
    },
    list,
    close: () => service.close(),
  };
}

// ---- Ride --------------------------------------------------------------------------------------

function rideOption(country: SceneCountry, plot: Plot, option: RescueOption, at: Instant): ReportedOption {
  const { kind, trip, successProbability } = option;
  return {
    kind,
    probability: successProbability ?? null,
    arrival: parseTimestamp(trip.arrival.realtime ?? trip.arrival.scheduled!)!,
    ridden: rideTrip(country, plot.truth, trip, findSetOut(plot, at)),
  };
}

/** The actual position of the traveller. */
function findSetOut({ rides: [first], truth }: Plot, at: Instant): SetOut {
  const ride = truth.findRide(first);
  const hasDeparted = ride.from.departure <= at;
  const hasArrived = ride.to.arrival <= at;
  return {
    at,
    aboard: hasDeparted && !hasArrived ? ride.journeyRef : null,
    alighted: hasArrived ? ride : null,
  };
}
