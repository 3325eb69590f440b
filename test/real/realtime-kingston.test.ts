import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Board } from '../../api/contract/definitions.ts';
import { listVehicles } from '../../api/engine/vehicles.ts';
import type { SourceUpdate, TripReport } from '../../pipeline/model/realtime.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { hashTrip } from '../../pipeline/snapshots/contract.ts';
import { createGtfsRtSource } from '../../pipeline/sources/gtfs-rt/gtfs-rt-source.ts';
import { askDepartures, openWorld, type World } from '../support/board-world.ts';
import { feedOfVehicles } from '../support/feed-of-vehicles.ts';
import { openLiveWorld } from '../support/live-world.ts';
import { realData } from '../support/real-data.ts';
import { readTarEntries } from '../support/tar.ts';

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

const iso = (moment: number) => new Date(moment * 1000).toISOString();

/** Departures from a stop by the word of a message: trip and time. */
function listSaid(trips: readonly TripReport[], stopId: string): { trip: string; time: number }[] {
  return trips.flatMap(({ trip, calls, relationship }) =>
    calls.flatMap(({ stop, departure, state }) => {
      const isSaid = relationship === 'scheduled' && stop?.id === stopId && state === 'normal';
      const time = departure?.time ?? null;
      return isSaid && time !== null ? { trip: String(hashTrip('at', trip.tripId!, -1)), time } : [];
    }),
  );
}

/** Departures of a board that are live: trip and time. */
function listShown({ references }: World, { departures }: Board): { trip: string; time: number }[] {
  return departures.flatMap(({ journeyRef, departure }) =>
    departure.isRealtime
      ? { trip: String(references.openJourney(journeyRef!)!.tripKey), time: Date.parse(departure.realtime!) / 1000 }
      : [],
  );
}

/** The stops that a message says most of. */
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

it('Kingston: 72 answers in a row match to the last trip, and boards say what the messages say', async () => {
  const world = await openWorld({ at: { location: realData('realtime/kingston/gtfs.zip') } }, { settings: CITY_SIZE });
  const live = await openLiveWorld(world);
  const answers = await readAnswers();
  expect(answers).toHaveLength(72);
  const unmatched: Record<string, number> = {};
  const matched: Record<string, number> = {};
  const problems: Record<string, number> = {};
  let sightings = 0;
  let ended = 0;
  for (const { fetchedAt, update } of answers) {
    const applied = live.say('rt', iso(fetchedAt), update);
    addCounts(matched, applied.tally.matched);
    addCounts(unmatched, applied.tally.unmatched);
    addCounts(problems, applied.tally.problems);
    sightings += applied.sightings.length;
    ended += applied.ended.length;
  }
  // Every trip that is not added is found by its id.
  expect({ matched, unmatched }).toEqual({ matched: { trip_id: 15_967, added: 1160 }, unmatched: {} });
  // Of added trips, calls that were never told with a time.
  expect(problems).toEqual({ call_without_time: 7 });
  // Of 785,433 events that were told, these were news.
  expect({ sightings, ended }).toEqual({ sightings: 156_915, ended: 319 });

  const { fetchedAt, update } = answers.at(-1)!;
  const shown = live.at(iso(fetchedAt));
  const asked = { time: iso(fetchedAt), durationMinutes: 120, limit: 200 };
  let compared = 0;
  for (const stopId of listBusiest(update.trips, 40)) {
    const before = await askDepartures({ ...shown, realtime: null }, `at:${stopId}`, asked);
    expect(listShown(shown, before)).toEqual([]);
    const board = listShown(shown, await askDepartures(shown, `at:${stopId}`, asked));
    const said = listSaid(update.trips, stopId).filter(
      // Who leaves in an hour was planned within two; who has left is not shown.
      ({ time }) => fetchedAt <= time && time < fetchedAt + 3600,
    );
    for (const departure of said) expect([stopId, board]).toEqual([stopId, expect.arrayContaining([departure])]);
    compared += said.length;
  }
  expect(compared).toBe(365);
});

it('King County: every vehicle is matched, and shown with its line and its journey', async () => {
  const source = createGtfsRtSource({ zone: 'America/Los_Angeles', vehiclePositions: 'https://king.example.org' });
  const bytes = await readFile(realData('realtime/king-county/vehicle-positions.pb'));
  const fetchedAt = 1_630_596_720 as Instant;
  const update = await source.parse(bytes, source.listRequests(fetchedAt)[0]!, fetchedAt);
  const live = await openLiveWorld(await openWorld({ at: feedOfVehicles(update.vehicles) }, { settings: CITY_SIZE }));
  const { tally, sightings } = live.say('rt', iso(fetchedAt), update);
  expect(tally).toMatchObject({ vehiclesMatched: 627, vehiclesUnmatched: 0, records: 627, problems: {} });
  // Five stand at a stop, and each of them has arrived there.
  expect(sightings.map(({ channel, event, evidence }) => `${channel} ${event} ${evidence}`)).toEqual(
    Array.from({ length: 5 }, () => 'positions arrival observed_actual'),
  );

  const { timetable, realtime, references } = live.at(iso(fetchedAt));
  const context = { published: { timetable, realtime }, references, moment: fetchedAt };
  const shown = listVehicles(context, { limit: 1000 });
  expect(shown).toHaveLength(627);
  const labels = new Map(update.vehicles.map(({ id, trip }) => [`rt:${id}`, trip?.routeId]));
  for (const { id, line, journeyRef, observedAt } of shown) {
    expect([id, line?.label, journeyRef !== null]).toEqual([id, labels.get(id), true]);
    expect(fetchedAt - observedAt).toBeLessThanOrEqual(480);
  }
});
