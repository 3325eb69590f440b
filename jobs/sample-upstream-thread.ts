import { once } from 'node:events';
import { readSampleLookups } from '../pipeline/sample/read-sample-lookups.ts';
import { createSimulator } from '../pipeline/sample/simulator/create-simulator.ts';
import { simulatedAnswers } from '../pipeline/sample/upstream/simulated-answers.ts';
import { startFakeUpstream } from '../pipeline/sample/upstream/start-fake-upstream.ts';
import { serveThread } from './threads.ts';

/** The made-up upstream, away from the thread that answers requests: working out a moment takes it some time. */
await serveThread(async (_input: null, { clock }, signal, tellReady) => {
  const simulator = createSimulator(await readSampleLookups());
  const upstream = await startFakeUpstream({ answers: simulatedAnswers(simulator), clock });
  tellReady(upstream.url);
  if (!signal.aborted) await once(signal, 'abort');
  await upstream.close();
  return null;
});
