import { test } from 'vitest';
import { expectAnswersAsPublished } from '../api/routes/fuzz-town.ts';

const REQUESTS = 20_000;
const SEED = 1;

test(`${REQUESTS} requests made of the published schema are answered as it says, from seed ${SEED} on`, async () => {
  await expectAnswersAsPublished(REQUESTS, SEED);
});
