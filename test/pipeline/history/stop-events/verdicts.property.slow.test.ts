import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openDuckdb, type SqlRow, sqlText } from '../../../../pipeline/effects/duckdb.ts';
import { listObservationFiles } from '../../../../pipeline/lake/observations/partition-files.ts';
import {
  type Answer,
  finalise,
  live,
  openWorldToFinalise,
  type Said,
  tell,
  type World,
} from '../../../support/finalised-world.ts';
import { soundFeed } from '../../../support/ingest.ts';
import { readStopEvents } from '../../../support/stop-events.ts';

const DAY = '2026-03-03';
const iso = (seconds: number) =>
  new Date(Date.parse(`${DAY}T07:00:00Z`) + seconds * 1000).toISOString().replace('.000', '');

/** The calls of trip t1, planned so many seconds after seven. */
const calls = [
  { position: 0, stopId: 'a', arrival: null, departure: 0 },
  { position: 1, stopId: 'b', arrival: 600, departure: 660 },
  { position: 2, stopId: 'c', arrival: 1200, departure: null },
] as const;

/** What a source says of a call at a moment, of both of its events at once, as sources do. */
const word = fc.record({
  call: fc.constantFrom(...calls),
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
    // One word on each call: of several in one answer nobody could say which came last.
    const byCall = new Map(words.map((one) => [one.call.position, one]));
    return { at: iso(now), says: [...byCall.values()].flatMap((one) => toSaid(one, now)) };
  });
}

function toSaid({ call, kind, delay, platform }: Generated[number]['words'][number], now: number): Said[] {
  return (['arrival', 'departure'] as const).flatMap((event): Said[] => {
    const planned = call[event];
    if (planned === null) return [];
    const said = { trip: 't1', position: call.position, stopId: call.stopId, event, planned: iso(planned) };
    if (kind === 'cancelled') return [{ ...said, isCancelled: true }];
    if (kind === 'unknown') return [said];
    if (kind === 'forecast') return [{ ...said, platform, time: iso(planned + delay), evidence: 'forecast' }];
    // Nothing is observed before it happens.
    const time = iso(Math.min(planned + delay, now));
    const channel = kind === 'position' ? 'positions' : 'stop_events';
    return [{ ...said, platform: kind === 'position' ? null : platform, time, evidence: 'observed_actual', channel }];
  });
}

// ---- The same, said in another way -------------------------------------------------------------

interface Sighting {
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

async function readSightings({ dataDir, date }: World): Promise<Sighting[]> {
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
    return rows as unknown as Sighting[];
  } finally {
    db.close();
  }
}

function judge(sightings: readonly Sighting[], { position, arrival, departure }: (typeof calls)[number]): SqlRow {
  const own = sightings.filter((one) => one.position === position);
  const planned = (position === 0 ? departure : arrival)!;
  const counted = own.filter(({ event }) => event === (position === 0 ? 'departure' : 'arrival'));
  const said = counted.filter(({ channel }) => channel === 'stop_events');
  const seen = counted.filter(({ channel }) => channel === 'positions').map(({ observed }) => observed!);
  const edge = position === 0 ? Math.max(...seen) : Math.min(...seen);
  const observed = said.findLast(({ observed: time }) => time !== null)?.observed ?? (seen.length > 0 ? edge : null);
  const lastWord = own.findLast(({ channel }) => channel === 'stop_events');
  const isCancelled = lastWord?.isCancelled === true && own.every(({ observed: time }) => time === null);
  const isForecast = ({ estimated, first }: Sighting) =>
    estimated !== null && first <= estimated && (observed === null || first <= observed);
  const forecast = isCancelled ? undefined : said.findLast(isForecast);
  const moment = observed ?? forecast?.estimated ?? 0;
  const hasForecast = !isCancelled && said.some(({ estimated }) => estimated !== null);
  return {
    position,
    evidence: observed !== null ? 'observed_actual' : hasForecast ? 'forecast' : 'unknown',
    delay_seconds: observed === null ? null : observed - planned,
    forecast_delay_seconds: forecast ? forecast.estimated! - planned : null,
    forecast_age_seconds: forecast ? moment - Math.min(forecast.last, moment) : null,
    is_cancelled: isCancelled,
    platform: own.findLast(({ platform }) => platform !== null)?.platform ?? null,
  };
}

it('what is said in any order comes to what the rules say, row by row, and nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(answers, async (generated) => {
      const world = await openWorldToFinalise(soundFeed, DAY);
      await tell(world, toAnswers(generated));
      const { stderr } = await finalise(world, '2026-03-04T13:45:00Z', '--source', 'live', '--date', DAY);
      expect(stderr).not.toContain('bug');
      const columns =
        'position::int as position, evidence, delay_seconds, forecast_delay_seconds, forecast_age_seconds, is_cancelled, platform';
      const rows = await readStopEvents(world.dataDir, live, world.date, `trip_id, ${columns}`);
      const told = rows.filter(({ trip_id }) => trip_id === 't1').map(({ trip_id: _, ...row }) => row);
      const sightings = await readSightings(world);
      expect(told).toEqual(calls.map((call) => judge(sightings, call)));
    }),
    { numRuns: 12 },
  );
});
