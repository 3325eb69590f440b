import { findJson, writeJsonAtomically } from '../effects/files.ts';
import { importRecordFile } from '../lake/paths.ts';
import { findStopEventManifest, type StopEventInput } from '../lake/stop-events/stop-event-store.ts';
import type { SourceId } from '../model/ids.ts';
import type { ServiceDate } from '../model/service-time.ts';
import { type ImportFacts, isMadeOf } from './import-day.ts';

/** What came of the last import of an archive; written last. The manifests of its days tell of the rows in them. */
export interface ImportRecord {
  readonly sourceId: SourceId;
  readonly inputs: readonly StopEventInput[];
  readonly rulesVersion: number;
  /** The days that were asked for; null: all. */
  readonly from: ServiceDate | null;
  readonly to: ServiceDate | null;
  /** `refused`, `rowsOutside` and the rows of all days. */
  readonly rowsRead: number;
  /** Rows that belong to no day, by code. */
  readonly refused: Readonly<Record<string, number>>;
  readonly rowsOutside: number;
  /** Rows of the archive, refused ones among them. */
  readonly days: readonly { readonly serviceDate: ServiceDate; readonly rows: number }[];
  /** Days that this run has made; the counts below are of them. */
  readonly builtDays: number;
  readonly refusedInDays: Readonly<Record<string, number>>;
  readonly notes: Readonly<Record<string, number>>;
  readonly importedAt: string;
}

export async function findImportRecord(
  dataDir: string,
  source: SourceId,
  archiveName: string,
): Promise<ImportRecord | null> {
  return findJson<ImportRecord>(importRecordFile(dataDir, source, archiveName));
}

export async function writeImportRecord(dataDir: string, archiveName: string, record: ImportRecord): Promise<void> {
  await writeJsonAtomically(importRecordFile(dataDir, record.sourceId, archiveName), record);
}

/** Whether the days that are asked for are all there, made of this file by this mapping and these rules. */
export async function isImported(
  record: ImportRecord,
  facts: ImportFacts,
  period: { readonly from: ServiceDate | null; readonly to: ServiceDate | null },
): Promise<boolean> {
  if (!isMadeOf(record, facts)) return false;
  const coversBegin = record.from === null || (period.from !== null && period.from >= record.from);
  const coversEnd = record.to === null || (period.to !== null && period.to <= record.to);
  if (!coversBegin || !coversEnd) return false;
  for (const { serviceDate } of record.days) {
    if ((period.from && serviceDate < period.from) || (period.to && serviceDate > period.to)) continue;
    const manifest = await findStopEventManifest(facts.dataDir, facts.source, serviceDate);
    if (manifest?.kind !== 'import' || !isMadeOf(manifest, facts)) return false;
  }
  return true;
}
