import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isThere, listNames } from '../../effects/files.ts';
import { sortOutMonths } from '../../history/marts/mart-manifest.ts';
import {
  findStopEventManifest,
  listHalfReplacedDays,
  stopEventFile,
} from '../../history/stop-events/stop-event-manifest.ts';
import {
  finishSwaps,
  listObservationFiles,
  listObservedDates,
  listObservedSources,
} from '../../lake/observations/partition-files.ts';
import { martFile, martsFolder, predictionsFolder, stopEventsFolder } from '../../lake/paths.ts';
import { finishPredictionSwaps, listPredictionFiles } from '../../lake/predictions/prediction-files.ts';
import { isSourceId, type SourceId } from '../../model/ids.ts';
import { parseServiceDate, type ServiceDate, toEpochDay } from '../../model/service-time.ts';
import type { PartitionTuple } from '../iceberg/partition-spec.ts';
import type { LakehouseTable } from './lakehouse-tables.ts';

interface LakePartition {
  /** Below the folder of the table, e.g. `source=at/service_date=2026-01-15`. */
  readonly folder: string;
  readonly partition: PartitionTuple;
}

/** A Parquet file of the lake or the marts, where its own job has put it. */
export interface LakeFile extends LakePartition {
  readonly file: string;
}

interface LakeFiles {
  /** Of settled partitions. */
  readonly files: readonly LakeFile[];
  /** Partitions that a job has left unfinished; it will be run again. */
  readonly unsettled: readonly LakePartition[];
}

/** Lists the files that a table consists of now. The jobs that write them must not run meanwhile. */
export async function listLakeFiles(dataDir: string, { kind, definition }: LakehouseTable): Promise<LakeFiles> {
  switch (kind) {
    case 'stopEvents':
      return listStopEventFiles(dataDir);
    case 'observations':
      return { files: await listAllObservations(dataDir), unsettled: [] };
    case 'predictions':
      return { files: await listAllPredictions(dataDir), unsettled: [] };
    case 'marts':
      return listMartFiles(dataDir, definition.name);
    case 'predictionMetrics':
      return { files: await listMonthFiles(dataDir, definition.name), unsettled: [] };
  }
}

// ---- By source and day -------------------------------------------------------------------------

interface SourceDay {
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
}

function toDayPartition({ source, serviceDate }: SourceDay): LakePartition {
  const folder = `source=${source}/service_date=${serviceDate}`;
  return { folder, partition: [source, toEpochDay(serviceDate)] };
}

/**
 * A day without a manifest was left by a job that was killed, also one without a file, if its former manifest is still
 * there; until it is rebuilt, the table keeps its rows.
 */
async function listStopEventFiles(dataDir: string): Promise<LakeFiles> {
  const files: LakeFile[] = [];
  const unsettled: LakePartition[] = (await listHalfReplacedDays(dataDir)).map(toDayPartition);
  for (const day of await listDayFolders(stopEventsFolder(dataDir))) {
    const file = stopEventFile(dataDir, day.source, day.serviceDate);
    if (!(await isThere(file))) continue;
    if (await findStopEventManifest(dataDir, day.source, day.serviceDate)) files.push({ file, ...toDayPartition(day) });
    else unsettled.push(toDayPartition(day));
  }
  return { files, unsettled };
}

async function listAllObservations(dataDir: string): Promise<LakeFile[]> {
  const files: LakeFile[] = [];
  for (const source of await listObservedSources(dataDir)) {
    // A compaction that was killed has left the files of its day elsewhere.
    await finishSwaps(dataDir, source);
    for (const serviceDate of await listObservedDates(dataDir, source)) {
      const found = await listObservationFiles(dataDir, source, serviceDate);
      files.push(...found.map((file) => ({ file, ...toDayPartition({ source, serviceDate }) })));
    }
  }
  return files;
}

async function listAllPredictions(dataDir: string): Promise<LakeFile[]> {
  const files: LakeFile[] = [];
  await finishPredictionSwaps(dataDir);
  for (const day of await listDayFolders(predictionsFolder(dataDir))) {
    const found = await listPredictionFiles(dataDir, day.source, day.serviceDate);
    files.push(...found.map((file) => ({ file, ...toDayPartition(day) })));
  }
  return files;
}

async function listDayFolders(table: string): Promise<SourceDay[]> {
  const days: SourceDay[] = [];
  for (const sourceFolder of (await listNames(table)).sort()) {
    const source = sourceFolder.replace(/^source=/, '');
    if (!sourceFolder.startsWith('source=') || !isSourceId(source)) continue;
    for (const dayFolder of (await readdir(path.join(table, sourceFolder))).sort()) {
      const serviceDate = parseServiceDate(dayFolder.replace(/^service_date=/, ''));
      if (serviceDate) days.push({ source, serviceDate });
    }
  }
  return days;
}

// ---- By month ----------------------------------------------------------------------------------

/** Half-replaced months are left as they were. */
async function listMartFiles(dataDir: string, mart: string): Promise<LakeFiles> {
  const { settled, unsettled } = await sortOutMonths(dataDir);
  const files = await listMonthFiles(dataDir, mart);
  return {
    files: files.filter(({ folder }) => settled.includes(folder.replace(/^month=/, ''))),
    unsettled: unsettled.map(toMonthPartition),
  };
}

async function listMonthFiles(dataDir: string, mart: string): Promise<LakeFile[]> {
  const files: LakeFile[] = [];
  for (const folder of (await listNames(path.join(martsFolder(dataDir), mart))).sort()) {
    const month = /^month=(\d{4}-\d{2})$/.exec(folder)?.[1];
    if (month === undefined) continue;
    const file = martFile(dataDir, mart, month);
    if (await isThere(file)) files.push({ file, ...toMonthPartition(month) });
  }
  return files;
}

/** @param month `YYYY-MM` */
function toMonthPartition(month: string): LakePartition {
  const [year, number] = month.split('-').map(Number);
  return { folder: `month=${month}`, partition: [(year! - 1970) * 12 + number! - 1] };
}
