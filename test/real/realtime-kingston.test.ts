import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Board } from '../../api/contract/definitions.ts';
import { listVehicles } from '../../api/engine/vehicles/vehicles.ts';
import type { SourceUpdate, TripName, TripReport, VehicleReport } from '../../pipeline/model/realtime.ts';
import { type Instant, parseServiceDate } from '../../pipeline/model/service-time.ts';
import type { RealtimeTables } from '../../pipeline/snapshots/realtime-contract.ts';
import { hashTrip } from '../../pipeline/snapshots/timetable-lookups.ts';
import { createGtfsRtSource } from '../../pipeline/sources/gtfs-rt/gtfs-rt-source.ts';
import { readTarEntries } from '../support/checks/tar.ts';
import { openWorld, queryDepartures, type World } from '../support/worlds/board-world.ts';
import { feedOfVehicles } from '../support/worlds/feed-of-vehicles.ts';
import { mergeNothing } from '../support/worlds/ingest.ts';
import { tripOf, vehicleOf } from '../support/worlds/live-reports.ts';
import { openLiveWorld } from '../support/worlds/live-world.ts';
import { realData } from '../support/worlds/real-data.ts';

const CITY_SIZE = { memoryLimit: '2GB', threads: 2, maxEntryBytes: 1e9, maxTotalBytes: 1e9 };

const kingston = createGtfsRtSource({ zone: 'America/Toronto', tripUpdates: 'https://kingston.example.org' });

interface Recorded {
  readonly fetchedAt: Instant;
  readonly update: SourceUpdate;
}

async function readAnswers(): Promise<Recorded[]> {
  const archive = gunzipSync(await readFile(realData('realtime/kingston/trip-updates-2026-01-15.tar.gz')));
  const [request] = kingston.listRequests(0 as Instant);
  const answers: Recorded[] = [];
  for (const { name, bytes } of readTarEntries(archive)) {
    const fetchedAt = Number(/^tripupdates_capture_(\d+)_/.exec(name)![1]) as Instant;
    answers.push({ fetchedAt, update: await kingston.parse(bytes, request!, fetchedAt) });
  }
  return answers.sort((a, b) => a.fetchedAt - b.fetchedAt);
}

const iso = (instant: number) => new Date(instant * 1000).toISOString();

/** Departures from a stop according to a message: trip and time. */
function listReported(trips: readonly TripReport[], stopId: string): { trip: string; time: number }[] {
  return trips.flatMap(({ trip, calls, relationship }) =>
    calls.flatMap(({ stop, departure, state }) => {
      const isReported = relationship === 'scheduled' && stop?.id === stopId && state === 'normal';
      const time = departure?.time ?? null;
      return isReported && time !== null ? { trip: String(hashTrip('at', trip.tripId!, -1)), time } : [];
    }),
  );
}

/** Departures of a board with realtime: trip and time. */
function listShown({ references }: World, { departures }: Board): { trip: string; time: number }[] {
  return departures.flatMap(({ journeyRef, departure }) =>
    departure.isRealtime
      ? { trip: String(references.openJourney(journeyRef!)!.tripKey), time: Date.parse(departure.realtime!) / 1000 }
      : [],
  );
}

/** The stops with the most reports in a message. */
function listBusiest(trips: readonly TripReport[], count: number): string[] {
  const calls = new Map<string, number>();
  for (const { stop } of trips.flatMap((trip) => trip.calls)) {
    if (stop?.id) calls.set(stop.id, (calls.get(stop.id) ?? 0) + 1);
  }
  return [...calls]
    .sort((a, b) => b[1] - a[1])
    .map(([stopId]) => stopId)
    .slice(0, count);
}

function addCounts(sum: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [code, count] of Object.entries(counts)) sum[code] = (sum[code] ?? 0) + count;
}

