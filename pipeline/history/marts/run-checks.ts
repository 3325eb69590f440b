import { type Duckdb, readSql } from '../../effects/duckdb.ts';
import { ExternalError } from '../../effects/external-error.ts';
import { expandSql } from '../../effects/sql-dialects/expand-sql.ts';
import { type DeclaredCheck, declaredChecks } from './declared-checks.ts';

/** Checks of the steps before the marts of a day, which are made where these are; in SQL that every engine takes. */
export const stepChecks = ['planned_calls_without_time', 'keys_shared'] as const;

/** Checks of the rows of one day that are files; each selects the rows that violate it. */
const writtenChecks = [
  'counts_add_up',
  'histogram_sums_to_observed',
  'hours_sum_to_observed',
  'quantiles_in_order',
  'cube_equals_stop_events',
  'merged_counts_once',
  'changes_add_up',
] as const;

/** Checks of the rows of one day before they enter a mart. */
export const dayChecks = [...(Object.keys(declaredChecks) as DeclaredCheck[]), ...writtenChecks];

/** Checks of a month as a whole. */
export const monthChecks = ['worst_connections_ranked'] as const;

export type CheckName = (typeof stepChecks)[number] | (typeof dayChecks)[number] | (typeof monthChecks)[number];

/** Rows that the message of a failed check quotes. */
export const SHOWN_ROWS = 3;

/**
 * Runs checks.
 * @param of what is checked, for the message
 * @throws ExternalError `mart_check_failed` with the name of the check and the first rows that violate it
 */
export async function runChecks(db: Duckdb, names: readonly CheckName[], of: string): Promise<void> {
  for (const name of names) {
    const sql = await readCheck(name);
    const rows = await db.query(`select broken::json::varchar as words from (${sql}) as broken limit ${SHOWN_ROWS}`);
    if (rows.length === 0) continue;
    failCheck(
      name,
      of,
      rows.map(({ words }) => String(words)),
    );
  }
}

async function readCheck(name: CheckName): Promise<string> {
  if (isDeclared(name)) return declaredChecks[name];
  return expandSql(await readSql(`pipeline/history/marts/checks/${name}.sql`), 'duckdb');
}

function isDeclared(name: CheckName): name is DeclaredCheck {
  return name in declaredChecks;
}

/** @throws ExternalError `mart_check_failed` */
export function failCheck(name: CheckName, of: string, rows: readonly string[]): never {
  throw new ExternalError('mart_check_failed', `${of}: the check ${name} found ${rows.join('; ')}`);
}
