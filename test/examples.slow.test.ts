import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import type { Board, StopList, TripResult } from '../api/contract/definitions.ts';
import { startApi } from '../api/start-api.ts';
import { fixedClock } from '../pipeline/effects/clock.ts';
import { projectPath } from '../pipeline/effects/project-files.ts';
import { apiConfig } from './api/api-config.ts';
import { expectValidAnswer } from './support/checks/contract-validator.ts';
import { publishFeeds } from './support/worlds/board-world.ts';
import { silentLog, soundFeed, temporaryFolder } from './support/worlds/ingest.ts';

/** Starts the API with a small feed. */
async function startService(): Promise<string> {
  const dataDir = await temporaryFolder();
  await publishFeeds({ at: soundFeed }, { dataDir });
  const { url, close } = await startApi(apiConfig(dataDir, { port: 0 }), {
    clock: fixedClock('2026-03-03T06:30:07Z'),
    log: silentLog,
  });
  onTestFinished(() => close());
  return url;
}

/** Starts the proxy of the example on a free port. */
async function startProxy(api: string): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [
    projectPath('examples/web/proxy.mjs'),
    '--api',
    api,
    '--port',
    '0',
  ]);
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return /http:\/\/localhost:\d+/.exec(line)![0];
}

async function getJson<Answer>(url: string, definition: string, options?: RequestInit): Promise<Answer> {
  const response = await fetch(url, options);
  expect(response.status).toBe(200);
  const answer = (await response.json()) as Answer;
  await expectValidAnswer(definition, answer);
  return answer;
}

test('the web example serves its pages, and the three routes that they use', async () => {
  const proxy = await startProxy(await startService());
  for (const page of ['/', '/trips', '/pages.css']) expect((await fetch(proxy + page)).status).toBe(200);
  const { stops } = await getJson<StopList>(`${proxy}/v2/stops?query=a&limit=1`, 'StopList');
  const board = await getJson<Board>(`${proxy}/v2/stops/${encodeURIComponent(stops[0]!.id)}/departures`, 'Board');
  expect(board.departures.length).toBeGreaterThan(0);
  // A browser sends Origin, which the API refuses and the proxy does not pass on.
  const headers = { 'content-type': 'application/json', origin: proxy };
  const [from, to] = ['at:a', 'at:b'].map((stopId) => ({ stopId }));
  const body = JSON.stringify({ from, to, limit: 1 });
  const { trips } = await getJson<TripResult>(`${proxy}/v2/trips`, 'TripResult', { method: 'POST', headers, body });
  expect(trips.length).toBeGreaterThan(0);
});

test('the web example refuses other routes, large requests, and an API that is not there', async () => {
  const api = await startService();
  const proxy = await startProxy(api);
  for (const path of ['/v2/meta', '/v1/status', '/../proxy.mjs']) expect((await fetch(proxy + path)).status).toBe(404);
  expect((await fetch(`${proxy}/v2/trips`, { method: 'POST', body: 'x'.repeat(20_000) })).status).toBe(502);
  const alone = await startProxy('http://127.0.0.1:1');
  const answer = await fetch(`${alone}/v2/stops?query=a`);
  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('The API cannot be reached')]);
});