it('Kingston: matches all trips of 72 consecutive responses, and boards show what they report', async () => {
  const world = await openWorld({ at: { location: realData('realtime/kingston/gtfs.zip') } }, { settings: CITY_SIZE });
  const live = await openLiveWorld(world);
  const answers = await readAnswers();
  expect(answers).toHaveLength(72);
  const unmatched: Record<string, number> = {};
  const matched: Record<string, number> = {};
  const problems: Record<string, number> = {};
  let observations = 0;
  let ended = 0;
  for (const { fetchedAt, update } of answers) {
    const applied = live.report('rt', iso(fetchedAt), update);
    addCounts(matched, applied.tally.matched);
    addCounts(unmatched, applied.tally.unmatched);
    addCounts(problems, applied.tally.problems);
    observations += applied.observations.length;
    ended += applied.ended.length;
  }
  // Every trip that is not added is found by its id.
  expect({ matched, unmatched }).toEqual({ matched: { trip_id: 15_967, added: 1160 }, unmatched: {} });
  // Calls of added trips that never had a time.
  expect(problems).toEqual({ call_without_time: 7 });
  // The new ones of 785,433 reported events.
  expect({ observations, ended }).toEqual({ observations: 156_915, ended: 319 });

  const { fetchedAt, update } = answers.at(-1)!;
  const shown = live.at(iso(fetchedAt));
  const requested = { time: iso(fetchedAt), durationMinutes: 120, limit: 200 };
  let compared = 0;
  for (const stopId of listBusiest(update.trips, 40)) {
    const before = await queryDepartures({ ...shown, realtime: null }, `at:${stopId}`, requested);
    expect(listShown(shown, before)).toEqual([]);
    const board = listShown(shown, await queryDepartures(shown, `at:${stopId}`, requested));
    const reported = listReported(update.trips, stopId).filter(
      // A departure in an hour is scheduled within two; past departures are not shown.
      ({ time }) => fetchedAt <= time && time < fetchedAt + 3600,
    );
    for (const departure of reported) expect([stopId, board]).toEqual([stopId, expect.arrayContaining([departure])]);
    compared += reported.length;
  }
  expect(compared).toBe(365);
});

/** The recorded positions, by time of publication: each names its trip by id and date alone. */
async function readPositions(): Promise<Map<Instant, VehicleReport[]>> {
  const [head, ...rows] = gunzipSync(await readFile(realData('realtime/kingston/vehicle-positions-2026-01-15.csv.gz')))
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.trim().split(','));
  const published = new Map<Instant, VehicleReport[]>();
  for (const row of rows) {
    const read = (name: string) => row[head!.indexOf(name)]!;
    const instant = Number(read('feed_timestamp')) as Instant;
    const vehicle = vehicleOf(read('vehicle_id'), {
      trip: tripOf(read('trip_id'), { startDate: parseServiceDate(read('trip_start_date')) }),
      lat: Number(read('lat')),
      lon: Number(read('lon')),
      recordedAt: Number(read('vehicle_timestamp')) as Instant,
    });
    published.set(instant, [...(published.get(instant) ?? []), vehicle]);
  }
  return published;
}

/** As if the timetable had been republished with other ids and call numbers, and realtime referred to the new one. */
function drift(name: TripName): TripName {
  return { ...name, tripId: `drifted ${name.tripId}` };
}

function driftAll(trips: readonly TripReport[]): TripReport[] {
  return trips.map((report) => {
    if (report.relationship === 'added') return report;
    const calls = report.calls.map((call) => ({ ...call, stopSequence: call.stopSequence! + 1000 }));
    return { ...report, trip: drift(report.trip), calls };
  });
}

/** The trips with their calls, and the trip of each vehicle, restricted to some trips. */
function describeLive({ timetable }: World, live: RealtimeTables, trips: ReadonlySet<string>): unknown[] {
  const { tables } = timetable;
  const callCount = (trip: number) => tables.patterns.callCount[tables.trips.pattern[trip]!]!;
  const nameOf = (trip: number) => (trip < 0 ? '' : tables.trips.tripId.get(trip));
  const { arrival, departure, flags } = live.calls;
  const calls = Array.from(live.trips.trip, (trip, row) => {
    const first = live.trips.firstCall[row]!;
    return [arrival, departure, flags].map((column) => column.subarray(first, first + callCount(trip)).join(' '));
  });
  return [
    ...Array.from(live.trips.trip, (trip, row) => [
      nameOf(trip),
      live.trips.day[row],
      live.trips.flags[row],
      calls[row],
    ]),
    ...Array.from(live.vehicles.trip, (trip, row) => [nameOf(trip), live.vehicles.day[row]]),
  ].filter(([trip]) => trips.has(trip as string));
}

