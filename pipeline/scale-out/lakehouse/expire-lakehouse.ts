import { type ExpiredTable, expireTable } from '../iceberg/expire-table.ts';
import type { SnapshotLimits } from '../iceberg/table-metadata.ts';
import { type LakehouseTable, toTableFolder } from './lakehouse-tables.ts';
import type { LakehouseLocation } from './locate-tables.ts';

interface ExpireRequest extends SnapshotLimits {
  readonly dataDir: string;
  readonly location: LakehouseLocation;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly isDryRun: boolean;
}

/**
 * Forgets old snapshots of an Iceberg table, and removes the files that only they need.
 * @returns null where there is no table
 */
export async function expireLakehouseTable(
  { dataDir, location, ...limits }: ExpireRequest,
  { definition }: LakehouseTable,
): Promise<ExpiredTable | null> {
  return expireTable({ table: toTableFolder(dataDir, location, definition), ...limits });
}
