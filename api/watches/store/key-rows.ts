import type { SqlConnection, SqlDatabase } from '../../../pipeline/effects/sql-store/sql-database.ts';
import type { KeyFingerprints, SharedKey } from '../outbox.ts';
import { changeNumbers } from './counters.ts';

/** Compares keys with those of the store, and notes those that it does not have. @returns those that differ */
export async function confirmKeys(database: SqlDatabase, keys: KeyFingerprints): Promise<readonly SharedKey[]> {
  const known = await readKeys(database);
  if (namesOf(keys).every((name) => known.has(name))) return findDiffering(keys, known);
  return database.transaction(async (connection) => {
    await changeNumbers(connection, 1);
    for (const name of namesOf(keys)) {
      const sql = 'insert into watch_keys (name, fingerprint) values (?, ?) on conflict do nothing';
      await connection.query(sql, [name, keys[name]!]);
    }
    return findDiffering(keys, await readKeys(connection));
  });
}

/** Compares without noting any; a store whose tables are not there yet has none. For PostgreSQL alone. */
export async function findOtherKeys(
  connection: SqlConnection,
  keys: Partial<KeyFingerprints>,
): Promise<readonly SharedKey[]> {
  const [table] = await connection.query(`select to_regclass('watch_keys')::text as name`);
  return table?.name == null ? [] : findDiffering(keys, await readKeys(connection));
}

async function readKeys(connection: SqlConnection): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.query('select name, fingerprint from watch_keys');
  return new Map(rows.map(({ name, fingerprint }) => [name as string, fingerprint as string]));
}

function findDiffering(keys: Partial<KeyFingerprints>, known: ReadonlyMap<string, string>): readonly SharedKey[] {
  return namesOf(keys).filter((name) => known.has(name) && known.get(name) !== keys[name]);
}

function namesOf(keys: Partial<KeyFingerprints>): readonly SharedKey[] {
  return Object.keys(keys) as SharedKey[];
}
