import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectPath } from '../../../pipeline/effects/project-files.ts';
import { UnreadableAnswer } from '../../../pipeline/model/problem.ts';
import type { SourceUpdate } from '../../../pipeline/model/realtime.ts';
import type { AppliedUpdate } from '../../../pipeline/realtime/state/apply-update.ts';
import type { FeedMessage } from '../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { encodeFeedMessage } from '../../../pipeline/sources/gtfs-rt/feed-schema.ts';
import { createGtfsRtSource } from '../../../pipeline/sources/gtfs-rt/gtfs-rt-source.ts';
import { createHafasSource } from '../../../pipeline/sources/hafas/create-hafas-source.ts';
import type { RealtimeSource } from '../../../pipeline/sources/realtime-source.ts';
import { createTriasSource } from '../../../pipeline/sources/trias/trias-source.ts';
import { createWienerLinienSource } from '../../../pipeline/sources/wiener-linien/wiener-linien-source.ts';
import { trials } from '../../support/checks/trials.ts';
import { instant, openWorld, queryDepartures, type World } from '../../support/worlds/board-world.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import {
  createRandom,
  DEEP,
  mutateBytes,
  mutateTree,
  mutateXml,
  type Random,
  writeSpoilt,
} from '../../support/worlds/mutate-message.ts';
import { everything } from '../sources/hafas/fixtures.ts';

/** Of line 99, which no message concerns: it must always be on every board. */
function toLaterCall(stop: string, i: number): string {
  const time = stop === 'kl' ? '17:30:00' : stop === 'we' ? '17:40:00' : `08:4${i}:00`;
  return `later,${stop},${i + 1},${time},${time}`;
}

