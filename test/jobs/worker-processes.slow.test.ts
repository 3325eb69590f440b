import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Job, JobContext } from '../../jobs/job/job.ts';
import { unitRuns } from '../../jobs/job/resources.ts';
import { holdLocks, listLocks } from '../../jobs/locks/locks.ts';
import { runJob } from '../../jobs/runner/run.ts';
import { runShard } from '../../jobs/runner/run-shard.ts';
import { workShards } from '../../jobs/runner/work-shards.ts';
import { type Config, loadConfig } from '../../pipeline/config/load-config.ts';
import { readMartManifest, writeMonthFacts } from '../../pipeline/history/marts/mart-manifest.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { openOperations } from '../../pipeline/operations/open-operations.ts';
import { shardLock } from '../../pipeline/scale-out/shards/shard.ts';
import { openShardQueue } from '../../pipeline/scale-out/shards/shard-queue.ts';
import { compileProgram } from '../support/fakes/compiled-program.ts';
import { startS3Server, storeVariables } from '../support/fakes/s3-server.ts';
import { usePostgres } from '../support/fakes/use-postgres.ts';
import {
  live,
  openWorldToFinalise,
  other,
  type ReportedEvent,
  storeAnswers,
} from '../support/worlds/finalised-world.ts';
import { silentLog, soundFeed } from '../support/worlds/ingest.ts';
import { withFiles } from '../support/worlds/text-feed.ts';
import { temporaryFolder } from './fake-world.ts';
import { sharedJob } from './programs/shared-job.ts';
import { daysOf, effects, LEASE_SECONDS, openSharedWorld, range, tenDays } from './shared-world.ts';

const server = usePostgres();

const openWorld = () => openSharedWorld(server());

describe('with an object store', () => {
  /** @returns a function that makes a machine with its own data folder; all share the store and the database */
  async function openMachines(): Promise<() => Promise<Config>> {
    const store = await startS3Server();
    onTestFinished(() => store.close());
    const environment = {
      TAKTGEBER_OPERATIONS_POSTGRES_URL: await server().createDatabase(),
      ...storeVariables(store),
    };
    return async () => {
      const own = { ...environment, TAKTGEBER_DATA: await temporaryFolder() };
      return (await loadConfig({ environment: own, cwd: '/', home: '/' })).config;
    };
  }

  const martOf = (day: string) => `marts/line_daily/month=2026-${day.slice(8)}/part-0.parquet`;
  const writeMart = async (dataDir: string, day: string) => {
    const file = path.join(dataDir, martOf(day));
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, day);
    return { status: 'done' as const, summary: `made ${day}` };
  };

  async function runOn(machine: () => Promise<Config>, jobOf: (dataDir: string) => Job) {
    const stop = new AbortController();
    const workers = await Promise.all([machine(), machine()]);
    const working = workers.map((config) =>
      workShards({ config, effects, jobs: [jobOf(config.dataDir)], concurrency: 1, signal: stop.signal }),
    );
    const config = await machine();
    const record = await runJob(jobOf(config.dataDir), { config, effects, options: tenDays });
    stop.abort(new Error('the test ends'));
    await Promise.all(working);
    return { record, config };
  }

  it('months that machines publish at the same time do not conflict: each is built once', async () => {
    const built: string[] = [];
    const jobOf = (dataDir: string): Job => {
      const plan = async (context: JobContext) => ({
        ...(await sharedJob(dataDir).division!.shards!.plan(context)),
        end: async () => ({ status: 'done' as const }),
      });
      const run = async ({ options }: JobContext) => {
        const day = options.from!;
        built.push(day);
        // Long enough for the other machine to publish in between.
        await wait(1000);
        const made = await writeMart(dataDir, day);
        const facts = { rules: 'r', days: {}, files: {}, builtAt: day };
        await writeMonthFacts(dataDir, `2026-${day.slice(8)}`, facts);
        return made;
      };
      const division = { noun: 'days', plan, shards: { noun: 'days', plan } };
      return { ...sharedJob(dataDir), name: 'build-marts', division, run };
    };
    const { record, config } = await runOn(await openMachines(), jobOf);
    expect(record).toMatchObject({ status: 'done', summary: '10 of 10 days done' });
    expect([...built].sort()).toEqual(daysOf(10));
    expect(Object.keys((await readMartManifest(config.dataDir)).months).length).toBe(10);
  });

  it('each machine has its own data folder, and the run finds what its workers have published', async () => {
    const seen: string[] = [];
    const jobOf = (dataDir: string): Job => {
      const job = sharedJob(dataDir);
      const end = async () => {
        for (const day of daysOf(10)) seen.push(await readFile(path.join(dataDir, martOf(day)), 'utf8'));
        return { status: 'done' as const };
      };
      const plan = async (context: JobContext) => ({ ...(await job.division!.shards!.plan(context)), end });
      const division = { ...job.division!, shards: { noun: 'days', plan } };
      return { ...job, name: 'build-marts', division, run: ({ options }) => writeMart(dataDir, options.from!) };
    };
    const { record } = await runOn(await openMachines(), jobOf);
    expect(record).toMatchObject({ status: 'done', summary: '10 of 10 days done' });
    expect(seen).toEqual(daysOf(10));
  });
});

