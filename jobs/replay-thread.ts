import { type ReplayInput, replayHere } from './replay-here.ts';
import { serveThread } from './threads.ts';

await serveThread((input: ReplayInput, effects, { signal }) => replayHere(input, effects, signal));
