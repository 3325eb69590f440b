import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { nowInstant, systemClock } from '../../pipeline/effects/clock.ts';
import { sizeOfFolder } from '../../pipeline/effects/files.ts';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { addDays, localDate } from '../../pipeline/model/service-time.ts';
import { prepareReplica, type Replica } from '../support/running-replica.ts';
import { startBalancer, untilReady } from './replicas.ts';
import { startPostgres } from './services/postgres.ts';
import { type S3Service, startS3 } from './services/s3.ts';
import { endWithProcess } from './services/service.ts';
import { installDebianPackage, runTool } from './tools.ts';

const CLI = projectPath('dist/jobs/commands/cli.js');
const DAYS = 3;
const STOPS = 8;
/** The same on every machine, so that references are. */
const REFERENCE_KEY = '5c'.repeat(32);
const ZONE = 'Europe/Vienna';

type Environment = Readonly<Record<string, string>>;

/**
 * The simulated country on the parts of a federation: jobs in a folder of their own with locks in PostgreSQL, published to
 * an S3 store; two replicas with empty folders that follow it, behind HAProxy. Its answers are those of one machine with
 * nothing configured, byte for byte, also while the store is down.
 * @returns figures
 */
export async function runEverything(): Promise<string> {
  await installDebianPackage('haproxy', 'haproxy', '-v');
  const root = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-everything-'));
  try {
    const s3 = await startS3();
    const postgres = await startPostgres();
    const store = toEnvironment(s3);
    const jobs = { ...store, TAKTGEBER_OPERATIONS_POSTGRES_URL: await postgres.createDatabase() };
    const [alone, worker] = [await makeFolder(root, 'alone'), await makeFolder(root, 'worker')];
    const aloneSeconds = await runJobs(alone, {});
    const togetherSeconds = await runJobs(worker, jobs);
    // Nothing of the replicas comes from this folder.
    await rm(worker, { recursive: true });
    const watches = await postgres.createDatabase();
    const single = await serve('alone', alone, {});
    const replicas = [
      await serve('one', await makeFolder(root, 'one'), { ...store, TAKTGEBER_WATCHES_POSTGRES_URL: watches }),
      await serve('two', await makeFolder(root, 'two'), { ...store, TAKTGEBER_WATCHES_POSTGRES_URL: watches }),
    ] as const;
    const origin = await startBalancer(replicas);
    const asked = await listPaths(single.url);
    const compared = await compareAnswers(asked, single.url, origin, replicas);
    await s3.crash();
    const without = await compareAnswers(asked, single.url, origin, replicas);
    const megabytes = ((await sizeOfFolder(path.join(root, 'one'))) / 1e6).toFixed(0);
    return [
      `${compared} answers are those of one machine, and ${without} with the store down`,
      `jobs ${togetherSeconds.toFixed(0)} s with store and database, ${aloneSeconds.toFixed(0)} s alone`,
      `a replica holds ${megabytes} MB`,
    ].join('; ');
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function toEnvironment({ endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Service): Environment {
  return {
    TAKTGEBER_STORE_URL: `s3://${bucket}/everything`,
    TAKTGEBER_STORE_ENDPOINT: endpoint,
    TAKTGEBER_STORE_REGION: region,
    TAKTGEBER_STORE_PATH_STYLE: 'true',
    TAKTGEBER_STORE_ACCESS_KEY_ID: accessKeyId,
    TAKTGEBER_STORE_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

async function makeFolder(root: string, name: string): Promise<string> {
  const folder = path.join(root, name);
  await mkdir(folder);
  return folder;
}

/** The sample: its timetable, some past days, their marts. @returns how long that took */
async function runJobs(dataDir: string, environment: Environment): Promise<number> {
  const yesterday = addDays(localDate(nowInstant(systemClock), ZONE), -1);
  const days = ['--from', addDays(yesterday, 1 - DAYS), '--to', yesterday];
  const started = performance.now();
  for (const job of [['ingest-timetable'], ['build-sample-history', ...days], ['build-marts']]) {
    const variables = Object.entries({ TAKTGEBER_CONFIG: '', ...environment }).map(
      ([name, value]) => `${name}=${value}`,
    );
    await runTool('env', [...variables, process.execPath, CLI, 'run', ...job, '--data', dataDir], '', dataDir);
  }
  return (performance.now() - started) / 1000;
}

async function serve(name: string, dataDir: string, environment: Environment): Promise<Replica> {
  const settings = { TAKTGEBER_REFERENCE_KEY: REFERENCE_KEY, TAKTGEBER_POLLING_IS_ENABLED: 'false' };
  const replica = await prepareReplica(name, { program: CLI, dataDir, environment: { ...settings, ...environment } });
  endWithProcess(async () => replica.signal('SIGKILL'));
  await replica.start();
  await untilReady(replica);
  return replica;
}

/** Boards, searches, trips and the history, all of stated times: an answer that says when it was made would differ. */
async function listPaths(origin: string): Promise<string[]> {
  const { stops } = (await (await fetch(`${origin}/v2/stops?query=bahnhof&limit=${STOPS}`)).json()) as {
    stops: { id: string }[];
  };
  const today = localDate(nowInstant(systemClock), ZONE);
  const time = encodeURIComponent(`${today}T17:00:00+01:00`);
  const from = addDays(today, -DAYS);
  return [
    `/v2/stops?query=bahnhof&limit=${STOPS}`,
    ...stops.flatMap(({ id }) => [
      `/v2/stops/${encodeURIComponent(id)}/departures?time=${time}`,
      `/v2/stops/${encodeURIComponent(id)}/arrivals?time=${time}`,
    ]),
    `/v1/history?from=${from}&to=${addDays(today, -1)}`,
    `/v1/history?from=${from}&to=${addDays(today, -1)}&line=U1`,
  ];
}

/** @returns how many answers were compared */
async function compareAnswers(
  asked: readonly string[],
  alone: string,
  balanced: string,
  replicas: readonly Replica[],
): Promise<number> {
  const origins = [balanced, ...replicas.map(({ url }) => url)];
  for (const one of asked) {
    const expected = await read(alone, one);
    for (const origin of origins) {
      const found = await read(origin, one);
      if (found !== expected) {
        throw new Error(`${one} is ${found.slice(0, 600)} at ${origin}, and ${expected.slice(0, 600)} on one machine`);
      }
    }
  }
  return asked.length * origins.length;
}

async function read(origin: string, asked: string): Promise<string> {
  const answer = await fetch(origin + asked);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${origin}${asked} is ${answer.status}: ${text.slice(0, 300)}`);
  return text;
}
