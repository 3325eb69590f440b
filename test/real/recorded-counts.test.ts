import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { prognoses } from '../../pipeline/model/observation.ts';
import type { SourceUpdate } from '../../pipeline/model/realtime.ts';
import { type Instant, parseTimestamp } from '../../pipeline/model/service-time.ts';
import type { RealtimeTables } from '../../pipeline/snapshots/realtime-contract.ts';
import { createGtfsRtSource } from '../../pipeline/sources/gtfs-rt/gtfs-rt-source.ts';
import { createWienerLinienSource } from '../../pipeline/sources/wiener-linien/wiener-linien-source.ts';
import { readTarEntries } from '../support/checks/tar.ts';
import { openWorld, type World } from '../support/worlds/board-world.ts';
import { openLiveWorld } from '../support/worlds/live-world.ts';
import { realData } from '../support/worlds/real-data.ts';

// Numbers of refused, carried and merged reports in recordings. docs/realtime-sources.md has them beside the numbers
// before the rules; explain a change there.

const CITY_SIZE = { memoryLimit: '2GB', threads: 2, maxEntryBytes: 1e9, maxTotalBytes: 1e9 };

interface Answer {
  readonly fetchedAt: Instant;
  readonly update: SourceUpdate;
}

async function readKingston(): Promise<Answer[]> {
  const source = createGtfsRtSource({ zone: 'America/Toronto', tripUpdates: 'https://kingston.example.org' });
  const [request] = source.listRequests(0 as Instant);
  const archive = gunzipSync(await readFile(realData('realtime/kingston/trip-updates-2026-01-15.tar.gz')));
  const answers: Answer[] = [];
  for (const { name, bytes } of readTarEntries(archive)) {
    const fetchedAt = Number(/^tripupdates_capture_(\d+)_/.exec(name)![1]) as Instant;
    answers.push({ fetchedAt, update: await source.parse(bytes, request!, fetchedAt) });
  }
  return answers.sort((a, b) => a.fetchedAt - b.fetchedAt);
}

async function readVienna(): Promise<Answer[]> {
  const fetchedAt = parseTimestamp('2026-04-20T14:39:04+02:00')!;
  const source = createWienerLinienSource({ stations: [60201320] });
  const request = source.listRequests(fetchedAt).find(({ part }) => part === 'monitor-1')!;
  const bytes = await readFile(realData('upstream/wienerlinien/rolandzeiner_monitor_stephansplatz.json'));
  return [{ fetchedAt, update: await source.parse(bytes, request, fetchedAt) }];
}

type Counts = Record<string, number>;

function addTo(counts: Counts, name: string, count = 1): void {
  if (count > 0) counts[name] = (counts[name] ?? 0) + count;
}

/** Events with a time, by origin, and the number of times that are earlier than the previous one of the trip. */
function countEvents({ trips, calls }: RealtimeTables, { timetable: { tables } }: World): Counts {
  const counts: Counts = {};
  trips.firstCall.forEach((first, row) => {
    const callCount = tables.patterns.callCount[tables.trips.pattern[trips.trip[row]!]!]!;
    let last = 0;
    for (let call = first; call < first + callCount; call++) {
      for (const event of ['arrival', 'departure'] as const) {
        const time = calls[event][call]!;
        if (time === 0) continue;
        addTo(counts, prognoses[calls[`${event}Prognosis`][call]!]!);
        if (time < last) addTo(counts, 'falling');
        last = time;
      }
    }
  });
  return counts;
}

/** @returns what was refused in all answers by code, and the events of the state after the last one */
async function countLive(world: World, answers: readonly Answer[]) {
  const live = await openLiveWorld(world);
  const refused: Counts = {};
  for (const { fetchedAt, update } of answers) {
    const { tally } = live.report('rt', new Date(fetchedAt * 1000).toISOString(), update);
    for (const [code, count] of Object.entries(tally.problems)) addTo(refused, code, count);
  }
  const events = countEvents(live.state.build(answers.at(-1)!.fetchedAt), world);
  addTo(refused, 'falls_along_trip', live.state.countFalling('rt'));
  return { refused, events };
}

function countMerged({ timetable }: World) {
  const { stations, trips, derivedContinuations } = timetable.manifest.merges;
  const sum = (rules: typeof stations) => rules.reduce((total, { count }) => total + count, 0);
  return { stations: sum(stations), trips: sum(trips), continuations: derivedContinuations };
}

it.each([
  {
    ...{ name: 'Kingston', feed: 'realtime/kingston/gtfs.zip', read: readKingston },
    expected: {
      refused: { call_without_time: 7 },
      // 78 of the carried events belong to the next trips of late vehicles.
      events: { observed_actual: 293, forecast: 13_255, carried: 479 },
      merged: { stations: 206, trips: 0, continuations: 0 },
    },
  },
  {
    ...{ name: 'Vienna', feed: 'gtfs/vienna-ubahn.zip', read: readVienna },
    expected: {
      refused: {},
      events: { forecast: 45, carried: 1000 },
      // Night trips that the feed has twice: after 24:00 of one service date, and after 00:00 of the next.
      merged: { stations: 0, trips: 227, continuations: 0 },
    },
  },
])('$name: counts refused, carried and merged reports', async ({ feed, read, expected }) => {
  const world = await openWorld({ at: { location: realData(feed) } }, { settings: CITY_SIZE });
  const counted = { ...(await countLive(world, await read())), merged: countMerged(world) };
  expect(counted).toEqual(expected);
});
