import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openDuckdb, type SqlRow, sqlText } from '../../../../pipeline/effects/duckdb.ts';
import { listObservationFiles } from '../../../../pipeline/lake/observations/partition-files.ts';
import {
  type Answer,
  finalise,
  live,
  openWorldToFinalise,
  type ReportedEvent,
  storeAnswers,
  type World,
} from '../../../support/worlds/finalised-world.ts';
import { soundFeed } from '../../../support/worlds/ingest.ts';
import { readStopEvents } from '../../../support/worlds/stop-events.ts';

const DAY = '2026-03-03';
const iso = (seconds: number) =>
  new Date(Date.parse(`${DAY}T07:00:00Z`) + seconds * 1000).toISOString().replace('.000', '');

/** The calls of trip t1, scheduled these seconds after seven. */
const calls = [
  { position: 0, stopId: 'a', arrival: null, departure: 0 },
  { position: 1, stopId: 'b', arrival: 600, departure: 660 },
  { position: 2, stopId: 'c', arrival: 1200, departure: null },
] as const;
type PlannedCall = (typeof calls)[number];
type EventName = 'arrival' | 'departure';

const eventNames = ['arrival', 'departure'] as const;

/** Reports of a source for a call at an instant, mostly both events at once. */
const word = fc.record({
  call: fc.constantFrom(...calls),
  events: fc.constantFrom(eventNames, eventNames, ['arrival'] as const, ['departure'] as const),
  kind: fc.constantFrom('forecast', 'observed', 'cancelled', 'unknown', 'position'),
  delay: fc.integer({ min: -120, max: 900 }),
  platform: fc.constantFrom(null, '1', '2'),
});
const answers = fc.array(
  fc.record({ pause: fc.integer({ min: 1, max: 500 }), words: fc.array(word, { maxLength: 4 }) }),
  {
    minLength: 1,
    maxLength: 12,
  },
);
type Generated = typeof answers extends fc.Arbitrary<infer Value> ? Value : never;

function toAnswers(generated: Generated): Answer[] {
  let now = -600;
  return generated.map(({ pause, words }) => {
    now += pause;
    // One report per call: within one response, the last one would be undefined.
    const byCall = new Map(words.map((one) => [one.call.position, one]));
    return { at: iso(now), reported: [...byCall.values()].flatMap((one) => toReports(one, now)) };
  });
}

function toReports(
  { call, events, kind, delay, platform }: Generated[number]['words'][number],
  now: number,
): ReportedEvent[] {
  return eventNames.flatMap((event): ReportedEvent[] => {
    const planned = call[event];
    if (planned === null || !events.some((one) => one === event)) return [];
    const reported = { trip: 't1', position: call.position, stopId: call.stopId, event, planned: iso(planned) };
    if (kind === 'cancelled') return [{ ...reported, isCancelled: true }];
    if (kind === 'unknown') return [reported];
    if (kind === 'forecast') return [{ ...reported, platform, time: iso(planned + delay), evidence: 'forecast' }];
    // Nothing is observed before it happens.
    const time = iso(Math.min(planned + delay, now));
    const channel = kind === 'position' ? 'positions' : 'stop_events';
    return [
      { ...reported, platform: kind === 'position' ? null : platform, time, evidence: 'observed_actual', channel },
    ];
  });
}

// ---- Independent implementation ----------------------------------------------------------------

interface Observation {
  readonly position: number;
  readonly event: string;
  readonly channel: string;
  readonly evidence: string;
  readonly estimated: number | null;
  readonly observed: number | null;
  readonly isCancelled: boolean;
  readonly platform: string | null;
  readonly first: number;
  readonly last: number;
}

async function readOpenObservations({ dataDir, date }: World): Promise<Observation[]> {
  const files = await listObservationFiles(dataDir, live, date);
  if (files.length === 0) return [];
  const db = await openDuckdb({ threads: 1 });
  try {
    const seconds = (name: string) => `(epoch(${name}) - epoch(timestamp '${DAY} 07:00:00'))::double`;
    const rows = await db.query(`
      select position::int as position, event, channel, evidence, ${seconds('estimated_time')} as estimated,
        ${seconds('observed_time')} as observed, is_cancelled as "isCancelled", platform,
        ${seconds('first_seen_at')} as first, ${seconds('last_seen_at')} as last
      from read_parquet([${files.map(sqlText).join(', ')}], hive_partitioning = false)
      order by first, last`);
    return rows as unknown as Observation[];
  } finally {
    db.close();
  }
}

/** One event of the trip, in travel order. */
interface TripEvent {
  readonly position: number;
  readonly name: EventName;
  readonly isObserved: boolean;
  readonly hasTime: boolean;
  isCancelled: boolean;
}

/** The events of the trip, with those derived for unreported ones: walks along the trip. */
function settle(observations: readonly Observation[]): TripEvent[] {
  const events = calls.flatMap((call) =>
    eventNames.filter((name) => call[name] !== null).map((name) => readEvent(observations, call, name)),
  );
  const isTimed = ({ hasTime, isCancelled }: TripEvent) => hasTime && !isCancelled;
  const find = (position: number, name: EventName) =>
    events.find((one) => one.position === position && one.name === name);
  const cancel = (those: readonly TripEvent[]) => {
    for (const event of those) if (!event.isObserved) event.isCancelled = true;
  };
  // Reads all before it changes any.
  const endings = calls.flatMap(({ position }) => {
    const [arrival, departure] = [find(position, 'arrival'), find(position, 'departure')];
    if (!arrival || !departure) return [];
    const before = events.slice(0, events.indexOf(arrival));
    const after = events.slice(events.indexOf(departure) + 1);
    return [
      ...(departure.isCancelled && isTimed(arrival) && !after.some(isTimed) ? after : []),
      ...(arrival.isCancelled && isTimed(departure) && !before.some(isTimed) ? before : []),
    ];
  });
  cancel(endings);
  const isServed = (name: EventName) => (one: TripEvent) => one.name === name && !one.isCancelled;
  const last = events.findLast(isServed('arrival')) ?? events[0]!;
  const first = events.find(isServed('departure')) ?? events.at(-1)!;
  cancel([
    ...events.filter((one) => one.name === 'departure' && events.indexOf(one) > events.indexOf(last)),
    ...events.filter((one) => one.name === 'arrival' && events.indexOf(one) < events.indexOf(first)),
  ]);
  return events;
}

