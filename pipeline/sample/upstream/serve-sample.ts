import { readProjectFile } from '../../effects/project-files.ts';
import { serveThread } from '../../effects/threads.ts';
import { parseMetroStations } from '../../model/metro-stations.ts';
import { readSampleLookups } from '../feed/read-sample-lookups.ts';
import { createSimulator } from '../simulator/create-simulator.ts';
import { chainAnswers } from './answer-source.ts';
import { sampleFeedAnswers } from './sample-feed-answers.ts';
import { simulatedAnswers } from './simulated-answers.ts';
import { startFakeUpstream } from './start-fake-upstream.ts';

/** The made-up upstream, away from the thread that answers requests: working out a moment takes it some time. */
serveThread(import.meta.url, async (_input: null, { effects, stopped, reportReady }) => {
  const lookups = await readSampleLookups();
  const stations = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
  const answers = chainAnswers(simulatedAnswers(createSimulator(lookups), stations), sampleFeedAnswers(lookups));
  const upstream = await startFakeUpstream({ answers, clock: effects.clock });
  reportReady(upstream.url);
  await stopped;
  await upstream.close();
});
