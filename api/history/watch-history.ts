import path from 'node:path';
import { type Clock, nowInstant } from '../../pipeline/effects/clock.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import { AUSTRIA, localDate, type ServiceDate } from '../../pipeline/model/service-time.ts';
import type { TrinoAddress } from '../../pipeline/scale-out/trino/open-trino.ts';
import {
  ALL_SOURCES,
  findCurrentHistoryId,
  historySnapshotsFolder,
} from '../../pipeline/snapshots/history-contract.ts';
import { predictionMetricsFolder } from '../../pipeline/snapshots/prediction-metrics-contract.ts';
import type { SnapshotHolder } from '../plugins/route-handler.ts';
import { type HolderOptions, holdSnapshot, type LiveSnapshotHolder } from '../plugins/snapshot-holder.ts';
import type { HistoryEngine, HistoryLimits, LoadedTables } from './history-engine.ts';
import { loadTables, readTableSql } from './load-tables.ts';
import { type MartReader, type MartReaderParts, openMartReader } from './mart-reader.ts';
import { type HistoryReader, type HistorySql, openHistory, readHistorySql } from './open-history.ts';
import { DEFAULT_DAYS, defaultPeriod } from './question.ts';
import type { Punctuality } from './tally.ts';
import type { AnsweredBy, TrinoHistory } from './trino-reader.ts';

/** The default period for the site's page; null while it is not computed. */
export function findPunctuality(histories: SnapshotHolder<HistoryReader>, clock: Clock): Punctuality | null {
  const history = histories.current()?.value;
  const period = defaultPeriod(localDate(nowInstant(clock), AUSTRIA), DEFAULT_DAYS.v2);
  const numbers = history?.findReady({ period, source: ALL_SOURCES, line: null, operator: null, stops: null });
  return history && numbers ? { numbers, definition: history.manifest.definition } : null;
}

export interface HistoryEffects extends Pick<HolderOptions, 'onLoad'> {
  readonly clock: Clock;
  readonly log: Log;
  /** Counts a response of an API that queries Trino. */
  readonly onAnswer?: (by: AnsweredBy) => void;
}

/** Trino as the engine of the history. */
export interface TrinoSettings extends TrinoAddress {
  readonly queryTimeLimitSeconds: number;
}

/** The marts of a snapshot. */
type MartFiles = Pick<MartReaderParts, 'folder' | 'files'>;

export interface HistoryHolder extends LiveSnapshotHolder<HistoryReader> {
  /** Queries that wait for the engine. */
  readonly queueDepth: number;
  /** Reads marts of a snapshot; the engines are opened when they are first needed, and closed with this holder. */
  openReader(snapshot: MartFiles): Promise<MartReader>;
}

/** A history, with the tables that it reads in memory. */
interface OpenedHistory {
  readonly reader: HistoryReader;
  readonly tables: LoadedTables;
}

const NO_TABLES: LoadedTables = { names: new Map(), release: () => {} };

/**
 * Past service days as published by `build-marts`. A snapshot replaces the previous one once its default answers are
 * computed; those of the next day are computed when it begins.
 */