// ---- Processes ---------------------------------------------------------------------------------

let program: string;

interface StartedWorker {
  readonly child: ChildProcess;
  /** Its log. */
  log(): string;
  ended: Promise<unknown>;
}

function start(argv: readonly string[], environment: Record<string, string>): StartedWorker {
  const child = spawn(process.execPath, [program, ...argv], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      TAKTGEBER_METRICS_IS_ENABLED: 'false',
      TAKTGEBER_LOG_FORMAT: 'pretty',
      TAKTGEBER_INGEST_THREADS: '1',
      TAKTGEBER_OPERATIONS_LEASE_SECONDS: String(LEASE_SECONDS),
      ...environment,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stderr!.on('data', (chunk) => {
    text += chunk;
  });
  return { child, log: () => text, ended: once(child, 'exit') };
}

const untilTaken = (worker: StartedWorker) =>
  vi.waitFor(() => expect(worker.log()).toContain(': taking '), { timeout: 150_000, interval: 20 });

describe('a worker', () => {
  it('that was paused beyond its lease publishes nothing when it continues', async () => {
    program = await compileProgram('test/jobs/programs/worker.ts');
    const { dataDir, postgresUrl, run, made } = await openWorld();
    const environment = {
      TAKTGEBER_DATA: dataDir,
      TAKTGEBER_OPERATIONS_POSTGRES_URL: postgresUrl,
      TEST_FOLDER: dataDir,
      TEST_MILLISECONDS: '1000',
    };
    const zombie = start(['work'], environment);
    const running = run(sharedJob(dataDir), { ...range('2026-03-01', '2026-03-03'), isDistributed: true });
    await untilTaken(zombie);
    zombie.child.kill('SIGSTOP');
    start(['work'], environment);
    expect(await running).toMatchObject({ status: 'done', summary: '3 of 3 days done; all published' });
    const before = await made();
    zombie.child.kill('SIGCONT');
    await vi.waitFor(
      () => expect(zombie.log()).toContain('is left to another worker: the locks of this run are lost'),
      {
        timeout: 90_000,
      },
    );
    expect(await made()).toEqual(before);
    expect([...before].sort()).toEqual(daysOf(3));
  });

  /** A queue with one shard, and a paused worker that has taken it. */
  async function openStillWorld() {
    const world = await openWorld();
    const queue = await openShardQueue(world.postgresUrl, silentLog);
    onTestFinished(() => queue.close());
    const job = sharedJob(world.dataDir);
    const unit = '2026-03-01';
    await queue.add([{ job: job.name, unit, arguments: '', options: { from: unit, to: unit }, run: null }]);
    const taken = (await queue.take(job.name))!;
    const { signal } = new AbortController();
    const goOn = () =>
      runShard(taken, job, queue, { config: world.config, effects, jobs: [job], concurrency: 1, signal });
    return { ...world, queue, job, taken, goOn };
  }

  it('that was paused before it had the lock of its shard leaves completed work of others', async () => {
    const { config, queue, taken, goOn, made } = await openStillWorld();
    await queue.end(taken, { status: 'done', summary: 'made', worker: 'another one' });
    await goOn();
    expect(await made()).toEqual([]);
    expect(await listLocks(config, effects)).toEqual([]);
  });

  it('that was paused leaves its shard to the worker that has it by now', async () => {
    const { config, queue, job, taken, goOn, made } = await openStillWorld();
    await queue.retry(taken, { status: 'failed', summary: 'its worker was lost', isRetryable: true, worker: '' });
    const again = await vi.waitFor(async () => (await queue.take(job.name)) ?? expect.fail('it waits'), {
      timeout: 90_000,
      interval: 200,
    });
    const locks = await holdLocks([shardLock(again)], { job: job.name, config, effects });
    await goOn();
    expect(await queue.listActive(job.name, 0)).toEqual([again]);
    await locks.release();
    expect(await made()).toEqual([]);
  });

  it('that is terminated gives its shard back, and ends normally', async () => {
    program = await compileProgram('test/jobs/programs/worker.ts');
    const { dataDir, postgresUrl, run, made } = await openWorld();
    const environment = {
      TAKTGEBER_DATA: dataDir,
      TAKTGEBER_OPERATIONS_POSTGRES_URL: postgresUrl,
      TEST_FOLDER: dataDir,
      TEST_MILLISECONDS: '2000',
    };
    const worker = start(['work'], environment);
    const running = run(sharedJob(dataDir), { ...range('2026-03-01', '2026-03-02'), isDistributed: true });
    await untilTaken(worker);
    worker.child.kill('SIGTERM');
    await worker.ended;
    expect(worker.child.exitCode).toBe(0);
    expect(worker.log()).toContain('2026-03-01 is returned to the queue: this worker stops');
    start(['work'], environment);
    expect(await running).toMatchObject({ status: 'done' });
    expect((await made()).sort()).toEqual(daysOf(2));
  });
});

const DAYS = daysOf(6);
const NOW = '2026-03-20T06:00:00Z';

/** Six observed days of two sources. */
async function observeDays() {
  const feed = withFiles(soundFeed, {});
  const world = await openWorldToFinalise(feed, DAYS[0]!);
  for (const date of DAYS) {
    for (const source of [live, other]) {
      const reported: ReportedEvent[] = [1, 2].map((position) => ({
        trip: 't1',
        position,
        event: 'departure',
        stopId: 'a',
        planned: `${date}T08:00:00Z`,
        time: `${date}T08:0${position}:00Z`,
      }));
      await storeAnswers({ ...world, date: date as ServiceDate }, [{ at: `${date}T08:05:00Z`, reported }], source);
    }
  }
  return world;
}

async function listFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const contents = files.map(async (file) => [path.relative(folder, file), await readFile(file, 'base64')] as const);
  return new Map((await Promise.all(contents)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The program is compiled, and four processes start, on a machine that may be busy. */
const SEVERAL_PROCESSES_MILLISECONDS = 420_000;

it('three workers, of which one is killed in the middle, build the same as one machine', {
  timeout: SEVERAL_PROCESSES_MILLISECONDS,
}, async () => {
  program = await compileProgram('test/jobs/programs/worker.ts');
  const { dataDir } = await observeDays();
  const alone = await temporaryFolder();
  await cp(dataDir, alone, { recursive: true });
  const postgresUrl = await server().createDatabase();
  const config = path.join(dataDir, 'taktgeber.yaml');
  const run = ['run', 'finalise-stop-events', '--from', DAYS[0]!, '--to', DAYS.at(-1)!, '--config', config];
  const single = start([...run, '--data', alone], { TEST_NOW: NOW });
  const shared = { TEST_NOW: NOW, TAKTGEBER_OPERATIONS_POSTGRES_URL: postgresUrl, TAKTGEBER_DATA: dataDir };
  const workers = [1, 2, 3].map(() => start(['work', '--config', config], { ...shared, TEST_MILLISECONDS: '500' }));
  const coordinator = start([...run, '--distribute'], shared);
  await untilTaken(workers[0]!);
  workers[0]!.child.kill('SIGKILL');
  await Promise.all([coordinator.ended, single.ended]);
  expect([single.child.exitCode, coordinator.child.exitCode], coordinator.log()).toEqual([0, 0]);
  const history = await openOperations({ dataDir, operations: { postgresUrl } }, effects);
  const runs = await history.listRuns(unitRuns('finalise-stop-events'), 100);
  await history.close();
  const ended = runs.filter(({ state }) => state === 'done' || state === 'unchanged').map((one) => one.arguments);
  expect(new Set(ended).size).toBe(12);
  expect(ended.length).toBe(12);
  const lake = (folder: string) => listFiles(path.join(folder, 'lake'));
  expect(await lake(dataDir)).toEqual(await lake(alone));
  expect([...(await lake(dataDir)).keys()].filter((file) => file.includes('stop_events')).length).toBeGreaterThan(12);
});
