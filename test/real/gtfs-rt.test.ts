import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ReportedTime, SourceUpdate, TripReport } from '../../pipeline/model/realtime.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { decodeFeedMessage } from '../../pipeline/sources/gtfs-rt/decode-feed-message.ts';
import { encodeFeedMessage } from '../../pipeline/sources/gtfs-rt/feed-schema.ts';
import { createGtfsRtSource } from '../../pipeline/sources/gtfs-rt/gtfs-rt-source.ts';
import { readTarEntries, type TarEntry } from '../support/checks/tar.ts';
import { realData } from '../support/worlds/real-data.ts';

// All numbers were also counted by a reader that parses the wire format without the schema.

const kingston = createGtfsRtSource({ zone: 'America/Toronto', tripUpdates: 'https://kingston.example.org' });
const kingCounty = createGtfsRtSource({ zone: 'America/Los_Angeles', vehiclePositions: 'https://king.example.org' });

async function readSnapshots(): Promise<TarEntry[]> {
  return readTarEntries(gunzipSync(await readFile(realData('realtime/kingston/trip-updates-2026-01-15.tar.gz'))));
}

/** Fetch time of a snapshot, from its name. */
function fetchedAt({ name }: TarEntry): Instant {
  return Number(/^tripupdates_capture_(\d+)_/.exec(name)![1]) as Instant;
}

interface Counts {
  readonly records: number;
  readonly added: number;
  readonly calls: number;
  readonly skipped: number;
  readonly events: number;
  /** Past, with uncertainty 0. */
  readonly observed: number;
  readonly problems: number;
}

function countUpdate({ trips, recordCount, problems }: SourceUpdate, now: Instant): Counts {
  expect(trips).toHaveLength(recordCount);
  const calls = trips.flatMap((trip) => trip.calls);
  const events = calls.flatMap(({ arrival, departure }) => [arrival, departure]).filter((event) => event !== null);
  const isObserved = ({ time, isMeasured }: ReportedTime) => isMeasured && time !== null && time <= now;
  return {
    records: recordCount,
    added: trips.filter(({ relationship }) => relationship === 'added').length,
    calls: calls.length,
    skipped: calls.filter(({ state }) => state === 'skipped').length,
    events: events.length,
    observed: events.filter(isObserved).length,
    problems: problems.length,
  };
}

function addCounts(sum: Counts, counts: Counts): Counts {
  const keys = Object.keys(sum) as (keyof Counts)[];
  return Object.fromEntries(keys.map((key) => [key, sum[key] + counts[key]])) as unknown as Counts;
}

const isWellNamed = ({ trip }: TripReport) =>
  trip.tripId !== null && trip.routeId !== null && trip.startDate === '2026-01-15' && trip.startTime !== null;

describe('the 72 snapshots of Kingston', () => {
  it('are read', async () => {
    const snapshots = await readSnapshots();
    expect(snapshots).toHaveLength(72);
    const [request] = kingston.listRequests(0 as Instant);
    const counts: Counts[] = [];
    for (const snapshot of snapshots) {
      const now = fetchedAt(snapshot);
      const update = await kingston.parse(snapshot.bytes, request!, now);
      expect(update).toMatchObject({ isFrozen: false, scope: 'all', vehicles: [], alerts: [], deletedIds: [] });
      expect(Math.abs(update.publishedAt! - now)).toBeLessThan(15);
      expect(update.trips.every(isWellNamed)).toBe(true);
      counts.push(countUpdate(update, now));
    }
    const first = { records: 229, added: 20, calls: 5645, skipped: 15, events: 10_879, observed: 31, problems: 0 };
    const last = { records: 264, added: 4, calls: 6120, skipped: 25, events: 11_769, observed: 25, problems: 0 };
    expect([counts[0], counts.at(-1)]).toEqual([first, last]);
    expect(counts.reduce(addCounts)).toEqual({
      records: 17_127,
      added: 1160,
      calls: 408_075,
      skipped: 1196,
      events: 785_433,
      observed: 1616,
      problems: 0,
    });
  });

  it('round-trip to the same bytes', async () => {
    for (const { name, bytes } of await readSnapshots()) {
      const written = encodeFeedMessage(decodeFeedMessage(bytes));
      expect([name, Buffer.compare(written, bytes)]).toEqual([name, 0]);
    }
  });
});

describe('the vehicle positions of King County', () => {
  it('are read completely', async () => {
    const bytes = await readFile(realData('realtime/king-county/vehicle-positions.pb'));
    const now = 1_630_596_720 as Instant;
    const { vehicles, ...update } = await kingCounty.parse(bytes, kingCounty.listRequests(now)[0]!, now);
    expect(update).toMatchObject({ publishedAt: 1_630_596_716, isFrozen: false, recordCount: 627, problems: [] });
    expect(vehicles).toHaveLength(627);
    expect(new Set(vehicles.map(({ id }) => id)).size).toBe(627);
    const withTrip = vehicles.filter(({ trip }) => trip?.tripId && trip.startDate === '2021-09-02');
    expect(withTrip).toHaveLength(627);
    const ofStatus = (status: string) => vehicles.filter(({ stopStatus }) => stopStatus === status).length;
    expect(['inTransitTo', 'stoppedAt', 'incomingAt'].map(ofStatus)).toEqual([621, 5, 1]);
    expect(vehicles.filter(({ headingDeg }) => headingDeg !== null)).toHaveLength(8);
    expect(vehicles.every(({ lat, lon }) => lat > 47 && lat < 48.2 && lon > -123 && lon < -121.5)).toBe(true);
    const ages = vehicles.map(({ recordedAt }) => update.publishedAt! - recordedAt!);
    expect([Math.min(...ages), Math.max(...ages)]).toEqual([16, 330]);
    expect(encodeFeedMessage(decodeFeedMessage(bytes))).toHaveLength(bytes.length);
  });
});
