import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openDuckdb, sqlText } from '../../../../pipeline/effects/duckdb.ts';
import {
  findStopEventManifest,
  listStopEventDays,
  publishStopEvents,
} from '../../../../pipeline/history/stop-events/stop-event-store.ts';
import { lakeFolder } from '../../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { readFolderState } from '../../../support/checks/folder-state.ts';
import { archiveFolder, importFile, queryStopEvents, writeArchive } from '../../../support/worlds/imported-world.ts';
import { csv, EVENTS, MAPPING, TRAIN, withFacts } from '../../../support/worlds/made-up-archive.ts';

describe('files', () => {
  const shape = async (dataDir: string) => queryStopEvents(dataDir, 'own', EVENTS);

  it('may be compressed, in another encoding, or Parquet', async () => {
    const dataDir = await archiveFolder();
    const plain = await writeArchive(dataDir, 'days.csv', csv(TRAIN));
    await importFile({ dataDir, file: plain, mapping: MAPPING });
    const expected = await shape(dataDir);
    const variants: [name: string, mapping: string, bytes: Uint8Array | null][] = [
      ['days.csv.gz', MAPPING, gzipSync(csv(TRAIN))],
      [
        'days.csv',
        withFacts(MAPPING, 'delimiter: ;', 'encoding: utf-8, latin-1'),
        Buffer.from(csv(TRAIN).replaceAll(',', ';').replaceAll('S 1', 'S\u00fcd'), 'latin1'),
      ],
      ['days.parquet', MAPPING.replace('format: csv', 'format: parquet'), null],
    ];
    for (const [name, mapping, bytes] of variants) {
      const other = await archiveFolder();
      const file = await writeArchive(other, name, bytes ?? '');
      if (!bytes) await copyToParquet(plain, file);
      await importFile({ dataDir: other, file, mapping });
      expect(await shape(other), name).toEqual(expected);
    }
  });

  async function copyToParquet(from: string, to: string): Promise<void> {
    const db = await openDuckdb({ threads: 1 });
    await db.run(
      `copy (from read_csv(${sqlText(from)}, types = {'trip': 'VARCHAR'})) to ${sqlText(to)} (format parquet)`,
    );
    db.close();
  }

  it('without a column of the mapping are rejected by its name', async () => {
    const dataDir = await archiveFolder();
    const file = await writeArchive(dataDir, 'days.csv', 'day,trip\n2025-03-28,a\n');
    await expect(importFile({ dataDir, file, mapping: MAPPING })).rejects.toThrow(
      /^the mapping own does not fit days\.csv: line 11: .*"line" not found in FROM clause!; the archive has day, trip$/,
    );
  });

  it('that cannot be read are rejected', async () => {
    const dataDir = await archiveFolder();
    const broken = await writeArchive(dataDir, 'days.csv.gz', 'no gzip');
    await expect(importFile({ dataDir, file: broken, mapping: MAPPING })).rejects.toMatchObject({
      code: 'archive_unreadable',
    });
    const latin = await writeArchive(dataDir, 'days.csv', Buffer.from(csv(TRAIN).replace('S 1', 'S\u00fcd'), 'latin1'));
    await expect(importFile({ dataDir, file: latin, mapping: MAPPING })).rejects.toThrow('days.csv is not in utf-8');
  });
});

