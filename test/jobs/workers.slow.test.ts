import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Job, JobContext, JobOutcome } from '../../jobs/job/job.ts';
import { noOptions } from '../../jobs/job/job.ts';
import { unitRuns } from '../../jobs/job/resources.ts';
import { holdLocks, listLocks } from '../../jobs/locks/locks.ts';
import { distributeUnits } from '../../jobs/runner/distribute-units.ts';
import { runJob } from '../../jobs/runner/run.ts';
import { runShard } from '../../jobs/runner/run-shard.ts';
import { workShards } from '../../jobs/runner/work-shards.ts';
import { historyRunner, runAndLog } from '../../jobs/schedule/run-and-log.ts';
import { type Config, loadConfig } from '../../pipeline/config/load-config.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { openPostgres } from '../../pipeline/effects/sql-store/postgres-database.ts';
import { readMartManifest, writeMonthFacts } from '../../pipeline/history/marts/mart-manifest.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import type { RunBy } from '../../pipeline/operations/job-run.ts';
import { openOperations } from '../../pipeline/operations/open-operations.ts';
import { shardLock } from '../../pipeline/scale-out/shards/shard.ts';
import { openShardQueue, readShardCounts } from '../../pipeline/scale-out/shards/shard-queue.ts';
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
import { temporaryFolder, testConfig } from './fake-world.ts';
import { sharedJob } from './programs/shared-job.ts';

const LEASE_SECONDS = 3;

const server = usePostgres();

const effects = realEffects({ clock: systemClock, log: silentLog });
const range = (from: string, to: string) => ({ ...noOptions, from: from as ServiceDate, to: to as ServiceDate });
const tenDays = { ...range('2026-03-01', '2026-03-10'), isDistributed: true };

async function openWorld(url?: string) {
  const dataDir = await temporaryFolder();
  const config = await testConfig(dataDir);
  const postgresUrl = url ?? (await server().createDatabase());
  const operations = { ...config.operations, postgresUrl, leaseSeconds: LEASE_SECONDS };
  const own = { ...config, operations };
  /** Workers in this process, until the test ends. */
  const work = (job: Job, concurrency: number, ownEffects = effects) => {
    const stop = new AbortController();
    const working = workShards({ config: own, effects: ownEffects, jobs: [job], concurrency, signal: stop.signal });
    const end = async () => {
      stop.abort(new Error('the test ends'));
      await working;
    };
    onTestFinished(end);
    return end;
  };
  const run = (job: Job, options = tenDays, stopping?: AbortSignal) =>
    runJob(job, { config: own, effects, options, stopping });
  const listUnitRuns = async (job: string) => {
    const history = await openOperations(own, effects);
    const runs = await history.listRuns(unitRuns(job), 100);
    await history.close();
    return runs;
  };
  const notes = async () =>
    (await readFile(path.join(dataDir, 'notes'), 'utf8').catch(() => '')).split('\n').slice(0, -1);
  const made = async () => (await notes()).filter((line) => line.startsWith('made ')).map((line) => line.slice(5, 15));
  const shardCounts = async () => (await readShardCounts(postgresUrl, silentLog))[0];
  return { dataDir, config: own, postgresUrl, work, run, listUnitRuns, notes, made, shardCounts };
}

const daysOf = (count: number) => Array.from({ length: count }, (_, i) => `2026-03-${String(i + 1).padStart(2, '0')}`);

