import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type {
  Board,
  DisruptionList,
  V1History,
  V1Metro,
  V1Status,
  VehicleSnapshot,
} from '../../api/contract/definitions.ts';
import { projectRoot, readProjectFile } from '../../pipeline/effects/project-files.ts';
import { parseMetroStations } from '../../pipeline/model/metro-stations.ts';
import { compileProgram } from '../support/compiled-program.ts';
import { expectValidAnswer } from '../support/contract-validator.ts';

/** Long enough for a busy machine; a quiet one needs a tenth. */
const PATIENCE_MILLISECONDS = 150_000;

/** Starts what `npm start` runs, on an empty data folder and a free port. */
async function startDemo(): Promise<{ url: string; child: ChildProcessWithoutNullStreams }> {
  const threads = [
    'jobs/poll-thread.ts',
    'jobs/sample-past-thread.ts',
    'jobs/sample-upstream-thread.ts',
    'api/planning/planner-thread.ts',
  ];
  const cli = await compileProgram('jobs/cli.ts', threads);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-demo-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const environment = { ...process.env, TAKTGEBER_LOG_LEVEL: 'silent', TAKTGEBER_CONFIG: '' };
  const args = [cli, 'up', '--data', dataDir, '--port', '0', '--json'];
  const child = spawn(process.execPath, args, { cwd: projectRoot, env: environment });
  onTestFinished(() => void child.kill('SIGKILL'));
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  child.stdin.end();
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.trimEnd().endsWith('}')) return { url: JSON.parse(printed).url, child };
  }
  throw new Error(`it ended before it was ready:\n${told}`);
}

async function ask<Answer>(url: string, type: string): Promise<Answer> {
  const response = await fetch(url);
  expect([url, response.status]).toEqual([url, 200]);
  const answer = await response.json();
  await expectValidAnswer(type, answer);
  return answer as Answer;
}

/** Asks again and again until an answer is as wanted, no more often than fair use allows. */
async function askUntil<Answer>(
  url: string,
  type: string,
  isWanted: (answer: Answer) => boolean,
  pauseMilliseconds = 500,
): Promise<Answer> {
  const until = performance.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    const answer = await ask<Answer>(url, type);
    if (isWanted(answer)) return answer;
    if (performance.now() > until) throw new Error(`${url} went on answering ${JSON.stringify(answer)}`);
    await wait(pauseMilliseconds);
  }
}

test(
  'the demo lives: started on nothing, it shows boards, vehicles and news as its upstreams tell them, has a past, and stops in order',
  async () => {
    const { url, child } = await startDemo();
    const isFresh = (status: V1Status) =>
      ['stmk_gtfs_rt', 'city_transit', 'trias', 'vao'].every((id) =>
        status.sources.some((source) => source.id === id && source.status === 'fresh'),
      );
    const status = await askUntil<V1Status>(`${url}/v1/status`, 'V1Status', isFresh);
    const areas = Object.fromEntries(status.components.map((component) => [component.id, component.status]));
    expect(areas).toMatchObject({
      departures: 'operational',
      map: 'operational',
      // The city's news come after its boards, fifteen seconds apart.
      disruptions: expect.stringMatching(/^(operational|degraded)$/),
      vehiclePositions: 'operational',
    });

    const search = await ask<{ stops: { id: string }[] }>(`${url}/v2/stops?query=praterstern&limit=1`, 'StopList');
    const stop = encodeURIComponent(search.stops[0]!.id);
    const hasLive = ({ departures }: Board) => departures.some(({ departure }) => departure.isRealtime);
    const board = await askUntil<Board>(`${url}/v2/stops/${stop}/departures?durationMinutes=1440`, 'Board', hasLive);
    const live = board.departures.find(({ departure }) => departure.isRealtime)!;
    await ask(`${url}/v2/journeys/${live.journeyRef}`, 'Journey');

    // At night nobody may be on the way; whoever is has a place.
    const { source } = await ask<VehicleSnapshot>(`${url}/v2/vehicles`, 'VehicleSnapshot');
    expect(source).toBe('measurementSnapshot');
    const { disruptions } = await askUntil<DisruptionList>(
      `${url}/v2/disruptions`,
      'DisruptionList',
      ({ total }) => total > 0,
    );
    expect(disruptions.every(({ text }) => !/<|&[a-z]+;/.test(text))).toBe(true);
    // Of the publisher's requests, fifteen seconds apart, the first asks for the first stations.
    const [station] = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
    const metro = `${url}/v1/city-transit/metro?diva=${station!.diva}`;
    await askUntil<V1Metro>(metro, 'V1Metro', (answer) => answer.status === 'ok');

    // Its past is made while it answers, the newest days first.
    const past = await askUntil<V1History>(`${url}/v1/history`, 'V1History', ({ totals }) => totals.events > 0, 2000);
    expect(past.totals.onTimeShare).toBeGreaterThan(0.9);
    expect(past.totals.cancelled).toBeGreaterThan(0);

    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  },
  2 * PATIENCE_MILLISECONDS,
);
