import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../pipeline/effects/clock.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import type { Feed, Job, JobContext, JobOutcome } from '../job/job.ts';
import { SAMPLE } from '../job/resources.ts';

/** Writes the fictitious country, valid around today, as a GTFS zip. */
export function generateSampleJob(write = writeSample): Job {
  return {
    name: 'generate-sample',
    summary: 'Writes the fictional feed "mini-Austria" as a GTFS zip.',
    accepts: ['date'],
    timeoutMinutes: 30,
    listWritten: async () => [SAMPLE],
    run: async (context) => {
      if (context.options.isDryRun) return describeDue(context);
      const { location } = await generateSample(context, write);
      const { size: bytesWritten } = await stat(location);
      return { status: 'done', summary: `wrote ${location}`, details: { file: location }, counts: { bytesWritten } };
    },
  };
}

function describeDue({ config }: JobContext): JobOutcome {
  const file = sampleFile(config.dataDir);
  return { status: 'done', summary: `would write ${file}`, due: [{ what: file, reason: 'written by every run' }] };
}

function sampleFile(dataDir: string): string {
  return path.join(dataDir, 'sample', 'mini-austria.zip');
}

/** @returns the feed, ready to be ingested */
export async function generateSample({ config, effects, options }: JobContext, write = writeSample): Promise<Feed> {
  const location = sampleFile(config.dataDir);
  await write(location, options.date ?? todayIn(effects.clock));
  return { id: toSourceId('sample'), location, headers: {} };
}

/** Writes the zip of the sample feed as of a day. */
export async function writeSample(file: string, today: ServiceDate): Promise<void> {
  const { buildSampleFeed } = await import('../../pipeline/sample/feed/sample-feed.ts');
  const { readSampleLookups } = await import('../../pipeline/sample/feed/read-sample-lookups.ts');
  const { writeSampleZip } = await import('../../pipeline/sample/feed/write-sample-zip.ts');
  await writeSampleZip(buildSampleFeed({ today }, await readSampleLookups()), file);
}

/** The calendar day in UTC: close enough for a feed that is valid for a year. */
function todayIn(clock: Clock): ServiceDate {
  return new Date(clock.nowMilliseconds()).toISOString().slice(0, 10) as ServiceDate;
}
