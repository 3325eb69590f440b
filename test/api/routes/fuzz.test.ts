import { test } from 'vitest';
import { expectAnswersAsPublished } from './fuzz-town.ts';

// The slow suite sends more, from another seed on.
const REQUESTS = 1000;
const SEED = 20_260_316;

test(`${REQUESTS} requests generated from the published schema get responses that match it, from seed ${SEED} on`, async () => {
  await expectAnswersAsPublished(REQUESTS, SEED);
});
