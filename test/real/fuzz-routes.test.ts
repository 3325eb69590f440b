import { test } from 'vitest';
import { expectAnswersAsPublished } from '../api/routes/fuzz-town.ts';

const REQUESTS = 20_000;
const SEED = 1;

test(`${REQUESTS} requests generated from the published schema get responses that match it, from seed ${SEED} on`, async () => {
  await expectAnswersAsPublished(REQUESTS, SEED);
});
