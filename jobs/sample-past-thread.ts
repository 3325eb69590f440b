import { readSampleLookups } from '../pipeline/sample/feed/read-sample-lookups.ts';
import { createSimulator } from '../pipeline/sample/simulator/create-simulator.ts';
import { type PastRequest, type WrittenDay, writePast } from '../pipeline/sample/write-past.ts';
import { serveThread } from './threads.ts';

/** Working out a past day takes a good part of a second, which no request should wait. */
await serveThread<PastRequest, readonly WrittenDay[]>(async (request, _effects, { signal }) => {
  return writePast(createSimulator(await readSampleLookups()), request, signal);
});
