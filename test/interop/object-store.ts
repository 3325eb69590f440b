import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import { hashFile } from '../../pipeline/effects/hash-file.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import type { StoreSettings } from '../../pipeline/effects/object-store/object-store.ts';
import { openS3Store } from '../../pipeline/effects/object-store/s3-store.ts';
import { collectObjects } from '../../pipeline/scale-out/object-store/collect-objects.ts';
import { fetchTrees } from '../../pipeline/scale-out/object-store/fetch-trees.ts';
import { publishTrees } from '../../pipeline/scale-out/object-store/publish-trees.ts';
import { scanFolder } from '../../pipeline/scale-out/object-store/scan-folder.ts';
import type { StoreContext } from '../../pipeline/scale-out/object-store/store-context.ts';
import { storeNames } from '../../pipeline/scale-out/object-store/store-rules.ts';
import { startS3 } from './services/s3.ts';

const all = { stores: storeNames };
const DAYS = 300;
const DAY_BYTES = 200_000;
/** Size of a file that is uploaded in parts. */
const LARGE_BYTES = 50_000_000;
const WRITERS = 8;

/** Publishes, fetches and garbage-collects trees with competing writers on a real S3 server that crashes in between. */
export async function checkOnS3(): Promise<string> {
  const server = await startS3();
  const settings: StoreSettings = {
    ...{ url: `s3://${server.bucket}/check`, endpoint: server.endpoint, region: server.region, pathStyle: true },
    ...{ accessKeyId: server.accessKeyId, secretAccessKey: server.secretAccessKey, sessionToken: null },
    ...{ timeoutSeconds: 30, retrySeconds: 10, concurrency: 8 },
  };
  const summary = await checkObjectStore(settings);
  await checkCrash(settings, server);
  return summary;
}

/** Runs the same check on any endpoint. @throws Error with the failure */
async function checkObjectStore(settings: StoreSettings): Promise<string> {
  return withMachines(settings, ['a', 'b'], async ([a, b]) => {
    await writeLake(a!.dataDir);
    const published = await timed(() => publishTrees(a!, all));
    const fetched = await timed(() => fetchTrees(b!, all));
    await assertEqual(a!, b!);
    expectTrue((await publishTrees(b!, all)).trees.length === 0, 'a fetched folder has something to publish');
    const before = b!.store.counts.gets + b!.store.counts.lists;
    await fetchTrees(b!, all);
    const again = b!.store.counts.gets + b!.store.counts.lists - before;
    await race(settings);
    const collected = await collectObjects(a!, { now: Date.now(), isDryRun: false });
    expectTrue(collected.removed === 0, 'contents were collected at once');
    const megabytes = (DAYS * DAY_BYTES + LARGE_BYTES) / 1e6;
    const rate = (seconds: number) => `${(megabytes / seconds).toFixed(0)} MB/s`;
    const { puts, gets, lists } = a!.store.counts;
    return [
      `${megabytes.toFixed(0)} MB in ${DAYS + 1} files published at ${rate(published)}, fetched at ${rate(fetched)}`,
      `${puts} writes, ${gets} reads and ${lists} lists to publish and collect`,
      `${again} requests where nothing is new`,
      `of ${WRITERS} writers of one path one wins, and of different paths all`,
    ].join('; ');
  });
}

async function withMachines<Result>(
  settings: StoreSettings,
  names: readonly string[],
  task: (machines: StoreContext[]) => Promise<Result>,
): Promise<Result> {
  const root = await mkdtemp(path.join(tmpdir(), 'taktgeber-store-'));
  const effects = realEffects({ clock: systemClock, log: silentLog });
  const machines: StoreContext[] = [];
  try {
    for (const name of names) {
      const dataDir = path.join(root, name);
      await mkdir(dataDir);
      const store = await openS3Store(settings, effects);
      machines.push({ store, dataDir, concurrency: settings.concurrency, keepGarbageHours: 48, effects });
    }
    return await task(machines);
  } finally {
    for (const { store } of machines) store.close();
    await rm(root, { recursive: true, force: true });
  }
}

