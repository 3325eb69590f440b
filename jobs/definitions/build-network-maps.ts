import path from 'node:path';
import { nowInstant } from '../../pipeline/effects/clock.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { moduleUrl } from '../../pipeline/effects/project-files.ts';
import { startThread } from '../../pipeline/effects/threads.ts';
import type { MapsOutcome, MapsRequest } from '../../pipeline/network-maps/build-network-maps.ts';
import type { Job, JobContext, JobOutcome, Json } from '../job/job.ts';
import { NETWORK_MAPS } from '../job/resources.ts';

export const BUILD_NETWORK_MAPS = 'build-network-maps';

/** Draws the network maps of the timetable. */
export function buildNetworkMapsJob(drawMaps = drawMapsInThread): Job {
  return {
    name: BUILD_NETWORK_MAPS,
    summary: 'Draws network maps from the timetable and publishes them with those of the operator.',
    accepts: ['force'],
    schedule: (config) => config.schedule.buildNetworkMaps,
    follows: ['ingest-timetable'],
    timeoutMinutes: 60,
    listWritten: async () => [NETWORK_MAPS],
    run: (context) => build(drawMaps, context),
  };
}

/** Draws and publishes the network maps of the published timetable; the signal ends it after the current map. */
function drawMapsInThread(request: MapsRequest, effects: Effects, signal?: AbortSignal): Promise<MapsOutcome> {
  const file = moduleUrl('pipeline/network-maps/build-network-maps.js');
  return startThread<MapsRequest, MapsOutcome>(file, request, effects, { signal }).result;
}

async function build(drawMaps: typeof drawMapsInThread, context: JobContext): Promise<JobOutcome> {
  const { config, effects, options } = context;
  const { language, folder, maxFileBytes } = config.networkMaps;
  const request = {
    dataDir: config.dataDir,
    language,
    folder: folder === null ? null : path.resolve(config.dataDir, folder),
    maxFileBytes,
    day: Math.floor(nowInstant(effects.clock) / 86_400),
    createdAt: new Date(effects.clock.nowMilliseconds()).toISOString(),
    isForced: options.isForced,
    isDryRun: options.isDryRun,
  };
  return toOutcome(await drawMaps(request, effects, context.stopping));
}

function toOutcome(outcome: MapsOutcome): JobOutcome {
  if (outcome.kind === 'no-timetable') return { status: 'unchanged', summary: 'no timetable is published yet' };
  if (outcome.kind === 'due') {
    const due = [{ what: 'network maps', reason: "the timetable, its credits or the operator's maps have changed" }];
    return { status: 'done', summary: 'would draw the network maps', due };
  }
  const { maps, refused } = outcome.manifest;
  const details = outcome.manifest as unknown as Json;
  const count = maps.length === 1 ? '1 map' : `${maps.length} maps`;
  const without = refused.length === 0 ? '' : `; rejected: ${refused.join('; ')}`;
  if (outcome.kind === 'unchanged') return { status: 'unchanged', summary: `${count} as before${without}`, details };
  const bytesWritten = maps.reduce((sum, { bytes }) => sum + bytes, 0);
  return { status: 'done', summary: `published ${count}${without}`, details, counts: { bytesWritten } };
}
