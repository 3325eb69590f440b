import { once } from 'node:events';
import { readProjectFile } from '../pipeline/effects/project-files.ts';
import { parseMetroStations } from '../pipeline/model/metro-stations.ts';
import { readSampleLookups } from '../pipeline/sample/feed/read-sample-lookups.ts';
import { createSimulator } from '../pipeline/sample/simulator/create-simulator.ts';
import { chainAnswers } from '../pipeline/sample/upstream/answer-source.ts';
import { sampleFeedAnswers } from '../pipeline/sample/upstream/sample-feed-answers.ts';
import { simulatedAnswers } from '../pipeline/sample/upstream/simulated-answers.ts';
import { startFakeUpstream } from '../pipeline/sample/upstream/start-fake-upstream.ts';
import { serveThread } from './threads.ts';

/** The made-up upstream, away from the thread that answers requests: working out a moment takes it some time. */
await serveThread(async (_input: null, { clock }, { signal }, reportReady) => {
  const lookups = await readSampleLookups();
  const simulator = createSimulator(lookups);
  const stations = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
  const answers = chainAnswers(simulatedAnswers(simulator, stations), sampleFeedAnswers(lookups));
  const upstream = await startFakeUpstream({ answers, clock });
  reportReady(upstream.url);
  if (!signal.aborted) await once(signal, 'abort');
  await upstream.close();
  return null;
});
