import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { distanceMeters } from '../../pipeline/model/geo.ts';
import type { CallObservation } from '../../pipeline/model/observation.ts';
import { emptyUpdate } from '../../pipeline/model/realtime.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { createGtfsRtSource } from '../../pipeline/sources/gtfs-rt/gtfs-rt-source.ts';
import { readTarEntries } from '../support/checks/tar.ts';
import { openWorld, type World } from '../support/worlds/board-world.ts';
import { type KingstonAnswer as Answer, readKingstonPositions } from '../support/worlds/kingston-positions.ts';
import { openLiveWorld } from '../support/worlds/live-world.ts';
import { readZipTexts, realData } from '../support/worlds/real-data.ts';

// Times derived from the positions of Kingston, compared with its trip updates. These name no times as measured that
// can be relied on, but an arrival that has passed when it is published is close to one; and a call that a message
// still lists, and the next one does not, was left between the two.

const DAY = '2026-01-15';
const CITY_SIZE = { memoryLimit: '2GB', threads: 2, maxEntryBytes: 1e9, maxTotalBytes: 1e9 };
/** Longer pauses between answers end a recorded period. */
const PAUSE_SECONDS = 120;
/** A derived time this far outside of the interval in which the vehicle left is of no real passage. */
const FALSE_SECONDS = 120;

/** What the trip updates report of a call. */
interface Listed {
  lastListedAt: number;
  /** The first message without the call; null while it is listed. */
  goneAt: number | null;
  /** The last arrival that had passed when it was published. */
  arrivedAt: number | null;
}

/** By trip id and stop_sequence. */
async function readTripUpdates(): Promise<Map<string, Listed>> {
  const source = createGtfsRtSource({ zone: 'America/Toronto', tripUpdates: 'https://kingston.example.org' });
  const archive = gunzipSync(await readFile(realData('realtime/kingston/trip-updates-2026-01-15.tar.gz')));
  const listed = new Map<string, Listed>();
  for (const { name, bytes } of readTarEntries(archive)) {
    const fetchedAt = Number(/^tripupdates_capture_(\d+)_/.exec(name)![1]) as Instant;
    const { trips, publishedAt } = await source.parse(bytes, source.listRequests(fetchedAt)[0]!, fetchedAt);
    const present = new Set<string>();
    for (const { trip, calls } of trips) {
      if (trip.startDate !== DAY) continue;
      for (const { stopSequence, arrival, state } of calls) {
        if (state !== 'normal') continue;
        const key = `${trip.tripId} ${stopSequence}`;
        present.add(key);
        const time = arrival?.time ?? null;
        const hasPassed = time !== null && time <= publishedAt!;
        const arrivedAt = hasPassed ? time : (listed.get(key)?.arrivedAt ?? null);
        listed.set(key, { lastListedAt: publishedAt!, goneAt: null, arrivedAt });
      }
    }
    for (const [key, one] of listed) if (one.goneAt === null && !present.has(key)) one.goneAt = publishedAt;
  }
  return listed;
}

/** Trip, stop_sequence, counted event and its planned instant, of the calls that are planned within the recorded periods. */
async function listPlanned({ timetable: { tables } }: World, answers: readonly Answer[]) {
  const texts = await readZipTexts(realData('realtime/kingston/gtfs.zip'), ['calendar_dates.txt', 'trips.txt']);
  const split = (text: string) =>
    text
      .replace(/^\uFEFF/, '')
      .trim()
      .split(/\r?\n/)
      .map((line) => line.split(','));
  const services = new Set(
    split(texts.get('calendar_dates.txt')!)
      .filter(([, date, type]) => date === '20260115' && type === '1')
      .map(([id]) => id),
  );
  const onDay = new Set(
    split(texts.get('trips.txt')!)
      .filter(([, service]) => services.has(service))
      .map(([, , id]) => id),
  );
  const midnight = Date.parse(`${DAY}T00:00:00-05:00`) / 1000;
  const periods: [number, number][] = [];
  for (const { fetchedAt } of answers) {
    const last = periods.at(-1);
    if (last && fetchedAt - last[1] < PAUSE_SECONDS) last[1] = fetchedAt;
    else periods.push([fetchedAt, fetchedAt]);
  }
  const { trips, patterns, times, stopSequences } = tables;
  const planned: string[] = [];
  for (let trip = 0; trip < trips.tripId.length; trip++) {
    if (!onDay.has(trips.tripId.get(trip))) continue;
    const pattern = trips.pattern[trip]!;
    const callCount = patterns.callCount[pattern]!;
    const first = patterns.firstTime[pattern]! + (trip - patterns.firstTrip[pattern]!) * callCount;
    for (let i = 0; i < callCount; i++) {
      const at = midnight + (i === 0 ? times.departure : times.arrival)[first + i]!;
      if (!periods.some(([from, to]) => from <= at && at <= to)) continue;
      planned.push(`${trips.tripId.get(trip)} ${stopSequences.sequence[trips.firstSequence[trip]! + i]}`);
    }
  }
  return planned;
}

const nameCall = ({ timetable: { tables } }: World, { tripId, position }: { tripId: string; position: number }) => {
  const trip = tripRow(tables, tripId);
  return `${tripId} ${tables.stopSequences.sequence[tables.trips.firstSequence[trip]! + position]}`;
};

const rows = new Map<string, number>();
function tripRow({ trips }: World['timetable']['tables'], tripId: string): number {
  if (rows.size === 0) for (let row = 0; row < trips.tripId.length; row++) rows.set(trips.tripId.get(row), row);
  return rows.get(tripId)!;
}

/** When a vehicle came to a call, and when it left: null where that is not known. */
interface Stay {
  readonly time: number;
  readonly leftAt: number | null;
}

