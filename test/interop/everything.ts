import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { nowInstant, systemClock } from '../../pipeline/effects/clock.ts';
import { sizeOfFolder } from '../../pipeline/effects/files.ts';
import { addDays, localDate, type ServiceDate } from '../../pipeline/model/service-time.ts';
import { prepareReplica, type Replica } from '../support/fakes/running-replica.ts';
import { handOverPolling } from './pollers.ts';
import { startBalancer, untilReady } from './replicas.ts';
import { CLI, runCli } from './run-cli.ts';
import { startPostgres } from './services/postgres.ts';
import { type S3Service, startS3 } from './services/s3.ts';
import { endWithProcess } from './services/service.ts';
import { icebergJdbcCatalog, startTrino } from './services/trino.ts';
import { readFromStore } from './store-readers.ts';
import { installDebianPackage } from './tools.ts';
import { sumUpCatalog } from './trino-tables.ts';
import { killWorkerAtWork } from './worker-kill.ts';

const DAYS = 3;
const WORKERS = 2;
/** A third of the default, because the check waits for leases of killed processes to expire. */
const LEASE_SECONDS = 20;
const TRINO_ATTEMPTS = 60;
const STOPS = 8;
/** Shared by all machines, so that references are equal. */
const REFERENCE_KEY = '5c'.repeat(32);
const ZONE = 'Europe/Vienna';

type Environment = Readonly<Record<string, string>>;

/**
 * Runs the simulated country on all parts of a federation:
 * - jobs in a separate folder, with locks in PostgreSQL, publish to an S3 store;
 * - workers with separate folders compute marts with Trino over Iceberg tables in the store; one is killed during a shard;
 * - two replicas with empty folders behind HAProxy follow the store, and query Trino for the history.
 *
 * Responses equal those of a single machine byte for byte, also while the store is down. When it is up again, a poller
 * publishes realtime and is killed, and another takes over.
 * @returns a summary of the measurements
 */
