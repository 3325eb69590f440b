import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startApi } from '../../api/start-api.ts';
import { untilInterrupted } from '../../jobs/commands/io.ts';
import { allJobs } from '../../jobs/definitions/all-jobs.ts';
import { Interruption } from '../../jobs/job/exit-code.ts';
import { pollHere } from '../../pipeline/realtime/polling/poll-here.ts';
import { expectSection } from '../support/checks/document-section.ts';
import { startAustrianUpstreams, VAO_ENDPOINT } from '../support/fakes/austrian-upstreams.ts';
import { silentLog } from '../support/worlds/ingest.ts';
import { fakeEffects, type Parts, press, runCommand, temporaryFolder } from './fake-world.ts';

// Follows docs/austria.md from an empty folder, against fakes that answer under the addresses of the publishers.

/** Compares a text with the page; `WRITE_DOCS=true` writes the page. */
const expectBlock = (name: string, text: string, language = 'text') =>
  expectSection('docs/austria.md', name, `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``);

/** The lines of a command's output that are about sources and accounts. */
const linesAbout = (stdout: string, about: RegExp) =>
  stdout
    .split('\n')
    .filter((line) => about.test(line))
    .join('\n');

/** An empty folder, in which the commands of the page are run one after another. */
async function openFolder(account: Record<string, string> = {}) {
  const effects = fakeEffects('2026-11-23T08:00:00Z');
  const upstreams = await startAustrianUpstreams(() => effects.clock.nowMilliseconds() / 1000);
  const cwd = await temporaryFolder();
  const dataDir = `${cwd}/data`;
  const setting = {
    cwd,
    dataDir,
    columns: 80,
    jobs: allJobs(),
    effects: { ...effects, http: upstreams.http },
    environment: {
      ...account,
      TAKTGEBER_PORT: '0',
      TAKTGEBER_PLANNER_THREADS: '0',
      TAKTGEBER_SCHEDULE_IS_ENABLED: 'false',
    },
  };
  const run = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await runCommand(argv, setting);
    return { code, stdout: stdout.replaceAll(cwd, '.'), stderr: stderr.replaceAll(cwd, '.') };
  };
  return { ...upstreams, setting, run };
}

type Folder = Awaited<ReturnType<typeof openFolder>>;

/** Runs `up` until a query of its API has been answered. */
async function upAndQuery<Result>({ setting }: Folder, query: (url: string) => Promise<Result>) {
  const stop = new AbortController();
  let url = '';
  let isPolled = false;
  const parts: Partial<Parts> = {
    startApi: async (config, { clock }) => {
      const api = await startApi({ ...config, logLevel: 'silent' }, { clock, log: silentLog });
      url = api.url;
      return api;
    },
    pollRealtime: async (request, effects) => {
      const { sleep } = setting.effects;
      const states = await pollHere({ ...request, rounds: 1 }, { ...effects, sleep, log: silentLog });
      isPolled = true;
      await untilInterrupted(request.signal);
      return states;
    },
  };
  // Time passes for the poller alone, which keeps the publishers' interval.
  const effects = {
    ...setting.effects,
    sleep: async (_milliseconds: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      await wait(20);
    },
  };
  const ended = runCommand(['up'], { ...setting, effects, parts, stop });
  await expect.poll(() => isPolled, { timeout: 60_000, interval: 50 }).toBe(true);
  const answer = await query(url);
  press(stop, new Interruption('SIGINT'));
  return { answer, ...(await ended) };
}

/** What the test reads of the answers of the API. */
interface Answer {
  readonly providers: readonly string[];
  readonly departures: readonly { readonly line: { readonly label: string } }[];
}

async function getJson(address: string) {
  const response = await fetch(address);
  expect(response.status, address).toBe(200);
  return (await response.json()) as Answer;
}

/** The answer as soon as it contains a text: a realtime snapshot is served some time after it was published. */
async function getWithText(address: string, text: string) {
  await expect.poll(async () => JSON.stringify(await getJson(address)), { timeout: 90_000 }).toContain(text);
  return getJson(address);
}

it('an empty folder becomes a service of the open data, without an account', async () => {
  const folder = await openFolder();
  const { run } = folder;
  const init = await run('init', 'austria');
  expect(init.code).toBe(0);
  await expectBlock('init-open', init.stdout);
  await expectBlock('open', await readFile(path.join(folder.setting.cwd, 'taktgeber.yaml'), 'utf8'), 'yaml');

  const doctor = await run('doctor');
  expect(doctor.code).toBe(0);
  await expectBlock('doctor-open', linesAbout(doctor.stdout, / (source|account) /));

  const { code, stdout, stderr, answer } = await upAndQuery(folder, async (url) => ({
    meta: await getJson(`${url}/v2/meta`),
    board: await getWithText(`${url}/v2/stops/wiener-linien:at:49:657:0:1/departures?limit=1`, '"isRealtime":true'),
    credits: await getJson(`${url}/v1/status`),
    // A notice that names a platform by its number alone.
    disruptions: await getWithText(`${url}/v2/disruptions`, 'Hauptbahnhof'),
  }));
  expect(code).toBe(0);
  // A folder that doctor has looked at is new.
  expect(stderr).not.toContain('upgrading');
  await expectBlock('up-open', stdout.replace(/ in [\d.]+ s /, ' in 4.2 s ').replaceAll(/:\d{4,5}\//g, ':8080/'));
  const status = await run('status');
  expect(status.stdout).toMatch(/problems: .*stop_point_without_diva 1, stop_point_without_place 1/);
  expect(answer.meta.providers).toEqual(['wiener-linien']);
  expect(answer.board.departures[0]).toMatchObject({
    line: { label: 'U1' },
    departure: { scheduled: '2026-11-23T09:10:00+01:00', realtime: '2026-11-23T09:12:00+01:00' },
  });
  expect(JSON.stringify(answer.credits)).toContain('Stadt Wien - data.wien.gv.at');
});

it('an account becomes a service of the whole country', async () => {
  const folder = await openFolder({ MVO_USER: 'me@example.org', MVO_PASSWORD: 'secret-word' });
  const { run } = folder;
  const init = await run('init', 'austria');
  await expectBlock('init-country', init.stdout);
  await expectBlock('country', await readFile(path.join(folder.setting.cwd, 'taktgeber.yaml'), 'utf8'), 'yaml');

  const doctor = await run('doctor');
  expect(doctor.code).toBe(0);
  await expectBlock('doctor-country', linesAbout(doctor.stdout, / (source|account) /));

  const ingest = await run('run', 'ingest-timetable');
  expect(ingest).toMatchObject({ code: 0, stdout: expect.stringContaining('published snapshot') });
  const status = await run('status');
  expect(status.stdout).toContain('Mobilitätsverbünde Österreich OG, Daten verändert; Datenlizenz Mobilitätsverbünde');
  for (const fix of [
    'trips: 24 repaired, train-numbers',
    'routes: 1 repaired, train-categories',
    'assumed_time_zone',
  ]) {
    expect(status.stdout).toContain(fix);
  }

  const { code, answer } = await upAndQuery(folder, async (url) => ({
    meta: await getJson(`${url}/v2/meta`),
    board: await getJson(`${url}/v2/stops/rail:at:49:1349/departures?limit=20`),
  }));
  expect(code).toBe(0);
  expect(answer.meta.providers).toHaveLength(9);
  const labels = new Set(answer.board.departures.map(({ line }) => line.label));
  expect([...labels].sort()).toEqual(['RJX 162', 'U1']);
  const secrets = /me@example|secret-word|token-\d/;
  for (const text of [init.stdout, doctor.stdout, ingest.stdout, status.stdout, JSON.stringify(answer)]) {
    expect(text).not.toMatch(secrets);
  }
});

/** What an operator finds in the first hour, each with the line that `doctor` prints. */
const missing: readonly [what: string, prepare: (folder: Folder) => void, found: RegExp, remedy: string][] = [
  [
    'a variable that is not set',
    ({ setting }) => Reflect.deleteProperty(setting.environment, 'MVO_PASSWORD'),
    /^BAD +configuration +\.\/taktgeber\.yaml:\d+: mvo\.password names the variable MVO_PASSWORD, which is not set$/m,
    'configuration: set MVO_PASSWORD in the environment of taktgeber',
  ],
  [
    'a wrong password',
    ({ mvo }) => {
      mvo.password = 'changed';
    },
    /^BAD +account mvo +the MVO platform refuses user or password \(401\)/m,
    'account mvo: register at the platform and set mvo.user and mvo.password',
  ],
  [
    'terms that were not accepted',
    ({ mvo }) => mvo.accepted.delete(57),
    /^BAD +source tirol +the MVO platform denies the account data set 57 .* accept its terms of use/m,
    'source tirol: see docs/austria.md',
  ],
  [
    'a key that HAFAS refuses',
    ({ setting }) => Object.assign(setting.environment, { VAO_ENDPOINT, VAO_KEY: 'wrong-key' }),
    /^BAD +source vao +its server refuses the request: request: AUTH/m,
    'source vao: check key, version and stops of the source',
  ],
  [
    'a data set with another number',
    ({ mvo }) => {
      mvo.dataSets.set(157, mvo.dataSets.get(57)!);
      mvo.dataSets.delete(57);
    },
    /^BAD +source tirol +the MVO platform has no data set 57: it has .* 157 "Timetable of Tyrol/m,
    'source tirol: see docs/austria.md',
  ],
];
it.each(missing)('doctor names %s, and what to do', async (what, prepare, found, remedy) => {
  const folder = await openFolder({ MVO_USER: 'me@example.org', MVO_PASSWORD: 'secret-word' });
  await folder.run('init', 'austria', '--account', 'mvo', ...(what.includes('HAFAS') ? ['vao'] : []));
  prepare(folder);
  const { code, stdout } = await folder.run('doctor');
  expect(code).toBe(1);
  expect(stdout).toMatch(found);
  expect(stdout).toContain(remedy);
});