/** A line for each format, on every day, as its fixture describes it. */
const feed = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehrsbetriebe,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  a,Anger,48.00,16.00
  b,Berg,48.00,16.01
  at:49:9001:0:1,Nordtor,48.10,16.10
  at:49:9002:0:1,Markt,48.10,16.11
  at:49:9003:0:1,Oper,48.10,16.12
  at:49:9004:0:2,Südtor,48.10,16.13
  at:45:7001:0:3,Bergheim Bahnhof,47.8402,13.0301
  at:45:7009:0:1,Golling-Abtenau,47.60,13.17
  at:49:9001:0:2,Musterplatz,48.208,16.371
  mh,Musterheim,48.22,16.40
  kl,Kleinreifling Bf,47.825,14.64
  we,Weyer Markt,47.858,14.66
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r,v,1,3
  t,v,5,0
  s,v,S3,2
  u,v,U1,1
  h,v,S 11,2
  q,v,99,3
  # trips.txt
  trip_id,route_id,service_id,direction_id,trip_headsign
  loop,r,daily,0,Berg
  tram,t,daily,0,Südtor
  rail,s,daily,0,Golling-Abtenau
  metro,u,daily,0,Musterheim
  train,h,daily,0,Weyer Markt
  later,q,daily,0,Weyer Markt
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  loop,a,1,08:00:00,08:00:00
  loop,b,2,08:05:00,08:05:00
  loop,a,3,08:10:00,08:10:00
  loop,b,4,08:15:00,08:15:00
  tram,at:49:9001:0:1,1,08:26:00,08:26:00
  tram,at:49:9002:0:1,2,08:31:00,08:31:00
  tram,at:49:9003:0:1,3,08:34:00,08:34:00
  tram,at:49:9004:0:2,4,08:39:00,08:39:00
  rail,at:45:7001:0:3,5,08:35:00,08:35:00
  rail,at:45:7009:0:1,6,08:55:00,08:55:00
  metro,at:49:9001:0:2,1,08:01:00,08:01:00
  metro,mh,2,08:11:00,08:11:00
  train,kl,4,16:57:00,16:58:00
  train,we,5,17:05:00,17:05:00
  ${['a', 'at:49:9001:0:2', 'at:49:9002:0:1', 'at:45:7001:0:3', 'kl', 'we'].map(toLaterCall).join('\n  ')}
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20250501,20261031
`;

/** A format: its source, a valid message, and how to mutate it. */
interface Subject {
  readonly source: RealtimeSource;
  readonly part: string;
  /** When it is fetched, and the stop of the requested board. */
  readonly at: string;
  readonly stop: string;
  readonly sound: Uint8Array;
  /** Several records for one trip are one report. */
  readonly isMerging: boolean;
  mutate(random: Random): Uint8Array;
}

const toBytes = (text: string) => new TextEncoder().encode(text);

function spoilText(text: string, spoil: (random: Random) => string): Pick<Subject, 'sound' | 'mutate'> {
  const sound = toBytes(text);
  return { sound, mutate: (random) => (random() < 0.3 ? mutateBytes(sound, random) : toBytes(spoil(random))) };
}

const spoilJson = (tree: object) => spoilText(JSON.stringify(tree), (random) => writeSpoilt(mutateTree(tree, random)));
const spoilXml = (text: string) => spoilText(text, (random) => mutateXml(text, random));

const MORNING = instant('2026-03-02T08:04:00+01:00');

const feedMessage = {
  header: { gtfsRealtimeVersion: '2.0', timestamp: MORNING },
  entity: [
    {
      id: '1',
      tripUpdate: {
        trip: { tripId: 'drifted', routeId: 'r', directionId: 0, startDate: '20260302', startTime: '08:00:00' },
        timestamp: MORNING - 5,
        vehicle: { id: 'v1', label: '1' },
        stopTimeUpdate: [
          { stopSequence: 2, stopId: 'b', arrival: { time: MORNING + 90, uncertainty: 0 }, departure: { delay: 60 } },
          { stopId: 'a', arrival: { delay: 120 } },
          { stopSequence: 4, stopId: 'b', scheduleRelationship: 'SKIPPED' },
        ],
      },
    },
    {
      id: '2',
      tripUpdate: {
        trip: { tripId: 'tram', startDate: '20260302', scheduleRelationship: 'DUPLICATED' },
        tripProperties: { startTime: '09:26:00' },
        stopTimeUpdate: [{ stopSequence: 1, departure: { delay: 60 } }],
      },
    },
    {
      id: '3',
      vehicle: {
        trip: { tripId: 'drifted', startDate: '20260302' },
        vehicle: { id: 'v1' },
        position: { latitude: 48, longitude: 16.01, bearing: 90 },
        stopId: 'b',
        currentStopSequence: 2,
        currentStatus: 'STOPPED_AT',
        timestamp: MORNING - 10,
      },
    },
    {
      id: '4',
      alert: {
        activePeriod: [{ start: MORNING - 3600, end: MORNING + 3600 }],
        informedEntity: [{ routeId: 'r', stopId: 'b' }, { trip: { tripId: 'drifted', startDate: '20260302' } }],
        headerText: { translation: [{ text: 'Gesperrt', language: 'de' }] },
        effect: 'DETOUR',
      },
    },
  ],
} as unknown as FeedMessage;

/** Members of a type that cannot be encoded are mutated in other ways. */
function spoilMessage(random: Random): Uint8Array {
  const sound = encodeFeedMessage(feedMessage);
  if (random() < 0.25) return mutateBytes(sound, random);
  try {
    return encodeFeedMessage(mutateTree(feedMessage, random));
  } catch {
    return mutateBytes(sound, random);
  }
}

async function openSubjects(): Promise<Record<string, Subject>> {
  const read = (file: string) => readFile(projectPath(`test/pipeline/${file}`), 'utf8');
  const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');
  const [url, requestorRef] = ['https://sample.example', null];
  const stops = ['x'];
  return {
    'GTFS-Realtime': {
      source: createGtfsRtSource({ zone: 'Europe/Vienna', tripUpdates: url }),
      part: 'trip-updates',
      isMerging: false,
      at: '2026-03-02T08:04:00+01:00',
      stop: 'at:a',
      sound: encodeFeedMessage(feedMessage),
      mutate: spoilMessage,
    },
    'Wiener Linien': {
      source: createWienerLinienSource({ baseUrl: url, stations: [60_209_001] }),
      part: 'monitor-1',
      isMerging: false,
      at: '2026-05-04T08:00:00+02:00',
      stop: 'at:at:49:9001:0:2',
      ...spoilJson(JSON.parse(await read('sources/wiener-linien/fixtures/monitor-good.json'))),
    },
    TRIAS: {
      source: createTriasSource({ kind: 'trias', url, requestorRef, stops }),
      part: 'stop-events-1',
      isMerging: false,
      at: '2026-03-16T07:30:00Z',
      stop: 'at:at:49:9002:0:1',
      ...spoilXml(await read('sources/trias/trias-good/input.xml')),
    },
    OJP: {
      source: createTriasSource({ kind: 'ojp', url, requestorRef, stops }),
      part: 'stop-events-1',
      isMerging: false,
      at: '2026-03-16T07:30:00Z',
      stop: 'at:at:45:7001:0:3',
      ...spoilXml(await read('sources/trias/ojp-good/input.xml')),
    },
    HAFAS: {
      source: await createHafasSource(
        { id: 'vao', profile: 'vao', endpoint: url, key: 'none', stops, dailyBudget: 5000 },
        md5,
      ),
      part: 'board-1',
      isMerging: true,
      at: '2025-05-20T17:00:30+02:00',
      stop: 'at:kl',
      ...spoilJson(everything),
    },
  };
}

const subjects = await openSubjects();
let world: World;
beforeAll(async () => {
  world = await openWorld(feed);
});

/** The update that the bytes are read as; null for an invalid response. Any other exception is a bug. */
async function readMessage({ source, part, at }: Subject, bytes: Uint8Array): Promise<SourceUpdate | null> {
  const fetchedAt = instant(at);
  const requests = source.listRequests(fetchedAt);
  try {
    return await source.parse(bytes, requests.find((request) => request.part === part) ?? requests[0]!, fetchedAt);
  } catch (error) {
    if (error instanceof UnreadableAnswer) return null;
    throw error;
  }
}

const sumOf = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, n) => sum + n, 0);

/** Everything that was read is counted once, and everything else is a problem. */
function expectCounted({ isMerging }: Subject, update: SourceUpdate, { tally }: AppliedUpdate): void {
  const { trips, vehicles, alerts, stationBoards, deletedIds, problems, recordCount } = update;
  expect(sumOf(tally.matched) + sumOf(tally.unmatched)).toBe(trips.length);
  const counted = [tally.vehiclesMatched, tally.vehiclesOnRouteOnly, tally.vehiclesUnmatched];
  expect(counted.reduce((sum, n) => sum + n)).toBe(vehicles.length);
  expect([tally.alerts, tally.records]).toEqual([alerts.length, recordCount]);
  for (const n of [...counted, ...Object.values(tally.matched), ...Object.values(tally.unmatched)]) {
    expect(n).toBeGreaterThanOrEqual(0);
  }
  // One record may be two reports, or one and a problem; none is nothing.
  const kept = trips.length + vehicles.length + alerts.length + stationBoards.length + deletedIds.length;
  if (!isMerging) expect(recordCount).toBeLessThanOrEqual(kept + problems.length);
  for (const { code, place } of problems)
    expect([code, place]).toEqual([expect.stringMatching(/^[a-z_]+$/), expect.any(String)]);
}

/** By format. */
const MUTANTS = trials(250);

describe.each(Object.keys(subjects))('%s: any mutated message', (format) => {
  const subject = subjects[format]!;
  // A source that has sent a valid message before: the mutant follows it.
  const open = async () => {
    const live = await openLiveWorld(world);
    const sound = await readMessage(subject, subject.sound);
    const applied = live.report('rt', subject.at, sound!);
    return { live, sound: sound!, applied };
  };

  it('is valid before mutation, and matches trips of the timetable', async () => {
    const { sound, applied } = await open();
    expectCounted(subject, sound, applied);
    expect(sound.isFrozen).toBe(false);
    const { added: _, ...planned } = applied.tally.matched;
    expect(sumOf(planned)).toBeGreaterThan(0);
  });

  it('gives records, problems or neither, and keeps the data behind boards', async () => {
    const { live } = await open();
    const time = new Date(instant(subject.at) * 1000).toISOString();
    const outcomes = { read: 0, unreadable: 0 };
    // The seed of a mutant is in the failure; that of a smaller number is not a smaller mutant.
    await fc.assert(
      fc.asyncProperty(fc.noShrink(fc.nat()), async (seed) => {
        const update = await readMessage(subject, subject.mutate(createRandom(seed)));
        outcomes[update === null ? 'unreadable' : 'read']++;
        if (update === null) return;
        expectCounted(subject, update, live.report('rt', subject.at, update));
        const board = await queryDepartures(live.at(time), subject.stop, { time });
        expect(board.departures.map(({ line }) => line.label)).toContain('99');
      }),
      { numRuns: MUTANTS },
    );
    expect(outcomes.read).toBeGreaterThan(MUTANTS / 4);
  });
});

it('HAFAS: a time nested too deeply for a text is a problem of the header', async () => {
  const subject = subjects.HAFAS!;
  const answer = structuredClone(everything);
  Object.assign(answer.svcResL[0]!.res!, { planrtTS: DEEP });
  const update = await readMessage(subject, toBytes(writeSpoilt(answer)));
  expect(update!.problems.map(({ code, detail }) => [code, detail])).toContainEqual([
    'bad_header',
    'planrtTS "object" is not a time',
  ]);
});