it('Kingston: matches every trip and vehicle also with other trip ids and call numbers', async () => {
  const world = await openWorld({ at: { location: realData('realtime/kingston/gtfs.zip') } }, { settings: CITY_SIZE });
  const [own, drifted] = [await openLiveWorld(world), await openLiveWorld(world)];
  const [answers, positions] = [await readAnswers(), await readPositions()];
  const shown = new Set<string>();
  const ofTrips = { own: {}, drifted: {} };
  const ofVehicles = { own: {}, drifted: {} };
  for (const { fetchedAt, update } of answers) {
    const at = iso(fetchedAt);
    // Positions come first: their trips are only known from the next response.
    const vehicles = positions.get(update.publishedAt!) ?? [];
    const seen = [
      own.report('rt', at, { vehicles }, 'positions'),
      drifted.report('rt', at, { vehicles: vehicles.map((one) => ({ ...one, trip: drift(one.trip!) })) }, 'positions'),
    ] as const;
    const received = [
      own.report('rt', at, update),
      drifted.report('rt', at, { ...update, trips: driftAll(update.trips) }),
    ] as const;
    (['own', 'drifted'] as const).forEach((which, i) => {
      addCounts(ofTrips[which], { ...received[i]!.tally.matched, ...received[i]!.tally.unmatched });
      const { vehiclesMatched, vehiclesOnRouteOnly, vehiclesUnmatched } =
        received[i]!.revisited.find(({ part }) => part === 'positions')?.tally ?? seen[i]!.tally;
      addCounts(ofVehicles[which], { vehiclesMatched, vehiclesOnRouteOnly, vehiclesUnmatched });
    });
    // A trip without any reported call has nothing but its id.
    for (const { trip, calls } of update.trips) if (calls.length > 0) shown.add(trip.tripId!);
    const [expected, found] = [own, drifted].map(({ state }) => describeLive(world, state.build(fetchedAt), shown));
    expect(found).toEqual(expected);
  }
  expect(ofTrips).toEqual({
    own: { trip_id: 15_967, added: 1160 },
    // Seven reports of one trip have neither a call nor a direction.
    drifted: { route_start: 15_861, resolved_id: 99, unknown_trip: 7, added: 1160 },
  });
  // The others have no trip, or an added one.
  expect(ofVehicles).toEqual({
    own: { vehiclesMatched: 3373, vehiclesOnRouteOnly: 0, vehiclesUnmatched: 4687 },
    drifted: { vehiclesMatched: 3372, vehiclesOnRouteOnly: 0, vehiclesUnmatched: 4688 },
  });
});

it('King County: matches every vehicle, and shows it with its line and journey', async () => {
  const source = createGtfsRtSource({ zone: 'America/Los_Angeles', vehiclePositions: 'https://king.example.org' });
  const bytes = await readFile(realData('realtime/king-county/vehicle-positions.pb'));
  const fetchedAt = 1_630_596_720 as Instant;
  const update = await source.parse(bytes, source.listRequests(fetchedAt)[0]!, fetchedAt);
  // The calls of the trips are made up, the same for all.
  const settings = { ...CITY_SIZE, merging: mergeNothing };
  const live = await openLiveWorld(await openWorld({ at: feedOfVehicles(update.vehicles) }, { settings }));
  const { tally, observations } = live.report('rt', iso(fetchedAt), update);
  const counts = { vehiclesMatched: 627, vehiclesOnRouteOnly: 0, vehiclesUnmatched: 0 };
  expect(tally).toMatchObject({ ...counts, records: 627, problems: {} });
  // Five stand at a stop, and each of them has arrived there.
  expect(observations.map(({ channel, event, evidence }) => `${channel} ${event} ${evidence}`)).toEqual(
    Array.from({ length: 5 }, () => 'positions arrival observed_actual'),
  );

  const { timetable, realtime, references } = live.at(iso(fetchedAt));
  const context = { published: { timetable, realtime }, references, instant: fetchedAt };
  const shown = listVehicles(context, { limit: 1000 });
  expect(shown).toHaveLength(627);
  const labels = new Map(update.vehicles.map(({ id, trip }) => [`rt:${id}`, trip?.routeId]));
  for (const { id, line, journeyRef, observedAt } of shown) {
    expect([id, line?.label, journeyRef !== null]).toEqual([id, labels.get(id), true]);
    expect(fetchedAt - observedAt).toBeLessThanOrEqual(480);
  }
});

it('King County: matches no vehicle to a timetable with the same lines and other trips', async () => {
  const source = createGtfsRtSource({ zone: 'America/Los_Angeles', vehiclePositions: 'https://king.example.org' });
  const bytes = await readFile(realData('realtime/king-county/vehicle-positions.pb'));
  const fetchedAt = 1_630_596_720 as Instant;
  const update = await source.parse(bytes, source.listRequests(fetchedAt)[0]!, fetchedAt);
  const location = realData('realtime/king-county/kcm_gtfs.zip');
  const live = await openLiveWorld(await openWorld({ at: { location } }, { settings: CITY_SIZE }));
  const { tally } = live.report('rt', iso(fetchedAt), update);
  expect(tally).toMatchObject({ vehiclesMatched: 0, vehiclesOnRouteOnly: 583, vehiclesUnmatched: 44 });
});
