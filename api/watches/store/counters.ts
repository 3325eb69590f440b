import type { SqlConnection } from '../../../pipeline/effects/sql-store/sql-database.ts';

type Counter = 'change' | 'total' | 'judged';

/**
 * Takes the next change numbers. The first statement of every transaction that writes: the row stays locked to its end,
 * so that writes of all replicas happen one after the other.
 * @returns the last of them
 */
export async function changeNumbers(connection: SqlConnection, count: number): Promise<number> {
  const [row] = await connection.query(
    `update watch_counters set value = value + ? where name = 'change' returning value`,
    [count],
  );
  return row!.value as number;
}

export async function readCounter(connection: SqlConnection, name: Counter): Promise<number> {
  const [row] = await connection.query('select value from watch_counters where name = ?', [name]);
  return row!.value as number;
}

export async function addToCounter(connection: SqlConnection, name: Counter, count: number): Promise<void> {
  await connection.query('update watch_counters set value = value + ? where name = ?', [count, name]);
}