async function write(dataDir: string, name: string, content: string | Buffer): Promise<void> {
  await mkdir(path.dirname(path.join(dataDir, name)), { recursive: true });
  await writeFile(path.join(dataDir, name), content);
}

async function writeLake(dataDir: string): Promise<void> {
  for (let i = 0; i < DAYS; i++) {
    const date = new Date(Date.UTC(2026, 0, 1 + (i % 30))).toISOString().slice(0, 10);
    const part = `source=s${Math.floor(i / 30)}/service_date=${date}`;
    await write(dataDir, `lake/stop_events/${part}/part-0.parquet`, randomBytes(DAY_BYTES));
    await write(dataDir, `lake/manifests/stop_events/${part}.json`, JSON.stringify({ date }));
  }
  await write(dataDir, 'streets/a/tiles.tar', randomBytes(LARGE_BYTES));
  await write(dataDir, 'streets/current.json', '{"id":"a"}');
}

async function timed(task: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await task();
  return (performance.now() - start) / 1000;
}

async function assertEqual(a: StoreContext, b: StoreContext): Promise<void> {
  const hashes = async ({ dataDir }: StoreContext) => {
    const files = await scanFolder({ dataDir, stores: storeNames });
    return Promise.all(files.map(async ({ path: name }) => `${name} ${await hashFile(path.join(dataDir, name))}`));
  };
  expectTrue(JSON.stringify(await hashes(a)) === JSON.stringify(await hashes(b)), 'the fetched folder is another');
}

/** Checks concurrent writers on different paths and on the same path. */
async function race(settings: StoreSettings): Promise<void> {
  const names = Array.from({ length: WRITERS }, (_, i) => String(i));
  for (const isDisjoint of [true, false]) {
    await withMachines({ ...settings, url: `${settings.url}/race-${isDisjoint}` }, names, async (writers) => {
      const place = (i: number) => `marts/m${isDisjoint ? i : ''}/part-0.parquet`;
      for (const [i, { dataDir }] of writers.entries()) await write(dataDir, place(i), `of ${i}`);
      const ends = await Promise.allSettled(writers.map((writer) => publishTrees(writer, all)));
      const won = ends.filter(({ status }) => status === 'fulfilled').length;
      const lost = ends.filter((end) => end.status === 'rejected' && end.reason.code === 'write_lost').length;
      expectTrue(won === (isDisjoint ? WRITERS : 1) && won + lost === WRITERS, `${won} of ${WRITERS} writers have won`);
      const { files } = await fetchTrees(writers[0]!, { stores: ['marts'] });
      const wanted = isDisjoint ? WRITERS - 1 : Number(ends[0]!.status === 'rejected');
      expectTrue(files === wanted, `the first writer has fetched ${files} files of the others, not ${wanted}`);
    });
  }
}

/** Checks that publishing fails while the server is down, and is completed afterwards. */
async function checkCrash(settings: StoreSettings, server: { crash(): Promise<void>; restart(): Promise<void> }) {
  const impatient = { ...settings, url: `${settings.url}/crash`, retrySeconds: 1, timeoutSeconds: 5 };
  await withMachines(impatient, ['a', 'b'], async ([a, b]) => {
    await writeLake(a!.dataDir);
    const publishing = publishTrees(a!, all).then(
      () => 'done',
      (error: unknown) => (error as { code?: string }).code,
    );
    await server.crash();
    const end = await publishing;
    expectTrue(end === 'store_unreachable', `a publication to a server that crashed has ended with ${end}`);
    await server.restart();
    await fetchTrees(b!, all);
    await publishTrees(a!, all);
    await fetchTrees(b!, all);
    await assertEqual(a!, b!);
  });
}

function expectTrue(isTrue: boolean, complaint: string): void {
  if (!isTrue) throw new Error(complaint);
}
