import { describe, expect, it } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { fetchHttp } from '../../../pipeline/effects/http.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { type IngestOutcome, ingestTimetable } from '../../../pipeline/timetable/ingest-timetable.ts';
import { type FakeMvo, startFakeMvo } from '../../support/fakes/mvo-platform.ts';
import { readPublished, silentLog, soundFeed, temporaryFolder, testSettings } from '../../support/worlds/ingest.ts';
import { packFeed, withFiles } from '../../support/worlds/text-feed.ts';

const RAIL = 66;

/** The sound feed, running on every day between two dates. */
async function feedOf(from: string, until: string): Promise<Uint8Array> {
  const [first, last] = [from, until].map((date) => date.replaceAll('-', ''));
  const header = 'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date';
  return packFeed(withFiles(soundFeed, { 'calendar.txt': `${header}\ndaily,1,1,1,1,1,1,1,${first},${last}\n` }));
}

const of2026 = await feedOf('2025-12-14', '2026-12-12');
const of2027 = await feedOf('2026-12-13', '2027-12-11');

/** A platform with the railway of 2026, and a way to ingest it at a time. */
async function openRailway() {
  const fake = await startFakeMvo();
  fake.dataSets.set(RAIL, { name: 'Timetable Data Railway (GTFS)', files: new Map([[2026, of2026]]) });
  fake.accepted.add(RAIL);
  const dataDir = await temporaryFolder();
  const clock = fixedClock('2026-11-01T03:00:00Z');
  fake.now = () => clock.nowMilliseconds();
  const ingest = async (
    dataSets: Readonly<Record<string, number>> = { rail: RAIL },
    settings: Partial<typeof testSettings> = {},
  ): Promise<IngestOutcome> => {
    const sources = Object.entries(dataSets).map(([id, dataSet]) => ({ id: toSourceId(id), location: 'mvo', dataSet }));
    const request = { sources, dataDir, mvo: fake.settings, isDryRun: false, isForced: false };
    const effects = { clock, http: fetchHttp, log: silentLog };
    return ingestTimetable({ ...request, settings: { ...testSettings, ...settings } }, effects);
  };
  return { fake, clock, dataDir, ingest };
}

describe('a data set', () => {
  it('is fetched with a token, and only once while it is unchanged', async () => {
    const { fake, ingest, dataDir } = await openRailway();
    const first = await ingest();
    expect(first.feeds[0]).toMatchObject({ sourceId: 'rail', isUnchanged: false });
    expect((await readPublished(dataDir)).trips).toHaveLength(2);
    expect((await ingest()).isUnchanged).toBe(true);
    expect(fake.requests).toEqual([
      'GET /api/data-sets',
      'POST /token',
      'GET /api/data-sets/66/2026/file',
      'GET /api/data-sets',
      'POST /token',
      'GET /api/data-sets/66/2026/file 304',
    ]);
  });

  it('shares list and token with the other data sets of a run', async () => {
    const { fake, ingest } = await openRailway();
    fake.dataSets.set(57, { name: 'Timetable Data Tyrol (GTFS)', files: new Map([[2026, of2026]]) });
    fake.accepted.add(57);
    await ingest({ rail: RAIL, tirol: 57 });
    expect(fake.requests.filter((request) => !request.endsWith('/file'))).toEqual([
      'GET /api/data-sets',
      'POST /token',
    ]);
  });

  it('is found among the active versions where the list lacks them', async () => {
    const { fake, ingest } = await openRailway();
    fake.dataSets.get(RAIL)!.isMissingInList = true;
    expect((await ingest()).feeds[0]).toMatchObject({ isUnchanged: false });
    expect(fake.requests).toContain('GET /api/data-sets/66/versions/active');
  });

  it('is requested with a new token when the first expires between two files', async () => {
    const { fake, clock, ingest } = await openRailway();
    fake.dataSets.set(57, { name: 'Timetable Data Tyrol (GTFS)', files: new Map([[2026, of2026]]) });
    fake.accepted.add(57);
    fake.halfway = () => {
      clock.set('2026-11-01T04:00:00Z');
      return 'continue';
    };
    const { feeds } = await ingest({ rail: RAIL, tirol: 57 });
    expect(feeds.map(({ failure }) => failure)).toEqual([undefined, undefined]);
    expect(fake.requests.filter((request) => request === 'POST /token')).toHaveLength(2);
  });

  it('is requested with a new token when the platform refuses the first before it expires', async () => {
    const { fake, clock, ingest } = await openRailway();
    // The clock of the platform is an hour ahead when it judges the first token.
    const ahead = [3600_000, 0];
    fake.now = () => clock.nowMilliseconds() + (fake.requests.at(-1)!.endsWith('/file') ? (ahead.shift() ?? 0) : 0);
    expect((await ingest()).feeds[0]!.failure).toBeUndefined();
    expect(fake.requests.slice(1)).toEqual([
      'POST /token',
      'GET /api/data-sets/66/2026/file',
      'POST /token',
      'GET /api/data-sets/66/2026/file',
    ]);
  });

  it('is transferred again when its token expires halfway and the platform ends the transfer', async () => {
    const { fake, clock, ingest } = await openRailway();
    let cuts = 0;
    fake.halfway = () => {
      clock.set('2026-11-01T04:00:00Z');
      return cuts++ === 0 ? 'end' : 'continue';
    };
    expect((await ingest()).feeds[0]).toMatchObject({ isUnchanged: false });
    expect(fake.requests.filter((request) => request.endsWith('/file'))).toHaveLength(2);
  });
});

