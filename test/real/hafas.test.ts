import { readdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { UnreadableAnswer } from '../../pipeline/model/problem.ts';
import type { CallReport, SourceUpdate } from '../../pipeline/model/realtime.ts';
import { formatTimestamp, type Instant } from '../../pipeline/model/service-time.ts';
import type { HafasProfile } from '../../pipeline/sources/hafas/load-profile.ts';
import { loadHafasProfile } from '../../pipeline/sources/hafas/load-profile.ts';
import { readMgateAnswer } from '../../pipeline/sources/hafas/mgate-answer.ts';
import { normaliseHafas } from '../../pipeline/sources/hafas/normalise-hafas.ts';
import { readHafasRecords } from '../../pipeline/sources/hafas/read-records.ts';
import { realData } from '../support/worlds/real-data.ts';

const folder = realData('upstream/hafas');

/**
 * What each recording is: the result of one method alone, to be put into the frame of an answer; a whole answer; or an
 * answer of another interface that is not HAFAS (that of bahn.de), which has to be refused by name. And whose it is.
 */
const files: Readonly<Record<string, readonly [kind: string, profile: string]>> = {
  'bvg-radar.json': ['JourneyGeoPos', 'bvg'],
  'canceled-departures.in.json': ['answer', 'avv'],
  'canceled-journey-with-path.in.json': ['answer', 'db'],
  'db-arrivals.json': ['StationBoard', 'db'],
  'db-journey-additional-stopover.json': ['TripSearch', 'db'],
  'db-journey-overnight-0.json': ['TripSearch', 'db'],
  'db-netz-remarks.json': ['HimSearch', 'db'],
  'de-bvg-locmatch.in.json': ['answer', 'bvg'],
  'journey-bvg-load-messages.in.json': ['answer', 'bvg'],
  'journey-bvg-load-v172.in.json': ['answer', 'bvg'],
  'journey-cancelled.in.json': ['foreign', 'db'],
  'journey-coord-based.in.json': ['foreign', 'db'],
  'journey-international.in.json': ['foreign', 'db'],
  'journey-nowalk.in.json': ['foreign', 'db'],
  'journey-transfer-extra-stop.in.json': ['foreign', 'db'],
  'journey-vsn-alternative-platform-data.in.json': ['answer', 'vsn'],
  'journey-walk.in.json': ['foreign', 'db'],
  'location-poi.in.json': ['foreign', 'db'],
  'location-stations.in.json': ['foreign', 'db'],
  'oebb-trip.json': ['JourneyDetails', 'oebb'],
  'stopover-departure.in.json': ['foreign', 'db'],
  'trip-dropoff-constraints.in.json': ['answer', 'oebb'],
  'trip-international.in.json': ['foreign', 'db'],
  'trip-realtime.in.json': ['answer', 'bvg'],
  'vbb-departures.json': ['StationBoard', 'vbb'],
  'vbb-journeys.json': ['TripSearch', 'vbb'],
  'vsn-remarks.json': ['HimSearch', 'vsn'],
};

/** Counts; what is not named is not there. */
type Tally = Readonly<Record<string, number>>;

const expected: Readonly<Record<string, Tally>> = {
  'bvg-radar.json': { records: 8, trips: 8, calls: 32, vehicles: 8 },
  'canceled-departures.in.json': { records: 4, trips: 3, calls: 6, cancelledTrips: 1, skippedCalls: 2, alerts: 1 },
  'canceled-journey-with-path.in.json': {
    records: 1,
    trips: 1,
    calls: 3,
    cancelledTrips: 1,
    skippedCalls: 3,
    alerts: 5,
  },
  'db-arrivals.json': { records: 1, trips: 1, calls: 1 },
  'db-journey-additional-stopover.json': {
    records: 2,
    trips: 2,
    calls: 12,
    unplannedCalls: 2,
    changedPlatforms: 2,
    alerts: 1,
  },
  'db-journey-overnight-0.json': { records: 20, trips: 20, calls: 40 },
  'db-netz-remarks.json': { records: 30, alerts: 30 },
  'de-bvg-locmatch.in.json': { problems: 1 },
  'journey-bvg-load-messages.in.json': { records: 2, trips: 1, calls: 5, alerts: 1, problems: 2 },
  'journey-bvg-load-v172.in.json': { records: 2, trips: 2, calls: 10 },
  'journey-vsn-alternative-platform-data.in.json': { records: 2, trips: 1, calls: 2, alerts: 1 },
  'oebb-trip.json': { records: 3, trips: 1, calls: 13, changedPlatforms: 3, alerts: 2 },
  'trip-dropoff-constraints.in.json': { records: 2, trips: 1, calls: 11, alerts: 1 },
  'trip-realtime.in.json': { records: 2, trips: 1, calls: 22, alerts: 1 },
  'vbb-departures.json': { records: 13, trips: 12, calls: 12, alerts: 1 },
  'vbb-journeys.json': { records: 7, trips: 6, calls: 12, cancelledTrips: 1, skippedCalls: 2, alerts: 1 },
  'vsn-remarks.json': { records: 5, alerts: 5 },
};

/** A board or a leg has one event of a call, which may be the one that is cancelled. */
function stateOf({ state, cancelledEvent }: CallReport): string {
  return cancelledEvent ? `no ${cancelledEvent}` : state;
}

const profiles = new Map<string, HafasProfile>();

beforeAll(async () => {
  for (const [, name] of Object.values(files)) profiles.set(name, await loadHafasProfile(name, {}));
});

/** A recording as the endpoint returned it. */
async function readAnswer(name: string): Promise<Uint8Array> {
  const [kind] = files[name]!;
  const text = await readFile(`${folder}/${name}`, 'utf8');
  const answer =
    kind === 'answer' || kind === 'foreign' ? text : `{"svcResL":[{"meth":"${kind}","err":"OK","res":${text}}]}`;
  return new TextEncoder().encode(answer);
}

/** Parses it as if it had been fetched a minute after publication. */
async function readUpdate(name: string): Promise<SourceUpdate> {
  const profile = profiles.get(files[name]![1])!;
  const records = readHafasRecords(profile, readMgateAnswer(await readAnswer(name)));
  const about = { sourceId: 'vao', zone: profile.timezone };
  const { publishedAt } = normaliseHafas(records, { ...about, fetchedAt: 0 as Instant });
  return normaliseHafas(records, { ...about, fetchedAt: ((publishedAt ?? 0) + 60) as Instant });
}

const isChanged = ({ platform, scheduledPlatform }: CallReport) => platform !== null && platform !== scheduledPlatform;

function toTally({ recordCount, trips, vehicles, alerts, problems }: SourceUpdate): Tally {
  const calls = trips.flatMap((trip) => trip.calls);
  const count = (state: CallReport['state']) => calls.filter((call) => call.state === state).length;
  const counts = {
    records: recordCount,
    trips: trips.length,
    calls: calls.length,
    cancelledTrips: trips.filter(({ relationship }) => relationship === 'cancelled').length,
    skippedCalls: calls.filter((call) => stateOf(call).startsWith('no ') || call.state === 'skipped').length,
    unplannedCalls: count('unplanned'),
    changedPlatforms: calls.filter(isChanged).length,
    vehicles: vehicles.length,
    alerts: alerts.length,
    problems: problems.length,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, number]) => number > 0));
}

