import path from 'node:path';
import { listLakeViews } from '../../guide/write-lake-guide.ts';
import { martNames } from '../../history/marts/mart-manifest.ts';
import { icebergFolder } from '../../lake/paths.ts';
import type { PartitionField } from '../iceberg/partition-spec.ts';
import type { TableFolder } from '../iceberg/table-folder.ts';
import type { TableDefinition } from '../iceberg/table-metadata.ts';
import type { LakehouseLocation } from './locate-tables.ts';

/** Who writes the files of a table, and how they are found. */
export type TableKind = 'stopEvents' | 'observations' | 'predictions' | 'marts' | 'predictionMetrics';

export interface LakehouseTable {
  readonly kind: TableKind;
  readonly definition: TableDefinition;
}

const KINDS: Readonly<Record<string, TableKind>> = {
  stop_events: 'stopEvents',
  observations: 'observations',
  predictions: 'predictions',
};

const byDay: readonly PartitionField[] = [
  { column: 'source', transform: 'identity' },
  { column: 'service_date', transform: 'identity' },
];

/**
 * The tables that are also Iceberg tables, with the columns that the catalog of the lake documents. Timetables are not
 * among them: their versions are written once, and none is ever replaced.
 */
export function listLakehouseTables(): LakehouseTable[] {
  return listLakeViews()
    .filter(({ schema }) => schema !== 'timetable')
    .map(({ schema, name, about, folderColumns, columns }) => {
      const isMart = schema === 'marts';
      const dateColumn = 'month_start' in columns ? 'month_start' : 'service_date';
      const definition: TableDefinition = {
        namespace: isMart ? 'marts' : 'lake',
        name,
        about,
        columns: { ...folderColumns, ...columns },
        partitionBy: isMart ? [{ column: dateColumn, transform: 'month' }] : byDay,
      };
      return { kind: isMart ? kindOfMart(name) : KINDS[name]!, definition };
    });
}

function kindOfMart(name: string): TableKind {
  return (martNames as readonly string[]).includes(name) ? 'marts' : 'predictionMetrics';
}

/** Where a table is. */
export function toTableFolder(
  dataDir: string,
  location: LakehouseLocation,
  { namespace, name }: Pick<TableDefinition, 'namespace' | 'name'>,
): TableFolder {
  const root = path.resolve(icebergFolder(dataDir));
  const { tables, objects } =
    typeof location === 'string' || location === null ? { tables: location, objects: undefined } : location;
  const base = tables?.replace(/\/+$/, '') ?? `file://${root.split(path.sep).join('/')}`;
  const folder = { folder: path.join(root, namespace, name), location: `${base}/${namespace}/${name}` };
  return objects === undefined ? folder : { ...folder, objects };
}