describe('a distributed run', () => {
  it('runs each shard on a worker once, and ends as one run', async () => {
    const { dataDir, work, run, made, listUnitRuns, shardCounts } = await openWorld();
    const ends: string[] = [];
    const job = sharedJob(dataDir, { noteEnd: () => ends.push('end') });
    work(job, 3);
    const record = await run(job);
    expect(record).toMatchObject({ status: 'done', summary: '10 of 10 days done; all published' });
    expect((await made()).sort()).toEqual(daysOf(10));
    expect(ends).toEqual(['end']);
    const runs = await listUnitRuns('sharing');
    expect(runs.length).toBe(10);
    expect(new Set(runs.map(({ state, runBy }) => `${state} ${runBy}`))).toEqual(new Set(['done worker']));
    expect(await shardCounts()).toMatchObject({ waiting: 0, active: 0, failed: 0 });
  });

  it('runs one at a time per job, and the second one names the first', async () => {
    const { dataDir, work, run, made } = await openWorld();
    const job = sharedJob(dataDir);
    work(job, 2);
    const [one, two] = await Promise.allSettled([run(job), run(job)]);
    const refused = [one, two].filter((ended) => ended.status === 'rejected');
    expect(refused.length).toBe(1);
    expect(refused[0]!.reason).toMatchObject({
      code: 'job_running',
      message: expect.stringContaining(`sharing is being run by process ${process.pid}`),
    });
    expect((await made()).length).toBe(10);
  });

  it('continues after a restart of the database', async () => {
    const { dataDir, work, run, notes, made } = await openWorld();
    const job = sharedJob(dataDir, { milliseconds: 300 });
    work(job, 2);
    const running = run(job);
    // In the middle of two shards: one that was built but not acknowledged would be found done, and count as unchanged.
    const isAtWork = async () => {
      const ended = (await made()).length;
      expect([ended > 1, (await notes()).length - 2 * ended]).toEqual([true, 2]);
    };
    await vi.waitFor(isAtWork, { timeout: 20_000, interval: 10 });
    await server().crash();
    await server().restart();
    expect(await running).toMatchObject({ status: 'done', summary: '10 of 10 days done; all published' });
    expect(new Set(await made())).toEqual(new Set(daysOf(10)));
  });

  it('that is stopped withdraws waiting shards; resumed, it runs the rest', async () => {
    const { dataDir, work, run, made, shardCounts } = await openWorld();
    const job = sharedJob(dataDir, { milliseconds: 300 });
    work(job, 1);
    const stop = new AbortController();
    const running = run(job, tenDays, stop.signal);
    await vi.waitFor(async () => expect((await made()).length).toBeGreaterThan(1), { timeout: 20_000 });
    stop.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
    await vi.waitFor(async () => expect(await shardCounts()).toMatchObject({ waiting: 0, active: 0 }), {
      timeout: 20_000,
    });
    const before = await made();
    expect(before.length).toBeLessThan(10);
    const record = await run(job, { ...tenDays, isResumed: true });
    const left = 10 - before.length;
    expect(record.summary).toBe(`${left} of 10 days done, ${before.length} done before; all published`);
    expect((await made()).sort()).toEqual(daysOf(10));
  });

  it('retries temporary failures, and shows permanent ones until they are done', async () => {
    const { dataDir, work, run, shardCounts } = await openWorld();
    const tries = new Map<string, number>();
    let isBroken = true;
    const fail = (day: string): JobOutcome | null => {
      tries.set(day, (tries.get(day) ?? 0) + 1);
      if (day === '2026-03-02' && isBroken) return { status: 'failed', summary: 'it is wrong' };
      // The attempts of one worker are used up before the shard is retried.
      if (day === '2026-03-03' && tries.get(day)! < 2)
        throw new ExternalError('gone', 'it is away', { isRetryable: false });
      return null;
    };
    const job = sharedJob(dataDir, { fail });
    work(job, 2);
    const record = await run(job);
    expect(record).toMatchObject({
      status: 'failed',
      summary: expect.stringMatching(/^8 of 10 days done, 2 failed: /),
    });
    expect(await shardCounts()).toMatchObject({
      waiting: 0,
      active: 0,
      failed: 2,
      failures: expect.arrayContaining([expect.objectContaining({ unit: '2026-03-02', summary: 'it is wrong' })]),
    });
    isBroken = false;
    expect(await run(job, { ...tenDays, isResumed: true })).toMatchObject({ status: 'done' });
    expect(await shardCounts()).toMatchObject({ failed: 0, failures: [] });
  });

  it('builds what an earlier run has built, even if the database is away when its records are to be removed', async () => {
    const { dataDir, work, run, made } = await openWorld();
    let isSecond = false;
    let failures = 0;
    const fail = (day: string): JobOutcome | null => {
      // The attempts of one worker are used up, so that another one takes the shard as a lost one.
      if (!isSecond || day !== '2026-03-02' || ++failures > 3) return null;
      return { status: 'failed', summary: 'it is away', isRetryable: true };
    };
    const job = sharedJob(dataDir, { fail });
    const { plan, noun } = job.division!.shards!;
    const crashing = async (context: JobContext) => {
      const planned = await plan(context);
      if (isSecond) {
        await server().crash();
        void wait(100).then(() => server().restart());
      }
      return planned;
    };
    const sharing = { ...job, division: { ...job.division!, shards: { noun, plan: crashing } } };
    work(sharing, 1);
    const twoDays = { ...range('2026-03-01', '2026-03-02'), isDistributed: true };
    expect(await run(sharing, twoDays)).toMatchObject({ summary: '2 of 2 days done; all published' });
    isSecond = true;
    expect(await run(sharing, twoDays)).toMatchObject({ summary: '2 of 2 days done; all published' });
    expect(await made()).toEqual(['2026-03-01', '2026-03-02', '2026-03-01', '2026-03-02']);
  });

  it('waits for workers, and reports that there are none', async () => {
    const { dataDir, config, work } = await openWorld();
    const job = sharedJob(dataDir);
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (line: string) => void warnings.push(line) };
    const running = runJob(job, { config, effects: { ...effects, log }, options: tenDays });
    await vi.waitFor(
      () => expect(warnings.join()).toContain('is waiting for a worker; start one with "taktgeber work"'),
      {
        timeout: 20_000,
      },
    );
    work(job, 2);
    expect((await running).status).toBe('done');
  });

  it('of the schedule is left to workers if there are any, otherwise runs in its own process', async () => {
    const { dataDir, config, work, notes, listUnitRuns } = await openWorld();
    const operations = { ...config.operations, isDistributed: true };
    const signal = new AbortController().signal;
    const options = range('2026-03-01', '2026-03-04');
    const runner = historyRunner({ config: { ...config, operations }, effects, options, signal });
    const job = sharedJob(dataDir);
    expect(await runner.run(job)).toBe('ran');
    expect((await listUnitRuns('sharing')).length).toBe(0);
    const end = work(job, 1);
    await vi.waitFor(async () => expect((await listLocks(config, effects)).length).toBe(1), { timeout: 20_000 });
    await runner.listRuns(job);
    expect(await runner.run(job)).toBe('ran');
    expect((await notes()).length).toBe(16);
    expect((await listUnitRuns('sharing')).length).toBeGreaterThan(0);
    await end();
  });

  it('of the schedule does not wait for workers that have gone; a manual one does', async () => {
    const { dataDir, config, work, made, shardCounts } = await openWorld();
    const job = sharedJob(dataDir);
    const plan = await job.division!.shards!.plan({ config, effects, options: tenDays });
    // Ten minutes have passed at the second check for workers.
    let passed = 0;
    const real = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => real() + passed);
    onTestFinished(() => void vi.restoreAllMocks());
    const distribute = (runBy: RunBy, warn: () => void) => {
      const context = { config, effects: { ...effects, log: { ...silentLog, warn } }, options: tenDays };
      return distributeUnits(plan.units, { job, noun: 'days', plan, context, run: null, runBy, isResumed: false });
    };
    const pass = () => {
      passed += 11 * 60_000;
    };
    const outcomes = (await distribute('schedule', pass)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(Array(10).fill({ status: 'failed', summary: 'no worker runs', isRetryable: true }));
    expect(await shardCounts()).toMatchObject({ waiting: 0 });
    let warnings = 0;
    const byHand = distribute('hand', () => {
      pass();
      if (++warnings === 3) work(job, 2);
    });
    expect((await byHand).map(({ outcome }) => outcome.status)).toEqual(Array(10).fill('done'));
    expect((await made()).length).toBe(10);
  });

  it('of the schedule is repeated later if all failures are temporary', async () => {
    const { dataDir, config, postgresUrl, work } = await openWorld();
    // Waits between attempts, and in the queue, are shortened.
    const quick = { ...effects, sleep: (ms: number, stop?: AbortSignal) => effects.sleep(Math.min(ms, 200), stop) };
    const fail = (): JobOutcome => ({ status: 'failed', summary: 'it is away', isRetryable: true });
    const job = sharedJob(dataDir, { fail });
    work(job, 2, quick);
    await vi.waitFor(async () => expect((await listLocks(config, effects)).length).toBe(1), { timeout: 20_000 });
    const database = openPostgres(
      postgresUrl,
      { name: 'shard', holds: 'shards', migrations: [], postgresLock: 0 },
      silentLog,
    );
    const hurry = setInterval(
      () => void database.query(`update job_shards set due_at = 0 where state = 'waiting'`),
      500,
    );
    onTestFinished(async () => {
      clearInterval(hurry);
      await database.close();
    });
    const operations = { ...config.operations, isDistributed: true };
    const options = range('2026-03-01', '2026-03-02');
    const request = {
      config: { ...config, operations },
      effects: quick,
      options,
      signal: new AbortController().signal,
    };
    expect(await runAndLog(job, request)).toBe('failedForNow');
  });
});

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
  vi.waitFor(() => expect(worker.log()).toContain(': taking '), { timeout: 60_000, interval: 20 });

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
        timeout: 20_000,
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
      timeout: 20_000,
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
