import type { Parts } from './parts.ts';

/** The parts as they are; each is loaded when it is first used. */
export const realParts: Parts = {
  ingestTimetable: async ({ config, sources, refresh, dataDir, isDryRun, isForced }, effects) => {
    const { ingestTimetable } = await import('../pipeline/snapshots/ingest-timetable.ts');
    const settings = { ...config.ingest, keepSnapshots: config.snapshots.keep };
    return ingestTimetable({ sources, refresh, dataDir, settings, isDryRun, isForced }, effects);
  },
  writeSample: async (file, today) => {
    const { buildSampleFeed } = await import('../pipeline/sample/sample-feed.ts');
    const { readSampleLookups } = await import('../pipeline/sample/read-sample-lookups.ts');
    const { writeSampleZip } = await import('../pipeline/sample/write-sample-zip.ts');
    await writeSampleZip(buildSampleFeed({ today }, await readSampleLookups()), file);
  },
  startApi: async (config, effects) => {
    const { startApi } = await import('../api/start-api.ts');
    return startApi(config, effects);
  },
};
