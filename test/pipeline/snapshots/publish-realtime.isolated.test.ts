import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import { TextColumn } from '../../../pipeline/model/column.ts';
import { publishRealtime } from '../../../pipeline/snapshots/publish-realtime.ts';
import {
  REALTIME_FORMAT_VERSION,
  type RealtimeManifest,
  type RealtimeSnapshot,
  type RealtimeTables,
  realtimeTables,
} from '../../../pipeline/snapshots/realtime-contract.ts';
import {
  findCurrentRealtime,
  peekRealtimeManifest,
  readRealtimeBytes,
  readRealtimeManifest,
  readRealtimeSnapshot,
  realtimeSnapshotFile,
  realtimeSnapshotsFolder,
  writeRealtimeBytes,
} from '../../../pipeline/snapshots/realtime-files.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';
import { sourceState } from '../../support/worlds/live-world.ts';

/** Counts every step that changes the disk; the one that the test selects fails, as on a full disk. */
const disk = vi.hoisted(() => ({
  steps: [] as string[],
  failAt: Number.POSITIVE_INFINITY,
  take(step: string): void {
    this.steps.push(step);
    if (this.steps.length === this.failAt) throw Object.assign(new Error(`ENOSPC: ${step}`), { code: 'ENOSPC' });
  },
}));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const mkdir = async (...args: Parameters<typeof real.mkdir>) => {
    disk.take('mkdir');
    return real.mkdir(...args);
  };
  const rename = async (...args: Parameters<typeof real.rename>) => {
    disk.take('rename');
    return real.rename(...args);
  };
  const rm = async (...args: Parameters<typeof real.rm>) => {
    disk.take('rm');
    return real.rm(...args);
  };
  const open = async (...args: Parameters<typeof real.open>) => {
    const kind = String(args[1]).includes('w') ? 'file' : 'folder';
    disk.take(`open ${kind}`);
    const handle = await real.open(...args);
    const write = handle.writeFile.bind(handle);
    handle.writeFile = async (content: Parameters<typeof handle.writeFile>[0]) => {
      // A full disk contains the beginning of a file.
      const isFull = disk.steps.length + 1 === disk.failAt;
      if (isFull) await write(Buffer.from(content as Uint8Array).subarray(0, 100));
      disk.take('write');
      return write(content);
    };
    handle.sync = async () => disk.take(`sync ${kind}`);
    return handle;
  };
  const mocked = { mkdir, rename, rm, open };
  return { ...real, ...mocked, default: { ...real, ...mocked } };
});

afterEach(() => {
  disk.failAt = Number.POSITIVE_INFINITY;
});

// ---- Tables --------------------------------------------------------------------------------------

type TableName = keyof RealtimeTables;
const tableNames = Object.keys(realtimeTables) as TableName[];

const arrays = {
  u8: [Uint8Array, 0, 0xff],
  u16: [Uint16Array, 0, 0xffff],
  u32: [Uint32Array, 0, 0xffff_ffff],
  i16: [Int16Array, -0x8000, 0x7fff],
  i32: [Int32Array, -0x8000_0000, 0x7fff_ffff],
} as const;

function anyColumn(type: string, length: number): fc.Arbitrary<unknown> {
  const exactly = { minLength: length, maxLength: length };
  if (type === 'text') {
    return fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), exactly).map((texts) => TextColumn.from(texts));
  }
  if (type === 'u64') return fc.bigUint64Array(exactly);
  if (type === 'f64') return fc.float64Array({ ...exactly, noNaN: true });
  const [Column, min, max] = arrays[type as keyof typeof arrays];
  return fc.array(fc.integer({ min, max }), exactly).map((numbers) => Column.from(numbers));
}

const anyTable = (name: TableName) =>
  fc
    .nat(4)
    .chain((length) =>
      fc.record(
        Object.fromEntries(
          Object.entries(realtimeTables[name]).map(([column, type]) => [column, anyColumn(type, length)]),
        ),
      ),
    );
const anyTables = fc.record(
  Object.fromEntries(tableNames.map((name) => [name, anyTable(name)])),
) as fc.Arbitrary<unknown>;

