import path from 'node:path';
import { expect, it } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { ingestTimetable } from '../../../pipeline/timetable/ingest-timetable.ts';
import { countIngest } from '../../bench/austria-bench.ts';
import { compareCounts, expectCounts } from '../../bench/austria-counts.ts';
import { listAustrianFiles, makeAustria } from '../../bench/austria-feed.ts';
import { writeZip } from '../../bench/made-up-feed.ts';
import { offlineHttp, silentLog, temporaryFolder, testSettings } from '../../support/worlds/ingest.ts';

const SHARE = 0.02;

it('counts every repair and every merged station and train of a small Austria as the generator put them in', async () => {
  const dataDir = await temporaryFolder();
  const feeds = makeAustria(SHARE);
  const sources = [];
  for (const [number, feed] of feeds.entries()) {
    const { id, repairs } = feed.plan;
    const location = path.join(dataDir, `${id}.zip`);
    await writeZip(listAustrianFiles(feed, number), location);
    sources.push({ id: toSourceId(id), location, repairs });
  }
  const outcome = await ingestTimetable(
    { sources, dataDir, settings: testSettings, isDryRun: false, isForced: false },
    { clock: fixedClock('2026-03-11T06:30:00Z'), http: offlineHttp, log: silentLog },
  );
  const expected = expectCounts(feeds);
  expect(compareCounts(expected, await countIngest(outcome, dataDir))).toEqual([]);
  // None of what the country is for is missing from it.
  expect(expected['kaernten: stop_times duplicate_row']).toBeGreaterThan(30_000);
  for (const rule of ['stations by global_id', 'stations by name', 'trips by number', 'trips by line']) {
    expect(expected[`merged ${rule}`]).toBeGreaterThan(0);
  }
});
