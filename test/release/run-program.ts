import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningTool, runTool, startTool } from '../interop/tools.ts';
import { findFreePort } from '../support/fakes/free-port.ts';

/** Time limit for the first ingest of the sample on a slow machine. */
const READY_MILLISECONDS = 180_000;
const REQUEST_INTERVAL_MILLISECONDS = 1000;
/** Time limit of a stop, as documented in docs/operations.md. */
const STOP_MILLISECONDS = 10_000;

interface Ready {
  readonly addresses: readonly string[];
  readonly readySeconds: number;
}

/**
 * Runs the installed program in an empty folder: `up`, a board, `doctor` and the health check, and a graceful stop.
 * @param seconds how long to request a board every second after the first response
 * @returns a summary line
 */
export async function runProgram(prefix: string, folder: string, seconds: number): Promise<string> {
  const port = String(await findFreePort());
  const environment = { ...process.env, NODE_ENV: 'production', TAKTGEBER_METRICS_PORT: port, TAKTGEBER_CONFIG: '' };
  const program = path.join(prefix, 'jobs', 'bin.mjs');
  const place = { cwd: folder, env: environment };
  const up = startTool(process.execPath, [program, 'up', '--port', '0', '--json'], place);
  try {
    const { addresses, readySeconds } = await readAddresses(up);
    const answers = await requestBoards(addresses, seconds);
    const variables = ['TAKTGEBER_CONFIG=', `TAKTGEBER_METRICS_PORT=${port}`];
    const run = (...argv: string[]) => runTool('env', [...variables, process.execPath, ...argv], '', folder);
    await run(path.join(prefix, 'deploy', 'health-check.mjs'));
    const findings = JSON.parse(await run(program, 'doctor', '--json', '--port', portOf(addresses))).findings;
    expectGood(findings, ['configuration', 'packages', 'data folder', 'disk', 'timetable', 'alerts']);
    const stopSeconds = await stop(up);
    return `ready after ${readySeconds.toFixed(1)} s, ${answers} boards answered, stopped in ${stopSeconds.toFixed(1)} s`;
  } finally {
    up.kill();
  }
}

/** Waits for the output of `up --json` when it is ready. */
async function readAddresses(up: RunningTool): Promise<Ready> {
  let isOver = false;
  void up.ended.then(() => {
    isOver = true;
  });
  for (const deadline = performance.now() + READY_MILLISECONDS; ; await sleep(200)) {
    const printed = /^\{\n.*?^\}$/ms.exec(up.output())?.[0];
    if (printed) return JSON.parse(printed) as Ready;
    if (isOver) throw new Error(`up exited before it was ready: ${up.output()}`);
    if (performance.now() > deadline) throw new Error(`up was not ready in time: ${up.output()}`);
  }
}

/** @returns the number of responses */
async function requestBoards(addresses: readonly string[], seconds: number): Promise<number> {
  const [home, page] = addresses as [string, string];
  const shown = await requestText(page);
  if (!shown.includes('id="board"')) throw new Error(`${page} shows no board`);
  const board = `${page.replace(`${home}stops/`, `${home}v2/stops/`)}/departures`;
  let answers = 0;
  for (const end = performance.now() + seconds * 1000; ; await sleep(REQUEST_INTERVAL_MILLISECONDS)) {
    const { departures } = JSON.parse(await requestText(board)) as { departures: readonly object[] };
    if (departures.length === 0) throw new Error(`${board} has no departure`);
    answers += 1;
    if (performance.now() >= end) return answers;
  }
}

async function requestText(url: string): Promise<string> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(15_000) });
  if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}`);
  return answer.text();
}

function portOf([home]: readonly string[]): string {
  return new URL(home!).port;
}

function expectGood(
  findings: readonly { readonly about: string; readonly status: string; readonly sentence: string }[],
  wanted: readonly string[],
): void {
  for (const about of wanted) {
    const finding = findings.find((one) => one.about === about);
    if (finding?.status !== 'good') throw new Error(`doctor, ${about}: ${finding?.sentence ?? 'was not checked'}`);
  }
}

/** @returns its duration in seconds */
async function stop(up: RunningTool): Promise<number> {
  const started = performance.now();
  process.kill(up.pid, 'SIGTERM');
  const code = await up.ended;
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0) throw new Error(`up exited with ${code}: ${up.output().slice(-2000)}`);
  if (seconds * 1000 > STOP_MILLISECONDS) throw new Error(`the stop took ${seconds.toFixed(1)} s`);
  const bugs = up
    .output()
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"|\bbug\b/.test(line));
  if (bugs.length > 0) throw new Error(`up logged ${bugs.join('\n')}`);
  return seconds;
}
