import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Database from 'libsql';
import { silentLog } from '../../pipeline/effects/log.ts';
import { newestFormat, writeDataFormat } from '../../pipeline/lake/data-format.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { emptyUpdate } from '../../pipeline/model/realtime.ts';
import { noCounts } from '../../pipeline/operations/job-run.ts';
import { openOperations, operationsFile } from '../../pipeline/operations/open-operations.ts';
import { spendBudget } from '../../pipeline/realtime/polling/daily-budget.ts';
import { openLiveSink } from '../../pipeline/realtime/polling/live-sink.ts';
import { setStandby } from '../../pipeline/realtime/polling/standby.ts';
import { publishHistory } from '../../pipeline/snapshots/publish-history.ts';
import { clock as instantOf, lineFeed } from '../pipeline/realtime/live-line.ts';
import { fakeSource } from '../pipeline/realtime/polling/virtual-world.ts';
import { publishFeeds } from '../support/worlds/board-world.ts';
import { fakeEffects } from './fake-world.ts';

export const NOW = '2026-03-02T07:00:00.000Z';
const live = toSourceId('live');
export const settings = { memoryLimit: '256MB', threads: 1, keepSnapshots: 3, raw: { maxAgeHours: 72, maxBytes: 1e8 } };

/** A data folder with a file of every kind that is read at a start. Paths below it; `*` stands for an id. */
export const files = [
  'taktgeber.yaml',
  'snapshots/timetable/current.json',
  'snapshots/timetable/*/manifest.json',
  'snapshots/timetable/*/stops.arrow',
  'snapshots/timetable/checked.json',
  'snapshots/realtime/current.json',
  'snapshots/realtime/*.rt',
  'snapshots/history/current.json',
  'snapshots/history/*/manifest.json',
  'streets/current.json',
  'streets/*/manifest.json',
  'streets/*/tiles.tar',
  'operations/operations.sqlite',
  'locks/build-marts.lock',
  'realtime/budgets/live.json',
  'realtime/standby.json',
  'secrets/reference-key',
  'secrets/vapid-key',
  'state/observations/source=live/*.journal',
  'state/deletions/raw-answers.json',
  'marts/manifest.json',
  'marts/month-manifests/month=*/manifest.json',
  'lake/prediction_models/source=live/current.json',
  'lake/prediction_models/source=live/*/manifest.json',
  'lake/prediction_models/source=live/*/model.bin',
  'lake/manifests/prediction_days/source=live/service_date=*.json',
  'lake/manifests/timetable/source=at/feed_version=*.json',
] as const;

export type DataFile = (typeof files)[number];

const CONFIG = 'realtime:\n  - {id: live, kind: gtfs-rt, timetable: at, tripUpdates: "http://127.0.0.1:1/"}\n';

export async function makeDataFolder(): Promise<string> {
  const { mkdtemp } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-damaged-'));
  await publishFeeds({ at: lineFeed }, { dataDir });
  await writeFile(path.join(dataDir, 'taktgeber.yaml'), CONFIG);
  const sink = await openLiveSink(dataDir, [fakeSource('live')], settings, { log: silentLog });
  const at = instantOf('08:00');
  await sink.apply({ sourceId: live, part: 'all', fetchedAt: at, rawId: 'raw', update: emptyUpdate });
  await sink.publish([], at);
  await sink.close();
  const effects = fakeEffects(NOW);
  await publishHistory(
    {
      dataDir,
      definition: { onTimeMaxDelaySeconds: 330, lateMinDelaySeconds: 600, earlyMinSeconds: -60 },
      keepSnapshots: 2,
      duckdb: settings,
    },
    effects,
  );
  await spendBudget(dataDir, live, { requests: 9, zone: 'Europe/Vienna' }, at, effects);
  await setStandby(dataDir, live, false, Date.parse(NOW));
  await recordRun(dataDir);
  await writeDataFormat(dataDir, newestFormat(), 'test');
  for (const [file, content] of Object.entries(madeUpFiles)) await write(path.join(dataDir, file), content);
  for (const file of files) await resolve(dataDir, file);
  return dataDir;
}

/** Files that no code of this test writes, as their writers leave them. */
const madeUpFiles: Readonly<Record<string, string>> = {
  'snapshots/timetable/checked.json': JSON.stringify({ at: NOW }),
  'streets/current.json': JSON.stringify({ id: 'town' }),
  'streets/town/manifest.json': JSON.stringify({
    kind: 'streets',
    rulesVersion: 1,
    id: 'town',
    createdAt: NOW,
    source: { name: 'town.osm.pbf', bytes: 1, sha256: '' },
    tiles: { count: 1, bytes: 4096 },
  }),
  'streets/town/tiles.tar': 'x'.repeat(4096),
  'locks/build-marts.lock': JSON.stringify({ host: 'elsewhere', pid: 1, processStart: null, startedAt: NOW }),
  'secrets/reference-key': `${'07'.repeat(32)}\n`,
  'secrets/vapid-key': `${Buffer.alloc(32, 7).toString('base64url')}\n`,
  'state/deletions/raw-answers.json': JSON.stringify({ at: NOW }),
  'marts/manifest.json': JSON.stringify({ formatVersion: 1, months: {} }),
  'marts/month-manifests/month=2026-03/manifest.json': JSON.stringify({ formatVersion: 1, facts: null }),
  'lake/prediction_models/source=live/current.json': JSON.stringify({ id: '2026-03-01-abc' }),
  'lake/prediction_models/source=live/2026-03-01-abc/manifest.json': JSON.stringify({
    id: '2026-03-01-abc',
    sourceId: 'live',
    lastDay: '2026-03-01',
    shifts: [],
    modelHash: '',
  }),
  'lake/prediction_models/source=live/2026-03-01-abc/model.bin': 'model',
  'lake/manifests/prediction_days/source=live/service_date=2026-03-01.json': JSON.stringify({ figures: [] }),
};

/** A run in the history, with the complete history in one file. */
async function recordRun(dataDir: string): Promise<void> {
  const settings = { dataDir, operations: { postgresUrl: null } };
  const history = await openOperations(settings, fakeEffects(NOW));
  const number = await history.begin({ job: 'ingest-timetable', arguments: '', runBy: 'hand' });
  const nothing = { isRetryable: false, counts: noCounts, peakMemoryBytes: null };
  await history.end(number, { ...nothing, state: 'done', attempts: 1, summary: '' });
  const database = new Database(operationsFile(dataDir));
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
}

async function write(file: string, content: string | Buffer): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
}

/** The path of a file, whatever its id is here. */
export async function resolve(dataDir: string, file: DataFile): Promise<string> {
  const names = await readdir(dataDir, { recursive: true });
  const pattern = new RegExp(`^${file.replaceAll('.', '\\.').replace('*', '[^/]+')}$`);
  const found = names.find((name) => pattern.test(name));
  if (found === undefined) throw new Error(`the data folder has no ${file}`);
  return path.join(dataDir, found);
}
