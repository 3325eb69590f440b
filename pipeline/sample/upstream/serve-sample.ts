import { readProjectFile } from '../../effects/project-files.ts';
import { serveThread } from '../../effects/threads.ts';
import { parseMetroStations } from '../../model/metro-stations.ts';
import { localDate, type ServiceDate } from '../../model/service-time.ts';
import type { SampleLookups } from '../feed/lookups.ts';
import { readSampleLookups } from '../feed/read-sample-lookups.ts';
import { buildSampleFeed } from '../feed/sample-feed.ts';
import { packSampleZip } from '../feed/write-sample-zip.ts';
import { createSimulator } from '../simulator/create-simulator.ts';
import { SAMPLE_ZONE } from '../simulator/service-day.ts';
import { type AnswerSource, chainAnswers } from './answer-source.ts';
import { sharingAnswers } from './gbfs.ts';
import { simulatedAnswers } from './simulated-answers.ts';
import { startFakeUpstream } from './start-fake-upstream.ts';

const PATH = '/gtfs.zip';

/** The made-up upstream in a separate thread, because computing a state takes a while. */
serveThread(import.meta.url, async (_input: null, { effects, stopped, reportReady }) => {
  const lookups = await readSampleLookups();
  const stations = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
  const answers = chainAnswers(
    sharingAnswers(lookups),
    simulatedAnswers(createSimulator(lookups), stations),
    sampleFeedAnswers(lookups),
  );
  const upstream = await startFakeUpstream({ answers, clock: effects.clock });
  reportReady(upstream.url);
  await stopped;
  await upstream.close();
});

/** The timetable that the realtime refers to, valid around the day of the request. */
export function sampleFeedAnswers(lookups: SampleLookups, { seed = 1 }: { readonly seed?: number } = {}): AnswerSource {
  // Caching is safe: packing takes seconds, and the feed of a day never changes.
  let packed: { readonly today: ServiceDate; readonly body: Promise<Uint8Array> } | null = null;
  return async ({ method, path }, { at }) => {
    if (method !== 'GET' || path !== PATH) return null;
    const today = localDate(at, SAMPLE_ZONE);
    if (packed?.today !== today) packed = { today, body: packSampleZip(buildSampleFeed({ today, seed }, lookups)) };
    return { status: 200, headers: { 'content-type': 'application/zip' }, body: await packed.body };
  };
}
