import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../../effects/external-error.ts';
import { type MergeRules, parseMergeTable } from './merge-rules.ts';

/** The settings of merging: a switch for each rule, and the operator's table. */
export type MergeSettings = Omit<MergeRules, 'decisions' | 'problems'> & {
  /** Path of the table; a relative one is in the data folder. */
  readonly table: string;
};

/** @returns without decisions where there is no table */
export async function readMergeRules(
  dataDir: string,
  { table, stationsById, stationsByName, trips, throughTrips }: MergeSettings,
): Promise<MergeRules> {
  const switches = { stationsById, stationsByName, trips, throughTrips };
  const file = path.resolve(dataDir, table);
  try {
    return { ...switches, ...parseMergeTable(await readFile(file, 'utf8'), path.basename(file)) };
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
    return { ...switches, decisions: [], problems: [] };
  }
}