describe('an import that is repeated', () => {
  const TWO_DAYS = [
    ...TRAIN,
    ...TRAIN.map((call) => ({
      ...call,
      day: '2025-03-29',
      arr: call.arr!.replace('-28', '-29'),
      dep: (call.dep ?? '').replace('-28', '-29'),
    })),
  ];
  const world = async () => {
    const dataDir = await archiveFolder();
    return { dataDir, mapping: MAPPING, file: await writeArchive(dataDir, 'days.csv', csv(TWO_DAYS)) };
  };

  it('changes nothing, and skips days that were not requested', async () => {
    const request = await world();
    const one = await importFile({ ...request, from: '2025-03-29' });
    expect(one.record).toMatchObject({ rowsRead: 8, rowsOutside: 4, builtDays: 1 });
    expect(await listStopEventDays(request.dataDir)).toHaveLength(1);
    const rest = await importFile(request);
    expect([rest.isUnchanged, rest.record.builtDays, rest.record.days.length]).toEqual([false, 1, 2]);
    const before = await readFolderState(lakeFolder(request.dataDir));
    expect((await importFile(request)).isUnchanged).toBe(true);
    expect((await importFile({ ...request, from: '2025-03-29', to: '2025-03-29' })).isUnchanged).toBe(true);
    expect(await readFolderState(lakeFolder(request.dataDir))).toEqual(before);
  });

  it('only counts in a dry run, and writes nothing', async () => {
    const request = await world();
    expect((await importFile({ ...request, isDryRun: true })).record).toMatchObject({ rowsRead: 8, builtDays: 2 });
    expect(await listStopEventDays(request.dataDir)).toEqual([]);
  });

  it('imports the missing days after a crash in the middle', async () => {
    const request = await world();
    const isOver = (sql: string) => /parquet_file_metadata\(.*2025-03-29/.test(sql);
    const crash = importFile({
      ...request,
      onEngine: (db) => ({
        ...db,
        query: async (sql, values) => {
          if (isOver(sql)) throw new Error('the power went');
          return db.query(sql, values);
        },
      }),
    });
    await expect(crash).rejects.toThrow('the power went');
    expect((await listStopEventDays(request.dataDir)).map(({ serviceDate }) => serviceDate)).toEqual(['2025-03-28']);
    expect((await importFile(request)).record).toMatchObject({ builtDays: 1 });
    const fresh = await world();
    await importFile(fresh);
    for (const { source, serviceDate } of await listStopEventDays(fresh.dataDir)) {
      const manifests = [request, fresh].map(({ dataDir }) => findStopEventManifest(dataDir, source, serviceDate));
      const [there, expected] = await Promise.all(manifests);
      expect(there).toEqual(expected);
    }
  });

  it('an archive of the same name replaces the previous one', async () => {
    const request = await world();
    await importFile(request);
    await writeArchive(request.dataDir, 'days.csv', csv([TRAIN[0]!]));
    await importFile(request);
    const [day] = await listStopEventDays(request.dataDir);
    expect(await findStopEventManifest(request.dataDir, day!.source, day!.serviceDate)).toMatchObject({
      rows: 1,
      rowsIn: 1,
    });
  });

  it('another archive of the same day adds its calls, and wins where both have one', async () => {
    const request = await world();
    await importFile(request);
    const other = csv([TRAIN[0]!, { ...TRAIN[1]!, ad: 9 }, { ...TRAIN[0]!, trip: 'u' }]);
    await importFile({ ...request, file: await writeArchive(request.dataDir, 'more.csv', other) });
    const rows = await shapeOf(request.dataDir);
    expect(rows).toEqual([
      ['t', 0, 120, 'more.csv'],
      ['t', 1, 540, 'more.csv'],
      ['t', 2, 0, 'days.csv'],
      ['t', 3, 0, 'days.csv'],
      ['u', 0, 120, 'more.csv'],
    ]);
    const day = '2025-03-28' as ServiceDate;
    const merged = await findStopEventManifest(request.dataDir, toSourceId('own'), day);
    expect(merged).toMatchObject({ rows: 5, rowsIn: 7, refused: { replaced: 2 } });
    expect(merged?.inputs.map(({ name }) => name)).toEqual([
      'days.csv',
      'days.csv: mapping own',
      'more.csv',
      'more.csv: mapping own',
    ]);
    expect((await importFile(request)).isUnchanged).toBe(true);
  });

  const shapeOf = async (dataDir: string) =>
    (
      await queryStopEvents(
        dataDir,
        'own',
        `select trip_id, position, delay_seconds, split_part(raw_id, '@', 1) as file
         from stop_events where service_date = '2025-03-28' order by all`,
      )
    ).map((row) => Object.values(row));

  it('a day of a realtime source is not changed', async () => {
    const request = await world();
    await importFile(request);
    const facts = {
      sourceId: toSourceId('own'),
      serviceDate: '2025-03-28' as ServiceDate,
      kind: 'realtime',
      rulesVersion: 1,
      inputs: [],
      rowsIn: 4,
      refused: {},
      builtAt: '2026-01-01T00:00:00Z',
    } as const;
    const db = await openDuckdb({ threads: 1 });
    const rows = path.join(request.dataDir, 'rows.parquet');
    const stored = path.join(
      lakeFolder(request.dataDir),
      'stop_events',
      'source=own',
      'service_date=2025-03-28',
      '*.parquet',
    );
    await db.run(`copy (from read_parquet(${sqlText(stored)}, hive_partitioning = false)) to ${sqlText(rows)}`);
    await publishStopEvents(db, request.dataDir, path.join(request.dataDir, 'work'), `from ${sqlText(rows)}`, facts);
    db.close();
    await expect(importFile({ ...request, isForced: true })).rejects.toMatchObject({ code: 'import_conflict' });
  });
});