const faults: readonly [
  fault: string,
  damage: (fake: FakeMvo) => void,
  code: string,
  sentence: RegExp,
  settings?: Partial<typeof testSettings>,
][] = [
  [
    'a wrong password',
    (fake) => {
      fake.password = 'changed';
    },
    'mvo_login_refused',
    /^the MVO platform refuses user or password \(401\); check mvo.user and mvo.password$/,
  ],
  [
    'an account that has not accepted the terms',
    (fake) => fake.accepted.clear(),
    'mvo_terms_not_accepted',
    /denies the account data set 66 "Timetable Data Railway \(GTFS\)"; .* accept its terms of use \(https:/,
  ],
  [
    'a data set with a new number',
    ({ dataSets }) => {
      dataSets.set(90, dataSets.get(RAIL)!);
      dataSets.delete(RAIL);
    },
    'mvo_data_set_unknown',
    /has no data set 66: it has 90 "Timetable Data Railway \(GTFS\)"; correct dataSet of this source$/,
  ],
  [
    'a data set that is withdrawn',
    ({ dataSets }) => {
      dataSets.get(RAIL)!.isActive = false;
    },
    'mvo_no_active_version',
    /^data set 66 "Timetable Data Railway \(GTFS\)" of the MVO platform has no active version/,
  ],
  [
    'half a download',
    (fake) => {
      fake.dataSets.get(RAIL)!.files.set(2026, of2027);
      fake.halfway = () => 'end';
    },
    'http_cut_off',
    /file stopped sending before the end$/,
  ],
  [
    'a file other than a zip',
    ({ dataSets }) => dataSets.get(RAIL)!.files.set(2026, Buffer.from('<html>maintenance</html>')),
    'feed_not_a_zip',
    /^the feed is not a readable zip archive/,
  ],
  [
    'a feed twice as large as allowed',
    ({ dataSets }) => dataSets.get(RAIL)!.files.set(2026, Buffer.concat([of2026, of2026])),
    'http_too_large',
    /sent more than \d+ bytes$/,
    { maxDownloadBytes: of2026.length },
  ],
  [
    'a platform without any data set',
    ({ dataSets }) => dataSets.clear(),
    'mvo_data_set_unknown',
    /has no data set 66: it lists no GTFS data set/,
  ],
];

describe('the last good version stays with', () => {
  it.each(faults)('%s', async (_fault, damage, code, sentence, settings) => {
    const { fake, dataDir, ingest } = await openRailway();
    const { snapshotId } = await ingest();
    damage(fake);
    const outcome = await ingest({ rail: RAIL }, settings);
    expect(outcome.feeds[0]).toMatchObject({ failureCode: code, failure: expect.stringMatching(sentence) });
    expect(JSON.stringify(outcome)).not.toMatch(/me@example|secret-word|token-\d/);
    expect(outcome.snapshotId).toBe(snapshotId);
    expect((await readPublished(dataDir)).trips).toHaveLength(2);
  });

  it('a plain edition beside its Flex edition, of which only the plain one is refused', async () => {
    const { fake, ingest } = await openRailway();
    fake.dataSets.set(52, { name: 'Timetable Data PTA Carinthia (GTFS)', files: new Map([[2026, of2026]]) });
    fake.dataSets.set(78, { name: 'Timetable Data PTA Carinthia Flex (GTFS)', files: new Map([[2026, of2026]]) });
    fake.accepted.add(52).add(78);
    const { feeds } = await ingest({ plain: 52, flex: 78 });
    expect(feeds.map(({ failureCode }) => failureCode)).toEqual(['mvo_flex_twin', undefined]);
    expect(feeds[0]!.failure).toContain(
      'is contained in its Flex edition 78 "Timetable Data PTA Carinthia Flex (GTFS)"',
    );
  });
});

describe('at the change of timetable years', () => {
  /** Days that the published snapshot serves, per version. */
  const daysOf = ({ feeds }: IngestOutcome) =>
    feeds[0]!.versions.map(
      ({ from, until, isInForce }) => `${from ?? ''}..${until ?? ''}${isInForce ? ' in force' : ''}`,
    );

  it('serves both years in advance, and still takes up updates of the one in force', async () => {
    const { fake, clock, ingest } = await openRailway();
    await ingest();
    fake.dataSets.get(RAIL)!.files.set(2027, of2027);
    clock.set('2026-11-20T03:00:00Z');
    expect(daysOf(await ingest())).toEqual(['..2026-12-12 in force', '2026-12-13..']);
    const updated = await feedOf('2025-12-15', '2026-12-12');
    fake.dataSets.get(RAIL)!.files.set(2026, updated);
    const after = await ingest();
    expect(after.feeds[0]!.failure).toBeUndefined();
    expect(daysOf(after)).toEqual(['..2026-12-12 in force', '2026-12-13..']);
    expect((await ingest()).isUnchanged).toBe(true);
    // The last trips end in the evening; from the next morning the new year alone is fetched.
    clock.set('2026-12-13T03:00:00Z');
    expect(daysOf(await ingest()).at(-1)).toBe('.. in force');
    expect(fake.requests.at(-1)).toBe('GET /api/data-sets/66/2027/file');
  });

  it("fails while yesterday's file is served under the new address, and takes the next one", async () => {
    const { fake, clock, dataDir, ingest } = await openRailway();
    await ingest();
    fake.dataSets.get(RAIL)!.files.clear();
    fake.dataSets.get(RAIL)!.files.set(2027, of2026);
    clock.set('2026-12-13T03:00:00Z');
    const [stale] = (await ingest()).feeds;
    expect(stale).toMatchObject({ failureCode: 'mvo_outdated' });
    expect(stale!.failure).toBe(
      'the newest file of data set 66 ends on 2026-12-12, before today (2026-12-13); the MVO platform has not published the new timetable year yet',
    );
    expect((await readPublished(dataDir)).trips).toHaveLength(2);
    fake.dataSets.get(RAIL)!.files.set(2027, of2027);
    clock.set('2026-12-13T09:00:00Z');
    expect(daysOf(await ingest()).at(-1)).toMatch(/in force$/);
  });
});
