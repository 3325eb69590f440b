import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { openPlanner, type Planner } from '../../../../api/engine/planner/open-planner.ts';
import { createReferences, type References } from '../../../../api/engine/read/references.ts';
import { openTimetable, type Timetable } from '../../../../api/engine/read/timetable.ts';
import { openPlaces, type Places } from '../../../../api/engine/trips/places.ts';
import { sampleRealtime } from '../../../../jobs/definitions/sample-realtime.ts';
import { sampleTimetableId } from '../../../../jobs/definitions/sample-sources.ts';
import { loadConfig } from '../../../../pipeline/config/load-config.ts';
import { fixedClock } from '../../../../pipeline/effects/clock.ts';
import { fetchHttp } from '../../../../pipeline/effects/http.ts';
import { silentLog } from '../../../../pipeline/effects/log.ts';
import { readProjectFile } from '../../../../pipeline/effects/project-files.ts';
import { parseMetroStations } from '../../../../pipeline/model/metro-stations.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { type Matcher, openMatcher } from '../../../../pipeline/realtime/matching/open-matcher.ts';
import { parseStopLinks } from '../../../../pipeline/realtime/matching/stop-link-overrides.ts';
import { openSources, type PolledSource } from '../../../../pipeline/realtime/polling/open-sources.ts';
import type { SampleLookups } from '../../../../pipeline/sample/feed/lookups.ts';
import { readSampleLookups } from '../../../../pipeline/sample/feed/read-sample-lookups.ts';
import { buildSampleFeed } from '../../../../pipeline/sample/feed/sample-feed.ts';
import { writeSampleZip } from '../../../../pipeline/sample/feed/write-sample-zip.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../../../pipeline/snapshots/timetable-files.ts';
import { ingestTimetable } from '../../../../pipeline/timetable/ingest-timetable.ts';
import { readMergeRules } from '../../../../pipeline/timetable/merging/read-merge-rules.ts';
import { type NaivePlanFeed, readPlanFeed } from '../../oracles/naive-plan-feed.ts';
import { withoutNastyTrips } from '../sample.ts';

/** Seed of the timetable of all scenes, and of the past days on which models are trained. */
export const TIMETABLE_SEED = 1;
/** Key of the service whose answers the scenes read. */
export const SCENE_KEY = new Uint8Array(32).fill(5);

/** The sample with its timetable published, for scenes. */
export interface SceneCountry {
  /** Data folder with the timetable. */
  readonly dataDir: string;
  /** Service date of the ingest; scenes take place later. */
  readonly today: ServiceDate;
  readonly lookups: SampleLookups;
  readonly timetable: Timetable;
  readonly planner: Planner;
  readonly places: Places;
  readonly references: References;
  readonly matcher: Matcher;
  /** The sources of the demo, whose upstream is at `UPSTREAM_URL`. */
  readonly sources: readonly PolledSource[];
  /** The feed itself, for an independent computation of transfer times. */
  readonly feed: NaivePlanFeed;
}

/** Address of the upstream in requests that this process answers. */
const UPSTREAM_URL = 'http://upstream.invalid';

/** @param dataDir an empty folder, or one of a country of that day, whose timetable is then read */
export async function openSceneCountry(dataDir: string, today: ServiceDate): Promise<SceneCountry> {
  const lookups = await readSampleLookups();
  // The simulator does not operate the nasty trips.
  const files = withoutNastyTrips(buildSampleFeed({ today, seed: TIMETABLE_SEED }, lookups));
  if ((await findCurrentTimetableId(dataDir)) === null) await publishFeed(dataDir, files, today);
  const snapshot = await readTimetableSnapshot(dataDir, (await findCurrentTimetableId(dataDir))!);
  const timetable = openTimetable(snapshot);
  const stopLinks = parseStopLinks(await readProjectFile('data/lookups/stop-links.csv')).records;
  const metroStations = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
  return {
    dataDir,
    today,
    lookups,
    timetable,
    planner: openPlanner(timetable),
    places: openPlaces(timetable),
    references: createReferences(SCENE_KEY),
    matcher: openMatcher(snapshot, { stopLinks, metroStations }),
    sources: await openSources(sampleRealtime(UPSTREAM_URL), { log: silentLog }),
    feed: readPlanFeed(files),
  };
}

async function publishFeed(dataDir: string, files: ReadonlyMap<string, string>, today: ServiceDate): Promise<void> {
  const zip = path.join(dataDir, 'feeds', 'sample.zip');
  await mkdir(path.dirname(zip), { recursive: true });
  await writeSampleZip(files, zip);
  const environment = { TAKTGEBER_DATA: dataDir, TAKTGEBER_INGEST_THREADS: '1' };
  const { config } = await loadConfig({ environment, cwd: dataDir, home: dataDir });
  const { ingest, snapshots } = config;
  const outcome = await ingestTimetable(
    {
      sources: [{ id: sampleTimetableId, location: zip }],
      dataDir,
      settings: {
        ...ingest,
        refetchHours: 24,
        maxRejectedBytes: 0,
        minShareOfPrevious: 0,
        keepSnapshots: snapshots.keep,
        merging: await readMergeRules(dataDir, config.merging),
      },
      isDryRun: false,
      isForced: false,
    },
    { clock: fixedClock(`${today}T03:00:00Z`), http: fetchHttp, log: silentLog },
  );
  if (outcome.snapshotId === null) throw new Error(`the sample is not published: ${outcome.feeds[0]?.failure}`);
}