/** The same tables every time; `marker` distinguishes snapshots. */
function tablesOf(marker: number): RealtimeTables {
  const [tables] = fc.sample(anyTables as fc.Arbitrary<RealtimeTables>, { seed: 7, numRuns: 1 });
  return { ...tables!, alerts: { json: TextColumn.from([`{"marker":${marker}}`]) } };
}

const manifest: RealtimeManifest = {
  kind: 'realtime',
  formatVersion: REALTIME_FORMAT_VERSION,
  id: 'of-a-test',
  timetableId: 'tt',
  createdAt: '2026-03-02T07:00:00.000Z',
  sources: [sourceState('rt', { attribution: 'Größe: ÖBB “R”' })],
  models: [{ sourceId: 'rt', model: 'rt-2026-03-01', lastDay: '2026-03-01' }],
};

/** All values of all columns, as plain lists. */
function toLists(tables: RealtimeTables): unknown {
  const toList = (column: unknown) =>
    column instanceof TextColumn ? Array.from({ length: column.length }, (_, row) => column.get(row)) : column;
  const lists = Object.entries(tables).map(([name, columns]) => [
    name,
    Object.fromEntries(Object.entries(columns).map(([column, values]) => [column, toList(values)])),
  ]);
  return Object.fromEntries(lists);
}

// ---- The bytes -----------------------------------------------------------------------------------

describe('a snapshot as bytes', () => {
  it('round-trips in both directions', () => {
    fc.assert(
      fc.property(anyTables, (any) => {
        const tables = any as RealtimeTables;
        const bytes = writeRealtimeBytes({ manifest, tables });
        const read = readRealtimeBytes(bytes, 'of a test');
        expect(read.manifest).toEqual(manifest);
        expect(toLists(read.tables)).toEqual(toLists(tables));
        expect(Buffer.compare(writeRealtimeBytes(read), bytes)).toBe(0);
      }),
      { numRuns: 60, seed: 20_260_309 },
    );
  });

  it('may be anywhere in a larger buffer', () => {
    const bytes = writeRealtimeBytes({ manifest, tables: tablesOf(1) });
    for (const offset of [1, 8, 63]) {
      const around = new Uint8Array(bytes.length + 2 * offset);
      around.set(bytes, offset);
      const read = readRealtimeBytes(around.subarray(offset, offset + bytes.length), 'of a test');
      expect(toLists(read.tables), `${offset}`).toEqual(toLists(tablesOf(1)));
    }
  });

  const bytes = writeRealtimeBytes({ manifest, tables: tablesOf(1) });

  function findRefusal(damaged: Uint8Array): string {
    try {
      readRealtimeBytes(damaged, 'the snapshot');
    } catch (error) {
      if (!(error instanceof ExternalError)) throw error;
      expect(error.code).toBe('snapshot_damaged');
      expect(error.message).toMatch(/^the snapshot /);
      return error.message;
    }
    return 'read';
  }

  it('is rejected if any of its end is missing', () => {
    // Every length around the parts of the file, and every 16 bytes in between.
    for (let length = 0; length < bytes.length; length += length < 200 || length > bytes.length - 70 ? 1 : 16) {
      expect(findRefusal(bytes.subarray(0, length)), `${length} bytes`).not.toBe('read');
    }
  });

  it('is rejected if one bit has changed, or bytes were added', () => {
    const places = fc.record({ place: fc.nat(bytes.length - 1), bit: fc.nat(7) });
    fc.assert(
      fc.property(places, ({ place, bit }) => {
        const damaged = Uint8Array.from(bytes);
        damaged[place]! ^= 1 << bit;
        expect(findRefusal(damaged)).not.toBe('read');
      }),
      { numRuns: 500, seed: 20_260_310 },
    );
    expect(findRefusal(Buffer.concat([bytes, Buffer.alloc(64)]))).not.toBe('read');
  });

  /** Bytes with a correct checksum but another header. */
  function withHeader(json: string): Uint8Array {
    const header = Buffer.from(json);
    const file = Buffer.alloc(16 + header.length + 64);
    file.write('TAKTRT01', 'latin1');
    file.writeUInt32LE(header.length, 12);
    header.copy(file, 16);
    file.writeUInt32LE(crc32(file.subarray(12)), 8);
    return file;
  }

  test.each<[what: string, foreign: Uint8Array, refusal: RegExp]>([
    ['nothing', new Uint8Array(0), /is not a realtime snapshot/],
    ['an Arrow file', Buffer.concat([Buffer.from('ARROW1\0\0'), Buffer.alloc(100)]), /is not a realtime snapshot/],
    ['a web page', Buffer.from('<!doctype html><title>502 Bad Gateway</title>'), /is not a realtime snapshot/],
    [
      'a snapshot of a later format',
      writeRealtimeBytes({
        manifest: { ...manifest, formatVersion: REALTIME_FORMAT_VERSION + 1 },
        tables: tablesOf(1),
      }),
      new RegExp(`is of format ${REALTIME_FORMAT_VERSION + 1}, and this version reads ${REALTIME_FORMAT_VERSION}`),
    ],
    ['a header that is not JSON', withHeader('not JSON'), /has no header/],
    ['a header that is null', withHeader('null'), /is of format undefined/],
    ['a header without a manifest', withHeader('{"tables":{}}'), /is of format undefined/],
    ['a header without tables', withHeader(JSON.stringify({ manifest, tables: {} })), /lacks the table texts/],
    [
      'a missing table',
      withHeader(JSON.stringify({ manifest, tables: { texts: { start: 0, bytes: 64 } } })),
      /cannot be read/,
    ],
  ])('rejects %s by name', (_what, foreign, refusal) => {
    expect(findRefusal(foreign)).toMatch(refusal);
  });
});

