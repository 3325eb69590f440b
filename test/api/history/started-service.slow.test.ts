import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ApiConfig } from '../../../api/api-config.ts';
import type { V1History } from '../../../api/contract/definitions.ts';
import { startApi } from '../../../api/start-api.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { historySnapshotsFolder } from '../../../pipeline/snapshots/history-contract.ts';
import { historyCall } from '../../support/worlds/history-calls.ts';
import { publishCalls, testDefinition, testHistoryLimits } from '../../support/worlds/history-world.ts';
import { silentLog, temporaryFolder } from '../../support/worlds/ingest.ts';
import { apiConfig } from '../api-config.ts';
import { HISTORY_TODAY } from './open-history-app.ts';

const clock = fixedClock(HISTORY_TODAY);
const call = (delay: number) => historyCall({ source: 'archive', delay, feed: null });

async function start(dataDir: string, config: Partial<ApiConfig> = {}) {
  const server = await startApi(
    apiConfig(dataDir, { history: { ...testHistoryLimits, ...testDefinition, maxAgeHours: 36 }, ...config }),
    { clock, log: silentLog },
  );
  onTestFinished(() => server.close());
  return async (query: string) => {
    const answer = await fetch(`${server.url}/v1/history${query}`);
    return {
      status: answer.status,
      version: answer.headers.get('data-version'),
      body: (await answer.json()) as V1History,
    };
  };
}

test('a started service serves the history of its folder, loads a newer one, and needs no timetable for it', async () => {
  const dataDir = await temporaryFolder();
  const query = await start(dataDir);
  expect(await query('')).toMatchObject({ status: 200, version: null, body: { totals: { expected: 0 } } });
  for (const [delay, share] of [
    [0, 1],
    [400, 0],
  ] as const) {
    const id = await publishCalls(dataDir, [call(delay)], clock);
    await vi.waitFor(async () => expect((await query('')).version).toBe(id), { timeout: 90_000, interval: 50 });
    expect((await query('')).body.totals.onTimeShare).toBe(share);
    expect((await query('?source=archive&line=U1')).body.totals.onTimeShare).toBe(share);
  }
});

test('it accepts the configured sources, except those that may not be recorded', async () => {
  const query = await start(await temporaryFolder(), {
    sources: ['graz', 'vao'].map((id) => ({ id, attribution: null, licence: null })),
    realtime: [
      { id: 'graz_rt', archive: 'full' },
      { id: 'boards', archive: 'none' },
    ],
  });
  const statuses = ['graz', 'graz_rt', 'boards', 'vao'].map(
    async (source) => (await query(`?source=${source}`)).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 200, 400, 400]);
});

test('it serves the definition of the published data, whatever is configured', async () => {
  const dataDir = await temporaryFolder();
  const id = await publishCalls(dataDir, [call(200)], clock);
  const stricter = { ...testHistoryLimits, ...testDefinition, onTimeMaxDelaySeconds: 180, maxAgeHours: 36 };
  const query = await start(dataDir, { history: stricter });
  const { body } = await query('');
  expect(body).toMatchObject({ definition: testDefinition, totals: { onTimeShare: 1 } });
  const manifest = await readFile(path.join(historySnapshotsFolder(dataDir), id, 'manifest.json'), 'utf8');
  expect(JSON.parse(manifest).definition).toEqual(testDefinition);
});