export async function runEverything(): Promise<string> {
  await installDebianPackage('haproxy', 'haproxy', '-v');
  const root = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-everything-'));
  try {
    const alone = await makeFolder(root, 'alone');
    const aloneSeconds = await timed(async () => {
      await runSources(alone, {});
      await run(alone, {}, 'build-marts');
    });
    const { s3, shared, serving, tablesRead, togetherSeconds } = await runFederation(root);
    const single = await serve('alone', alone, {});
    const replicas = [
      await serve('one', await makeFolder(root, 'one'), { ...shared, ...serving }),
      await serve('two', await makeFolder(root, 'two'), { ...shared, ...serving }),
    ] as const;
    for (const replica of replicas) await untilTrinoAnswers(replica);
    const origin = await startBalancer(replicas);
    const paths = await listPaths(single.url);
    const compared = await compareAnswers(paths, single.url, origin, replicas);
    await s3.crash();
    const without = await compareAnswers(paths, single.url, origin, replicas);
    await s3.restart();
    // Last, because with realtime the responses of the replicas differ from those of a machine that does not poll.
    const polled = await handOverPolling({
      folders: [
        await makeFolder(root, 'first-poller'),
        await makeFolder(root, 'second-poller'),
        await makeFolder(root, 'reader'),
        await makeFolder(root, 'rebuilt'),
      ],
      environment: { ...shared, TAKTGEBER_REFERENCE_KEY: REFERENCE_KEY },
      replicas,
    });
    const megabytes = ((await sizeOfFolder(path.join(root, 'one'))) / 1e6).toFixed(0);
    return [
      `${compared} answers are those of one machine, and ${without} with the store down`,
      `jobs ${togetherSeconds.toFixed(0)} s with store, database, ${WORKERS} workers, one killed during a shard, and Trino, ${aloneSeconds.toFixed(0)} s alone`,
      tablesRead,
      polled,
      `a replica holds ${megabytes} MB`,
    ].join('; ');
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Runs the jobs. Only the store and the databases remain. */
async function runFederation(root: string) {
  const s3 = await startS3();
  const postgres = await startPostgres();
  const catalog = await postgres.createDatabase();
  const operations = await postgres.createDatabase();
  const shared = {
    ...toEnvironment(s3),
    TAKTGEBER_OPERATIONS_POSTGRES_URL: operations,
    TAKTGEBER_OPERATIONS_LEASE_SECONDS: String(LEASE_SECONDS),
    TAKTGEBER_ICEBERG_CATALOG_POSTGRES_URL: catalog,
  };
  const jobs = await makeFolder(root, 'jobs');
  const sourceSeconds = await timed(async () => {
    await runSources(jobs, shared);
    await run(jobs, shared, 'publish-iceberg');
  });
  const warehouse = `${storeUrl(s3)}/iceberg`;
  const trino = await startTrino({ catalogs: { iceberg: icebergJdbcCatalog(catalog, warehouse, { s3 }) }, workers: 1 });
  const withTrino = { ...shared, TAKTGEBER_ENGINE: 'trino', TAKTGEBER_TRINO_URL: trino.address };
  const workers: ChildProcess[] = [];
  for (let i = 0; i < WORKERS; i++) workers.push(startWorker(await makeFolder(root, `worker-${i}`), withTrino));
  const [first, last] = [listDays().at(0)!, listDays().at(-1)!];
  const restart = async (pid: number) => {
    const killed = workers.findIndex((worker) => worker.pid === pid);
    await killWorker(workers[killed]!);
    workers[killed] = startWorker(path.join(root, `worker-${killed}`), withTrino);
  };
  const martSeconds = await timed(async () => {
    await Promise.all([
      run(jobs, withTrino, 'build-marts', '--from', first, '--to', last, '--distribute'),
      killWorkerAtWork({ postgresUrl: operations, leaseSeconds: LEASE_SECONDS }, restart),
    ]);
  });
  for (const worker of workers) await stopWorker(worker);
  const tablesRead = await readFromStore({ s3, catalog, warehouse }, await sumUpCatalog(trino.query));
  for (const name of ['jobs', ...workers.map((_, i) => `worker-${i}`)])
    await rm(path.join(root, name), { recursive: true });
  const serving = {
    TAKTGEBER_WATCHES_POSTGRES_URL: await postgres.createDatabase(),
    TAKTGEBER_ENGINE: 'trino',
    TAKTGEBER_TRINO_URL: trino.address,
  };
  return { s3, shared, serving, tablesRead, togetherSeconds: sourceSeconds + martSeconds };
}

function storeUrl({ bucket }: Pick<S3Service, 'bucket'>): string {
  return `s3://${bucket}/everything`;
}

/** Settings of a store. */
export function toEnvironment({ endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Service): Environment {
  return {
    TAKTGEBER_STORE_URL: storeUrl({ bucket }),
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

/** Days in two months, so that the marts have two shards. */
function listDays(): ServiceDate[] {
  const yesterday = addDays(localDate(nowInstant(systemClock), ZONE), -1);
  const monthStart = `${yesterday.slice(0, 'YYYY-MM'.length)}-01` as ServiceDate;
  return [addDays(monthStart, -1), ...(yesterday === monthStart ? [] : [addDays(yesterday, -1)]), yesterday];
}

/** Prepares the sample: its timetable, and some past days. */
async function runSources(dataDir: string, environment: Environment): Promise<void> {
  await run(dataDir, environment, 'ingest-timetable');
  for (const day of listDays()) await run(dataDir, environment, 'build-sample-history', '--from', day, '--to', day);
}

async function run(dataDir: string, environment: Environment, ...argv: readonly string[]): Promise<void> {
  await runCli(dataDir, environment, 'run', ...argv);
}

async function timed(task: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await task();
  return (performance.now() - started) / 1000;
}

function startWorker(dataDir: string, environment: Environment): ChildProcess {
  const worker = spawn(process.execPath, [CLI, 'work', '--data', dataDir], {
    cwd: dataDir,
    env: { ...process.env, TAKTGEBER_CONFIG: '', TAKTGEBER_METRICS_IS_ENABLED: 'false', ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  endWithProcess(async () => void worker.kill('SIGKILL'));
  return worker;
}

async function killWorker(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  worker.kill('SIGKILL');
  await ended;
}

async function stopWorker(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  worker.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`a worker ended with ${code}`);
}

/** Queries a new period each time, since cached responses need no engine. @throws Error if Trino does not answer */
async function untilTrinoAnswers(replica: Replica): Promise<void> {
  const today = localDate(nowInstant(systemClock), ZONE);
  for (let attempt = 1; attempt <= TRINO_ATTEMPTS; attempt++) {
    await read(replica.url, `/v1/history?from=${addDays(today, -DAYS - attempt)}&to=${addDays(today, -1)}&line=U1`);
    const metrics = await (await fetch(replica.readyUrl.replace(/ready$/, 'metrics'))).text();
    if (/^taktgeber_history_queries_total\{engine="trino"\} [1-9]/m.test(metrics)) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error(`Trino has answered no history query of replica ${replica.name}: ${replica.output()}`);
}

async function serve(name: string, dataDir: string, environment: Environment): Promise<Replica> {
  const settings = { TAKTGEBER_REFERENCE_KEY: REFERENCE_KEY, TAKTGEBER_POLLING_IS_ENABLED: 'false' };
  const replica = await prepareReplica(name, { program: CLI, dataDir, environment: { ...settings, ...environment } });
  endWithProcess(async () => replica.signal('SIGKILL'));
  await replica.start();
  await untilReady(replica);
  return replica;
}

/** Paths of boards, searches, trips and history, all with explicit times, since the current time would differ. */
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

/** @returns number of compared responses */
async function compareAnswers(
  paths: readonly string[],
  alone: string,
  balanced: string,
  replicas: readonly Replica[],
): Promise<number> {
  const origins = [balanced, ...replicas.map(({ url }) => url)];
  for (const one of paths) {
    const expected = await read(alone, one);
    for (const origin of origins) {
      const found = await read(origin, one);
      if (found !== expected) {
        throw new Error(`${one} is ${found.slice(0, 600)} at ${origin}, and ${expected.slice(0, 600)} on one machine`);
      }
    }
  }
  return paths.length * origins.length;
}

/** An answer without the time at which it was generated: that changes every 15 seconds, also between two requests. */
async function read(origin: string, paths: string): Promise<string> {
  const answer = await fetch(origin + paths);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${origin}${paths} is ${answer.status}: ${text.slice(0, 300)}`);
  return text.replace(/"generatedAt":"[^"]*"/, '"generatedAt":""');
}
