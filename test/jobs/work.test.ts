import { expect, it } from 'vitest';
import { findFreePort } from '../support/fakes/free-port.ts';
import { fakeEffects, runCommand, temporaryFolder } from './fake-world.ts';

it('work answers /live and /ready from its start, for the health check of the container', async () => {
  const port = await findFreePort();
  const answers: number[] = [];
  // It waits for its database between attempts.
  const sleep = async () => {
    for (const path of ['live', 'ready']) answers.push((await fetch(`http://127.0.0.1:${port}/${path}`)).status);
    throw new Error('enough');
  };
  await runCommand(['work'], {
    dataDir: await temporaryFolder(),
    effects: { ...fakeEffects(), sleep },
    environment: {
      TAKTGEBER_METRICS_IS_ENABLED: 'true',
      TAKTGEBER_METRICS_PORT: String(port),
      TAKTGEBER_OPERATIONS_POSTGRES_URL: 'postgres://u:secret@127.0.0.1:1/x',
    },
  });
  expect(answers).toEqual([200, 200]);
});