function readEvent(observations: readonly Observation[], { position }: PlannedCall, name: EventName): TripEvent {
  const own = observations.filter((one) => one.position === position && one.event === name);
  const isObserved = own.some(({ observed }) => observed !== null);
  const lastWord = own.findLast(({ channel }) => channel === 'stop_events');
  const hasTime = isObserved || own.some(({ estimated }) => estimated !== null);
  return { position, name, isObserved, hasTime, isCancelled: lastWord?.isCancelled === true && !isObserved };
}

/** The counted event of a call, and the reports that decide its row. */
interface CountedEvent {
  readonly event: EventName;
  readonly observed: number | null;
  readonly isCancelled: boolean;
  readonly hasForecast: boolean;
  readonly forecast: Observation | undefined;
}

function countEvent(observations: readonly Observation[], { position }: PlannedCall): CountedEvent {
  const events = settle(observations).filter((one) => one.position === position);
  const isEventCancelled = (name: EventName) => events.find((one) => one.name === name)?.isCancelled ?? false;
  // The arrival counts; the departure where the trip begins, as scheduled or late.
  const isBeginning = events.length === 2 && isEventCancelled('arrival') && !isEventCancelled('departure');
  const event: EventName = position === 0 || isBeginning ? 'departure' : 'arrival';
  const counted = observations.filter((one) => one.position === position && one.event === event);
  const reported = counted.filter(({ channel }) => channel === 'stop_events');
  const seen = counted.filter(({ channel }) => channel === 'positions').map(({ observed }) => observed!);
  const edge = event === 'departure' ? Math.max(...seen) : Math.min(...seen);
  const observed =
    reported.findLast(({ observed: time }) => time !== null)?.observed ?? (seen.length > 0 ? edge : null);
  const isCancelled = isEventCancelled(event);
  const isForecast = ({ estimated, first }: Observation) =>
    estimated !== null && first <= estimated && (observed === null || first <= observed);
  const forecast = isCancelled ? undefined : reported.findLast(isForecast);
  const hasForecast = !isCancelled && reported.some(({ estimated }) => estimated !== null);
  return { event, observed, isCancelled, hasForecast, forecast };
}

/** Whether a later call of the trip was known to be ahead after an instant, or was observed after it. */
function wentOn(observations: readonly Observation[], { position }: PlannedCall, instant: number): boolean {
  return calls
    .filter((call) => call.position > position)
    .map((call) => countEvent(observations, call))
    .some(({ observed, forecast }) => (observed ?? -Infinity) > instant || (forecast?.last ?? -Infinity) > instant);
}

function judge(observations: readonly Observation[], call: PlannedCall): SqlRow {
  const { position } = call;
  const own = observations.filter((one) => one.position === position);
  const events = settle(observations).filter((one) => one.position === position);
  const isEventCancelled = (name: EventName) => events.find((one) => one.name === name)?.isCancelled ?? false;
  const { event, observed, hasForecast, forecast } = countEvent(observations, call);
  const planned = call[event]!;
  const instant = observed ?? forecast?.estimated ?? 0;
  const isFinal =
    forecast !== undefined &&
    forecast.last > forecast.estimated! - 60 &&
    wentOn(observations, call, forecast.estimated!);
  return {
    position,
    event,
    evidence: observed !== null ? 'observed_actual' : hasForecast ? 'forecast' : 'unknown',
    delay_seconds: observed === null ? null : observed - planned,
    forecast_delay_seconds: forecast ? forecast.estimated! - planned : null,
    forecast_age_seconds: forecast ? instant - Math.min(forecast.last, instant) : null,
    is_final_forecast: isFinal,
    arrival_is_cancelled: isEventCancelled('arrival'),
    departure_is_cancelled: isEventCancelled('departure'),
    platform: own.findLast(({ platform }) => platform !== null)?.platform ?? null,
  };
}

it('reports in any order result in the rows that the rules demand, and nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(answers, async (generated) => {
      const world = await openWorldToFinalise(soundFeed, DAY);
      await storeAnswers(world, toAnswers(generated));
      const { stderr } = await finalise(world, '2026-03-04T13:45:00Z', '--source', 'live', '--date', DAY);
      expect(stderr).not.toContain('bug');
      const columns =
        'position::int as position, event, evidence, delay_seconds, forecast_delay_seconds, forecast_age_seconds, is_final_forecast, arrival_is_cancelled, departure_is_cancelled, platform';
      const rows = await readStopEvents(world.dataDir, live, world.date, `trip_id, ${columns}`);
      const reported = rows.filter(({ trip_id }) => trip_id === 't1').map(({ trip_id: _, ...row }) => row);
      const observations = await readOpenObservations(world);
      expect(reported).toEqual(calls.map((call) => judge(observations, call)));
    }),
    { numRuns: 12 },
  );
});