export async function holdHistory(
  dataDir: string,
  limits: HistoryLimits,
  effects: HistoryEffects,
  trinoSettings: TrinoSettings | null = null,
): Promise<HistoryHolder> {
  const { clock, log, onLoad } = effects;
  const today = () => localDate(nowInstant(clock), AUSTRIA);
  const sql = await readHistorySql();
  const tableSql = await readTableSql();
  const engine = openWhenNeeded(() => openEngine(dataDir, limits));
  const trino = trinoSettings && (await openTrinoEngine(trinoSettings, limits, effects));
  const openReader = async (snapshot: MartFiles, { names: loaded } = NO_TABLES) => {
    const local = openMartReader({ engine: await engine.get(), ...snapshot, loaded });
    return trino ? trino.openReader(snapshot.files, local) : local;
  };
  const load: HistoryParts['load'] = async (snapshot) =>
    loadTables({ engine: await engine.get(), ...snapshot }, tableSql).catch((error: Error) => {
      log.warn(`tables of the history stay in files, and its queries take longer: ${error.message}`);
      return NO_TABLES;
    });
  let current: OpenedHistory | null = null;
  const holder = await holdSnapshot<HistoryReader>(
    {
      readCurrentId: async () => {
        await current?.reader.prepare(today()).catch((error: Error) => {
          log.warn(`the default periods of the history are not ready, and are queried like others: ${error.message}`);
        });
        return findCurrentHistoryId(dataDir);
      },
      read: async () => {
        const id = await findCurrentHistoryId(dataDir);
        if (id === null) return null;
        const opened = await openPrepared(dataDir, id, today(), { sql, load, openReader });
        current?.tables.release();
        current = opened;
        return { id, value: opened.reader };
      },
    },
    { log, ...(onLoad ? { onLoad } : {}) },
  );
  return {
    ...holder,
    openReader: (snapshot) => openReader(snapshot),
    get queueDepth() {
      return engine.opened()?.queueDepth ?? 0;
    },
    async close() {
      await holder.close();
      await trino?.close();
      await engine.close();
    },
  };
}

interface HistoryParts {
  readonly sql: HistorySql;
  load(snapshot: MartFiles): Promise<LoadedTables>;
  openReader(snapshot: MartFiles, tables: LoadedTables): Promise<MartReader>;
}

/** Opens a history and computes its default periods; if that fails, its tables are released. */
async function openPrepared(
  dataDir: string,
  id: string,
  today: ServiceDate,
  { sql, load, openReader }: HistoryParts,
): Promise<OpenedHistory> {
  let tables = NO_TABLES;
  const openLoaded = async (snapshot: MartFiles) => {
    tables = await load(snapshot);
    return openReader(snapshot, tables);
  };
  try {
    const reader = await openHistory(dataDir, id, { openReader: openLoaded, sql });
    await reader.prepare(today);
    return { reader, tables };
  } catch (error) {
    tables.release();
    throw error;
  }
}

/** Opens a resource at its first use. The next use tries again after a failure, for example for lack of memory. */
function openWhenNeeded<Opened extends { close(): Promise<void> }>(open: () => Promise<Opened>) {
  let opening: Promise<Opened> | null = null;
  let opened: Opened | null = null;
  return {
    async get(): Promise<Opened> {
      opening ??= open();
      const own = opening;
      try {
        opened = await own;
        return opened;
      } catch (error) {
        if (opening === own) opening = null;
        throw error;
      }
    },
    opened: () => opened,
    async close(): Promise<void> {
      await (await opening?.catch(() => null))?.close();
    },
  };
}

/** Imported on demand: a service without Trino does not need its client. */
async function openTrinoEngine(
  { queryTimeLimitSeconds, ...address }: TrinoSettings,
  limits: HistoryLimits,
  { clock, log, onAnswer = () => {} }: HistoryEffects,
): Promise<TrinoHistory> {
  const { openTrino } = await import('../../pipeline/scale-out/trino/open-trino.ts');
  const { openTrinoHistory } = await import('./trino-reader.ts');
  const trino = await openTrino(address);
  const timeLimitSeconds = queryTimeLimitSeconds;
  return openTrinoHistory({ trino, limits: { ...limits, timeLimitSeconds }, clock, log, onAnswer });
}

/** Imported on demand: a service without a history does not need the engine and its memory. */
async function openEngine(dataDir: string, limits: HistoryLimits): Promise<HistoryEngine> {
  const { openHistoryEngine } = await import('./history-engine.ts');
  const folders = [historySnapshotsFolder(dataDir), predictionMetricsFolder(dataDir)].map((folder) =>
    path.resolve(folder),
  );
  return openHistoryEngine(folders, limits);
}