// ---- Publishing ----------------------------------------------------------------------------------

const NOW = Date.parse('2026-03-02T07:00:00Z');

function publish(dataDir: string, marker: number, now = NOW, keep = 3): Promise<string> {
  return publishRealtime(
    dataDir,
    { timetableId: 'tt', sources: manifest.sources, models: manifest.models, tables: tablesOf(marker) },
    now,
    keep,
  );
}

/** The currently published snapshot; null if there is none. */
async function readCurrent(dataDir: string): Promise<RealtimeSnapshot | null> {
  const pointer = await findCurrentRealtime(dataDir);
  return pointer && readRealtimeSnapshot(dataDir, pointer.id);
}

const markerOf = (snapshot: RealtimeSnapshot | null) =>
  snapshot === null ? null : (JSON.parse(snapshot.tables.alerts.json.get(0)) as { marker: number }).marker;

const listFiles = async (dataDir: string) => (await readdir(realtimeSnapshotsFolder(dataDir))).sort();

describe('publishing', () => {
  it('makes the given tables the current snapshot', async () => {
    const dataDir = await temporaryFolder();
    expect(await readCurrent(dataDir)).toBeNull();
    expect(await readRealtimeManifest(dataDir)).toBeNull();
    expect(await peekRealtimeManifest(dataDir)).toBeNull();
    const id = await publish(dataDir, 1);
    expect(await findCurrentRealtime(dataDir)).toEqual({ id, timetableId: 'tt' });
    const read = await readCurrent(dataDir);
    expect(read!.manifest).toEqual({ ...manifest, id });
    expect(toLists(read!.tables)).toEqual(toLists(tablesOf(1)));
    expect(await readRealtimeManifest(dataDir)).toEqual(read!.manifest);
  });

  it('names snapshots by time, then content', async () => {
    const dataDir = await temporaryFolder();
    const ids = [
      await publish(dataDir, 1),
      await publish(dataDir, 2, NOW + 1),
      await publish(dataDir, 2, NOW + 60_000),
    ];
    expect([...ids].sort()).toEqual(ids);
    expect(await publish(dataDir, 1)).toBe(ids[0]);
    expect(await publish(dataDir, 2)).not.toBe(ids[0]);
  });

  it('reports that the state is unknown if the current one is damaged or missing', async () => {
    const dataDir = await temporaryFolder();
    const file = realtimeSnapshotFile(dataDir, await publish(dataDir, 1));
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, 1000));
    await expect(readCurrent(dataDir)).rejects.toMatchObject({ code: 'snapshot_damaged' });
    expect(await readRealtimeManifest(dataDir)).toBeNull();
  });

  it('leaves a complete snapshot wherever it is cut off, and the next one succeeds', async () => {
    const whole = await temporaryFolder();
    for (let i = 0; i < 3; i++) await publish(whole, i, NOW + i * 100_000);
    disk.steps = [];
    await publish(whole, 9, NOW + 500_000);
    const steps = [...disk.steps];
    expect([...new Set(steps)].sort()).toEqual([
      'mkdir',
      'open file',
      'open folder',
      'rename',
      'rm',
      'sync file',
      'sync folder',
      'write',
    ]);

    for (const [i, step] of steps.entries()) {
      const dataDir = await temporaryFolder();
      for (let k = 0; k < 3; k++) await publish(dataDir, k, NOW + k * 100_000);
      disk.steps = [];
      disk.failAt = i + 1;
      await expect(publish(dataDir, 9, NOW + 500_000), step).rejects.toMatchObject({ code: 'ENOSPC' });
      disk.failAt = Number.POSITIVE_INFINITY;
      // The pointer is the second file that is renamed: until then the previous one is valid.
      const renames = steps.slice(0, i).filter((one) => one === 'rename').length;
      expect(markerOf(await readCurrent(dataDir)), `${i} ${step}`).toBe(renames < 2 ? 2 : 9);

      await publish(dataDir, 10, NOW + 600_000);
      expect(markerOf(await readCurrent(dataDir)), `${i} ${step}`).toBe(10);
      expect(
        (await listFiles(dataDir)).filter((name) => name.endsWith('.tmp')),
        `${i} ${step}`,
      ).toEqual([]);
    }
  });
});