describe('recordings of HAFAS', () => {
  it('are all listed here', async () => {
    expect(await readdir(folder)).toEqual(Object.keys(files));
  });

  it.each(Object.keys(files).filter((name) => files[name]![0] !== 'foreign'))('%s is read', async (name) => {
    const update = await readUpdate(name);
    expect(toTally(update)).toEqual(expected[name]);
    expect(update.isFrozen).toBe(false);
  });

  it.each(Object.keys(files).filter((name) => files[name]![0] === 'foreign'))(
    '%s is rejected: not a HAFAS response',
    async (name) => {
      const bytes = await readAnswer(name);
      expect(() => readMgateAnswer(bytes)).toThrow(UnreadableAnswer);
      expect(() => readMgateAnswer(bytes)).toThrow(/is not a response of mgate/);
    },
  );

  it('have only the listed problems', async () => {
    const problems = [];
    for (const name of Object.keys(expected)) problems.push(...(await readUpdate(name)).problems);
    expect(problems.map(({ code, place }) => `${code} ${place}`)).toEqual([
      // Nothing that we ask for; a search for places.
      'unknown_method LocMatch',
      // Lists of which only the beginning was kept.
      'dangling_reference common.opL[1]',
      'dangling_reference common.icoL[8]',
    ]);
  });

  it('report no time as measured', async () => {
    for (const name of Object.keys(expected)) {
      const calls = (await readUpdate(name)).trips.flatMap((trip) => trip.calls);
      expect(calls.some(({ arrival, departure }) => arrival?.isMeasured || departure?.isMeasured)).toBe(false);
    }
  });
});

