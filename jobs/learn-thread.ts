import { type LearnRequest, learnHere } from './learn-here.ts';
import { serveThread } from './threads.ts';

/** Learning takes a minute and more, which no request should wait. */
await serveThread(async (request: LearnRequest, effects, { signal }) =>
  learnHere({ ...request, settings: { ...request.settings, signal } }, effects),
);