describe('files that remain on disk', () => {
  /** Snapshots made these seconds before the last one, and those that remain, including the last one. */
  test.each<[reason: string, secondsAgo: readonly number[], keep: number, left: readonly number[]]>([
    ['fewer than the limit', [300, 200], 3, [300, 200, 0]],
    ['the newest of more', [500, 400, 300, 200], 3, [300, 200, 0]],
    ['only the current one', [500, 400], 1, [0]],
    ['those younger than a minute, whatever their number', [90, 60, 30, 20, 10], 2, [60, 30, 20, 10, 0]],
  ])('%s', async (_case, secondsAgo, keep, left) => {
    const dataDir = await temporaryFolder();
    const ids = new Map<string, number>();
    for (const ago of secondsAgo) ids.set(await publish(dataDir, ago, NOW - ago * 1000, 100), ago);
    ids.set(await publish(dataDir, 0, NOW, keep), 0);
    const names = (await listFiles(dataDir)).filter((name) => name.endsWith('.rt'));
    expect(names.map((name) => ids.get(name.replace('.rt', '')))).toEqual(left);
    expect(markerOf(await readCurrent(dataDir))).toBe(0);
  });

  it('include the current one even if the clock was set back', async () => {
    const dataDir = await temporaryFolder();
    for (const ahead of [100, 200, 300]) await publish(dataDir, ahead, NOW + ahead * 1000);
    await publish(dataDir, 0, NOW, 1);
    expect(markerOf(await readCurrent(dataDir))).toBe(0);
  });

  it('exclude remains of a crash, but no foreign files are touched', async () => {
    const dataDir = await temporaryFolder();
    const id = await publish(dataDir, 1, NOW - 600_000);
    const folder = realtimeSnapshotsFolder(dataDir);
    await writeFile(path.join(folder, `${id}.rt.0123456789ab.tmp`), 'half');
    await writeFile(path.join(folder, 'current.json.0123456789ab.tmp'), 'half');
    await writeFile(path.join(folder, 'notes.txt'), 'of ops');
    const next = await publish(dataDir, 2, NOW, 2);
    expect(await listFiles(dataDir)).toEqual(['current.json', 'notes.txt', `${id}.rt`, `${next}.rt`].sort());
  });
});
