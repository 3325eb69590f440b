import { withTemporaryFolder } from '../../effects/temporary-folders.ts';
import { workFolder } from '../../lake/paths.ts';
import { MART_CONTENT, nameMartContent } from '../../snapshots/mart-content.ts';
import { countRows, type DataFile } from '../iceberg/data-file.ts';
import { listTableFiles } from '../iceberg/open-table.ts';
import { type PublishedTable, publishTable } from '../iceberg/publish-table.ts';
import { type TableFolder, toUri } from '../iceberg/table-folder.ts';
import { type LakehouseTable, toTableFolder } from './lakehouse-tables.ts';
import { listLakeFiles } from './list-lake-files.ts';
import type { LakehouseLocation } from './locate-tables.ts';
import { findPlaces, placeFiles } from './place-files.ts';

export interface LakehouseRequest {
  readonly dataDir: string;
  readonly location: LakehouseLocation;
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs a task while no job writes files of the table. */
  whileUnwritten<Result>(table: LakehouseTable, task: () => Promise<Result>): Promise<Result>;
  /** Receives a file that is left out, and why. */
  onRefused(file: string, reason: string): void;
}

/**
 * Brings an Iceberg table up to date with its files in the lake. Two tables are brought up to date one after the other:
 * each is consistent in itself.
 * @throws ExternalError `commit_lost`, `table_damaged`
 */
export async function publishLakehouseTable(
  request: LakehouseRequest,
  lakehouseTable: LakehouseTable,
): Promise<PublishedTable> {
  const { dataDir, location, now, onRefused } = request;
  const { definition } = lakehouseTable;
  const table = toTableFolder(dataDir, location, definition);
  return withTemporaryFolder(workFolder(dataDir), (work) =>
    publishTable({
      table,
      definition,
      now,
      onRefused,
      describe: (files) => (definition.namespace === 'marts' ? { [MART_CONTENT]: nameContent(files) } : {}),
      listFiles: () =>
        request.whileUnwritten(lakehouseTable, async () => {
          const { files, unsettled } = await listLakeFiles(dataDir, lakehouseTable);
          return {
            files: await placeFiles(table, files, work),
            unsettled: unsettled.map(({ partition }) => partition),
          };
        }),
    }),
  );
}

/** Names the content as a history does that has the same files. */
function nameContent(files: readonly DataFile[]): string {
  return nameMartContent(
    files.map(({ path: uri, partition }) => {
      const months = Number(partition.at(-1));
      const month = new Date(Date.UTC(1970, months)).toISOString().slice(0, 'YYYY-MM'.length);
      return { month, hash: uri.slice(uri.lastIndexOf('/') + 1).replace('.parquet', '') };
    }),
  );
}

export interface DueFiles {
  readonly added: number;
  readonly removed: number;
}

/** Counts the files that a table would gain and lose; changes nothing. */
export async function countDueFiles(request: LakehouseRequest, lakehouseTable: LakehouseTable): Promise<DueFiles> {
  const { dataDir, location } = request;
  const table = toTableFolder(dataDir, location, lakehouseTable.definition);
  const { files, unsettled } = await request.whileUnwritten(lakehouseTable, () =>
    listLakeFiles(dataDir, lakehouseTable),
  );
  // Of contents it is not known in which partition they are: those of unsettled ones count as removed.
  const isUnsettled = (uri: string) => unsettled.some(({ folder }) => uri.startsWith(toUri(table, `data/${folder}/`)));
  const present = new Set((await listTableFiles(table)).filter((uri) => !isUnsettled(uri)));
  const wanted = await findPlaces(table, files);
  const isKept = (name: string | null) => name !== null && present.has(toUri(table, name));
  let added = 0;
  for (const [i, { file }] of files.entries()) {
    if (!isKept(wanted[i]!) && (await isListed(table, file))) added += 1;
  }
  return { added, removed: present.size - wanted.filter(isKept).length };
}

/** A table over contents of an object store lists no file without rows. */
async function isListed({ objects }: TableFolder, file: string): Promise<boolean> {
  return objects === undefined || (await countRows(file)) > 0;
}