/**
 * The rule to compare with: the vehicle was at a stop when it was nearest to it, if that is within 100 m. It left when it
 * was last within them.
 */
function findNearest({ timetable: { tables } }: World, answers: readonly Answer[]): Map<string, Stay> {
  const nearest = new Map<string, Stay & { meters: number }>();
  const { trips, patterns, patternCalls, stops, stopSequences } = tables;
  for (const { lat, lon, trip: name, recordedAt } of answers.flatMap(({ vehicles }) => vehicles)) {
    const trip = tripRow(tables, name!.tripId!);
    if (trip === undefined || name!.startDate !== DAY) continue;
    const pattern = trips.pattern[trip]!;
    for (let i = 0; i < patterns.callCount[pattern]!; i++) {
      const stop = patternCalls.stop[patterns.firstCall[pattern]! + i]!;
      const meters = distanceMeters(lat, lon, stops.lat[stop]!, stops.lon[stop]!);
      if (meters >= 100) continue;
      const key = `${name!.tripId} ${stopSequences.sequence[trips.firstSequence[trip]! + i]}`;
      const known = nearest.get(key);
      const best = known && known.meters <= meters ? known : { meters, time: recordedAt! };
      nearest.set(key, { ...best, leftAt: recordedAt! });
    }
  }
  return nearest;
}

/** Compares the times that count: arrivals, at the first stop the departure. */
function measure(stays: ReadonlyMap<string, Stay>, listed: ReadonlyMap<string, Listed>, planned: readonly string[]) {
  const errors: number[] = [];
  let [compared, wrong, wrongByArrival] = [0, 0, 0];
  for (const [key, { time, leftAt }] of stays) {
    const one = listed.get(key);
    if (one?.arrivedAt) errors.push(Math.abs(time - one.arrivedAt));
    if (!one) continue;
    const { lastListedAt, goneAt } = one;
    // After a pause of the recording it is not known when the vehicle left.
    if (goneAt !== null && goneAt - lastListedAt > PAUSE_SECONDS) continue;
    compared += 1;
    const isTooLate = goneAt !== null && time > goneAt + FALSE_SECONDS;
    if (isTooLate || time < lastListedAt - FALSE_SECONDS) wrongByArrival += 1;
    if (isTooLate || (leftAt !== null && leftAt < lastListedAt - FALSE_SECONDS)) wrong += 1;
  }
  errors.sort((a, b) => a - b);
  const percent = (count: number, of: number) => Math.round((1000 * count) / of) / 10;
  return {
    observedPercent: percent(planned.filter((key) => stays.has(key)).length, planned.length),
    errors: errors.length,
    median: errors[Math.floor(errors.length / 2)],
    p90: errors[Math.floor(errors.length * 0.9)],
    compared,
    wrong,
    falsePercent: percent(wrong, compared),
    /** Counts every long stay as false, too, as the vehicle arrived long before it left. */
    falseByArrivalPercent: percent(wrongByArrival, compared),
  };
}

function listStays(world: World, observations: readonly CallObservation[]): Map<string, Stay> {
  const observed = observations.filter(({ evidence }) => evidence === 'observed_actual');
  const departures = new Map(
    observed.filter(({ event }) => event === 'departure').map((one) => [nameCall(world, one), one.time!]),
  );
  const stays = new Map<string, Stay>();
  for (const one of observed) {
    const isCounted = one.event === (one.position === 0 ? 'departure' : 'arrival');
    const key = nameCall(world, one);
    if (isCounted) stays.set(key, { time: one.time!, leftAt: departures.get(key) ?? null });
  }
  return stays;
}

it('Kingston: most calls are observed from positions, close to what trip updates say, and hardly any is false', async () => {
  const world = await openWorld({ at: { location: realData('realtime/kingston/gtfs.zip') } }, { settings: CITY_SIZE });
  const live = await openLiveWorld(world);
  const answers = await readKingstonPositions(realData('realtime/kingston/vehicle-positions-2026-01-15.csv.gz'));
  const observations: CallObservation[] = [];
  const problems: Record<string, number> = {};
  for (const { fetchedAt, vehicles } of answers) {
    const update = { ...emptyUpdate, vehicles, publishedAt: fetchedAt };
    const applied = live.state.apply('rt', { part: 'vehicles', fetchedAt, update });
    observations.push(...applied.observations);
    for (const [code, count] of Object.entries(applied.tally.problems)) problems[code] = (problems[code] ?? 0) + count;
  }
  const [listed, planned] = [await readTripUpdates(), await listPlanned(world, answers)];
  const derived = measure(listStays(world, observations), listed, planned);
  const nearest = measure(findNearest(world, answers), listed, planned);
  expect({ planned: planned.length, problems, derived, nearest }).toMatchInlineSnapshot(`
    {
      "derived": {
        "compared": 1254,
        "errors": 555,
        "falseByArrivalPercent": 1,
        "falsePercent": 0.2,
        "median": 8,
        "observedPercent": 74.2,
        "p90": 25,
        "wrong": 3,
      },
      "nearest": {
        "compared": 1137,
        "errors": 545,
        "falseByArrivalPercent": 2.9,
        "falsePercent": 0.7,
        "median": 7,
        "observedPercent": 67.6,
        "p90": 32,
        "wrong": 8,
      },
      "planned": 1348,
      "problems": {
        "implausibly_early": 1,
        "passage_too_uncertain": 1067,
        "position_jumped": 20,
        "position_off_path": 38,
      },
    }
  `);
  expect(derived.observedPercent).toBeGreaterThanOrEqual(70);
  expect(derived.median).toBeLessThanOrEqual(15);
  expect(derived.p90).toBeLessThanOrEqual(40);
  expect(derived.falsePercent).toBeLessThan(0.5);
});