describe('what happened', () => {
  const clock = (time: Instant | null) => (time === null ? null : formatTimestamp(time, 'Europe/Berlin').slice(11, 16));

  it('to the trains during a storm: one cancelled, one late, one on time', async () => {
    const { trips } = await readUpdate('canceled-departures.in.json');
    const reported = trips.map(({ relationship, calls: [first] }) => [
      relationship,
      stateOf(first!),
      clock(first!.departure!.scheduledTime),
      clock(first!.departure!.time),
      first!.platform,
    ]);
    expect(reported).toEqual([
      ['cancelled', 'no departure', '20:18', null, null],
      ['scheduled', 'normal', '22:05', '22:19', '1'],
      ['scheduled', 'normal', '22:11', '22:11', '8 D-G'],
    ]);
  });

  it('to a cancelled leg of a connection', async () => {
    const { trips } = await readUpdate('vbb-journeys.json');
    const [cancelled] = trips.filter(({ relationship }) => relationship === 'cancelled');
    expect(cancelled!.calls.map(stateOf)).toEqual(['no departure', 'no arrival']);
  });

  it('to the platforms of a railjet', async () => {
    const [trip] = (await readUpdate('oebb-trip.json')).trips;
    expect(trip!.trip).toMatchObject({ lineLabel: 'RJ 742', product: 'train', startDate: '2020-06-11' });
    expect(
      trip!.calls
        .filter(isChanged)
        .map(({ stop, scheduledPlatform, platform }) => [stop!.name, scheduledPlatform, platform]),
    ).toEqual([
      ['Wien Hbf', '8A-B', '8A-C'],
      ['St.Valentin Bahnhof', '1A-F', '1A-G'],
      ['Salzburg Hbf', '4A-C', '6A-C'],
    ]);
  });

  it('to a train that stops where it was not planned to', async () => {
    const { trips } = await readUpdate('db-journey-additional-stopover.json');
    const added = trips.flatMap(({ calls }) => calls.filter(({ state }) => state === 'unplanned'));
    expect(added.map(({ platform, scheduledPlatform }) => [scheduledPlatform, platform])).toEqual([
      [null, '7a'],
      [null, '6'],
    ]);
  });

  it('on the map of a city: where the vehicles are heading', async () => {
    const { vehicles } = await readUpdate('bvg-radar.json');
    expect(vehicles.map(({ label, headingDeg }) => [label, headingDeg])).toEqual([
      ['M4', 45],
      ['S9', 315],
      ['U8', 146],
      ['U5', 248],
      ['U2', 68],
      ['M6', 34],
      ['M6', 326],
      ['M5', 225],
    ]);
  });
});
