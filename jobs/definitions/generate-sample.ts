import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../pipeline/effects/clock.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import type { Feed, Job, JobContext, JobOutcome } from '../job/job.ts';
import type { Parts } from '../job/parts.ts';
import { SAMPLE } from '../job/resources.ts';

/** Writes the fictitious country, valid around today, as a GTFS zip. */
export function generateSampleJob(parts: Parts): Job {
  return {
    name: 'generate-sample',
    summary: 'Writes the fictional feed "mini-Austria" as a GTFS zip.',
    accepts: ['date'],
    timeoutMinutes: 30,
    listWritten: async () => [SAMPLE],
    run: async (context) => {
      if (context.options.isDryRun) return describeDue(context);
      const { location } = await generateSample(parts, context);
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
export async function generateSample(parts: Parts, { config, effects, options }: JobContext): Promise<Feed> {
  const location = sampleFile(config.dataDir);
  await parts.writeSample(location, options.date ?? todayIn(effects.clock));
  return { id: toSourceId('sample'), location, headers: {} };
}

/** The calendar day in UTC: close enough for a feed that is valid for a year. */
function todayIn(clock: Clock): ServiceDate {
  return new Date(clock.nowMilliseconds()).toISOString().slice(0, 10) as ServiceDate;
}
