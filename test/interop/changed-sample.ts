import path from 'node:path';
import { nowInstant, systemClock } from '../../pipeline/effects/clock.ts';
import { localDate } from '../../pipeline/model/service-time.ts';
import { readSampleLookups } from '../../pipeline/sample/feed/read-sample-lookups.ts';
import { buildSampleFeed } from '../../pipeline/sample/feed/sample-feed.ts';
import { writeSampleZip } from '../../pipeline/sample/feed/write-sample-zip.ts';
import { SAMPLE_ZONE } from '../../pipeline/sample/simulator/service-day.ts';
import { findCurrentTimetableId } from '../../pipeline/snapshots/timetable-files.ts';
import { runCli } from './run-cli.ts';

/** Part of the name of every operator in the sample. */
export const SAMPLE_NAME = 'made-up sample';
/** Its replacement in the changed sample, whose trips and ids are the same. */
export const CHANGED_NAME = 'made-up changed sample';

/**
 * Runs the ingest job on the sample with changed operator names, in a data folder that is in use.
 * @returns id of the timetable snapshot
 */
export async function ingestChangedSample(dataDir: string): Promise<string> {
  const today = localDate(nowInstant(systemClock), SAMPLE_ZONE);
  const feed = new Map(buildSampleFeed({ today }, await readSampleLookups()));
  feed.set('agency.txt', feed.get('agency.txt')!.replaceAll(SAMPLE_NAME, CHANGED_NAME));
  const file = path.join(dataDir, 'changed-sample.zip');
  await writeSampleZip(feed, file);
  await runCli(dataDir, {}, 'run', 'ingest-timetable', '--gtfs', `sample=${file}`);
  return (await findCurrentTimetableId(dataDir))!;
}
