import { test } from 'vitest';
import { trials } from '../../support/checks/trials.ts';
import { expectAnswersAsPublished } from './fuzz-town.ts';

const REQUESTS = trials(5000);
const SEED = 1;

test(`${REQUESTS} requests generated from the published schema get responses that match it, from seed ${SEED} on`, async () => {
  await expectAnswersAsPublished(REQUESTS, SEED);
});
