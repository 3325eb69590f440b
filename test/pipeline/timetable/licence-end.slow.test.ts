import { expect, it } from 'vitest';
import { holdTimetable } from '../../../api/hold-published.ts';
import { readServiceFacts } from '../../../jobs/monitoring/service-facts.ts';
import type { SourceConfig } from '../../../pipeline/config/source-config.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { type IngestSource, ingestTimetable } from '../../../pipeline/timetable/ingest-timetable.ts';
import { testConfig } from '../../jobs/fake-world.ts';
import {
  offlineHttp,
  readPublished,
  silentLog,
  soundFeed,
  temporaryFolder,
  testSettings,
} from '../../support/worlds/ingest.ts';
import { withFiles, writeFeedZip } from '../../support/worlds/text-feed.ts';

const HEADER = 'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date';

/** Ingests the sound feed as two sources: `verbund` may be served until its last day only, `stadt` has no such licence. */
async function openCountry({ ids = ['verbund', 'stadt'], feedInfo = '' } = {}) {
  const dataDir = await temporaryFolder();
  const clock = fixedClock('2026-12-01T12:00:00Z');
  const sources: IngestSource[] = [];
  for (const id of ids) {
    const location = `${dataDir}/${id}.zip`;
    const calendar = `${HEADER}\ndaily,1,1,1,1,1,1,1,20261101,${id === 'verbund' ? '20261212' : '20270131'}\n`;
    const more = id === 'verbund' && feedInfo !== '' ? { 'feed_info.txt': feedInfo } : {};
    await writeFeedZip(withFiles(soundFeed, { 'calendar.txt': calendar, ...more }), location);
    sources.push({ id: toSourceId(id), location, stopAfterValidity: id === 'verbund' });
  }
  const ingest = (now: string) => {
    clock.set(now);
    const request = { sources, dataDir, settings: testSettings, isDryRun: false, isForced: false };
    return ingestTimetable(request, { clock, http: offlineHttp, log: silentLog });
  };
  return { dataDir, clock, ingest };
}

it('a source leaves the timetable on the day after its last, and the others stay', async () => {
  const { dataDir, clock, ingest } = await openCountry();
  expect((await ingest('2026-12-12T22:00:00Z')).feeds.map(({ failure }) => failure)).toEqual([undefined, undefined]);
  expect((await readPublished(dataDir)).trips).toHaveLength(4);
  const { feeds } = await ingest('2026-12-12T23:30:00Z');
  expect(feeds[0]).toMatchObject({
    failureCode: 'licence_ended',
    failure: 'its validity ended on 2026-12-12, and its licence forbids serving it any longer',
  });
  expect(feeds[1]!.failure).toBeUndefined();
  const { trips } = await readPublished(dataDir);
  expect(trips).toHaveLength(2);
  expect(trips.join()).not.toContain('verbund');
  // It is still a fact of the alerts that its licence has ended.
  const config = {
    ...(await testConfig(dataDir)),
    sources: ['verbund', 'stadt'].map((id) => ({ id, stopAfterValidity: id === 'verbund' }) as SourceConfig),
  };
  const facts = await readServiceFacts({ config, jobs: [], isScheduling: false, clock });
  expect(facts.timetable!.find(({ source }) => source === 'verbund')).toMatchObject({
    endDate: '2026-12-12',
    remainingSeconds: -1800,
    stopAfterValidity: true,
  });
});

it('a source is not served beyond the end in its feed_info, although trips run later', async () => {
  const columns = 'feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date';
  const { ingest } = await openCountry({ feedInfo: `${columns}\nVerbund,https://x.example,de,20261101,20261205\n` });
  const { feeds } = await ingest('2026-12-01T12:00:00Z');
  expect(feeds[0]!.versions).toMatchObject([{ until: '2026-12-05' }]);
  expect((await ingest('2026-12-06T12:00:00Z')).feeds[0]).toMatchObject({ failureCode: 'licence_ended' });
});

it('the api serves nothing once every source has ended, also if no job runs', async () => {
  const { dataDir, clock, ingest } = await openCountry({ ids: ['verbund'] });
  await ingest('2026-12-01T12:00:00Z');
  const config = (stopAfterValidity: boolean) => ({
    dataDir,
    sources: [{ id: 'verbund', attribution: null, licence: null, stopAfterValidity }],
  });
  const effects = { log: silentLog, clock };
  const [stopping, lasting] = await Promise.all([true, false].map((one) => holdTimetable(config(one), effects)));
  const isServed = () => [stopping, lasting].map((one) => one!.timetables.current() !== null);
  clock.set('2026-12-12T22:59:59Z');
  expect(isServed()).toEqual([true, true]);
  clock.set('2026-12-12T23:00:00Z');
  expect(isServed()).toEqual([false, true]);
  await Promise.all([stopping!.timetables.close(), lasting!.timetables.close()]);
});
