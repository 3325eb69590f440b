import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Departure } from '../../api/contract/definitions.ts';
import type { SourceUpdate, TripReport } from '../../pipeline/model/realtime.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { createGtfsRtSource } from '../../pipeline/sources/gtfs-rt/gtfs-rt-source.ts';
import { askDepartures, openWorld } from '../support/board-world.ts';
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

/** What the messages say of departures from a stop: by trip, their own word or what follows from the call before. */
function listSaid(trips: readonly TripReport[], stopId: string): Map<string, number> {
  const said = new Map<string, number>();
  for (const { trip, calls, relationship } of trips) {
    if (relationship !== 'scheduled') continue;
    for (const { stop, departure, state } of calls) {
      if (stop?.id !== stopId || state !== 'normal' || !departure || departure.time === null) continue;
      said.set(`${trip.tripId} ${departure.time}`, departure.time);
    }
  }
  return said;
}

it('Kingston: 72 answers in a row match to the last trip, and boards say what the messages say', async () => {
  const world = await openWorld({ at: { location: realData('realtime/kingston/gtfs.zip') } }, { settings: CITY_SIZE });
  const live = await openLiveWorld(world);
  const answers = await readAnswers();
  expect(answers).toHaveLength(72);
  const unmatched: Record<string, number> = {};
  const matched: Record<string, number> = {};
  let sightings = 0;
  for (const { fetchedAt, update } of answers) {
    const applied = live.say('rt', iso(fetchedAt), update);
    for (const [code, count] of Object.entries(applied.tally.unmatched))
      unmatched[code] = (unmatched[code] ?? 0) + count;
    for (const [code, count] of Object.entries(applied.tally.matched)) matched[code] = (matched[code] ?? 0) + count;
    sightings += applied.sightings.length;
  }
  const last = answers.at(-1)!;
  const shown = live.at(iso(last.fetchedAt));

  // The stops with most to say.
  const counts = new Map<string, number>();
  for (const { calls } of last.update.trips) {
    for (const { stop } of calls) if (stop?.id) counts.set(stop.id, (counts.get(stop.id) ?? 0) + 1);
  }
  const busiest = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 20);
  let compared = 0;
  for (const [stopId] of busiest) {
    const asked = { time: iso(last.fetchedAt), durationMinutes: 120, limit: 200 };
    const before = await askDepartures({ ...shown, realtime: null }, `at:${stopId}`, asked);
    const after = await askDepartures(shown, `at:${stopId}`, asked);
    expect(before.departures.every(({ departure }) => !departure.isRealtime)).toBe(true);
    const said = new Set([...listSaid(last.update.trips, stopId).values()].filter((time) => time >= last.fetchedAt));
    const times = (rows: readonly Departure[]) =>
      new Set(
        rows
          .filter(({ departure }) => departure.isRealtime)
          .map(({ departure }) => Date.parse(departure.realtime!) / 1000),
      );
    const got = times(after.departures);
    for (const time of said)
      if (time < last.fetchedAt + 3600) expect([stopId, iso(time), got.has(time)]).toEqual([stopId, iso(time), true]);
    compared += said.size;
  }
  expect({ compared, matched, unmatched, sightings }).toEqual({});
});
