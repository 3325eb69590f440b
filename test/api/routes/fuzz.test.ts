import { test } from 'vitest';
import { expectAnswersAsPublished } from './fuzz-town.ts';

// The slow suite sends 20,000.
const REQUESTS = 1000;
const SEED = 20_260_316;

test(`${REQUESTS} requests made of the published schema are answered as it says, from seed ${SEED} on`, async () => {
  await expectAnswersAsPublished(REQUESTS, SEED);
});
