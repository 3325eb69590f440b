import type { SqlConnection } from '../../../pipeline/effects/sql-store/sql-database.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { CLAIM_SECONDS, type PendingPush, type Settlement } from '../outbox.ts';
import { changeNumbers } from './counters.ts';
import { readPush, readTarget } from './watch-rows.ts';

/** Claims the oldest push of each watch that is due. */
export async function claimPushes(
  connection: SqlConnection,
  now: Instant,
  limit: number,
): Promise<readonly PendingPush[]> {
  await changeNumbers(connection, 1);
  await connection.query('delete from watch_pushes where useful_until <= ?', [now]);
  const rows = await connection.query(
    `select watch_pushes.*, watches.target as target
      from watch_pushes join watches on watches.id = watch_pushes.watch_id
      where due_at <= ? and target is not null
        and not exists (
          select 1 from watch_pushes as earlier
          where earlier.watch_id = watch_pushes.watch_id and earlier.number < watch_pushes.number
        )
      order by due_at, watch_pushes.number, watch_pushes.id limit ?`,
    [now, limit],
  );
  const claimedUntil = now + CLAIM_SECONDS;
  for (const { id } of rows) {
    await connection.query('update watch_pushes set due_at = ? where id = ?', [claimedUntil, id!]);
  }
  return rows.map((row) => readPush({ ...row, due_at: claimedUntil }));
}

/** @returns the id of the watch that the outcome ends; null: none */
export async function settlePush(connection: SqlConnection, settlement: Settlement): Promise<string | null> {
  const { id, claimedUntil, outcome } = settlement;
  if (outcome === 'gone') return settleGone(connection, settlement);
  if (typeof outcome === 'string') {
    await connection.query('delete from watch_pushes where id = ?', [id]);
  } else {
    // Each claim is later than the one before, so the time names the claim.
    const sql = 'update watch_pushes set due_at = ?, attempts = attempts + 1 where id = ? and due_at = ?';
    await connection.query(sql, [outcome.retryAt, id, claimedUntil]);
  }
  return null;
}

async function settleGone(connection: SqlConnection, { id, target, claimedUntil }: Settlement): Promise<string | null> {
  const [row] = await connection.query(
    `select watch_id, target from watch_pushes join watches on watches.id = watch_pushes.watch_id
      where watch_pushes.id = ?`,
    [id],
  );
  if (!row) return null;
  if (readTarget(row.target!).endpoint === target.endpoint) return row.watch_id as string;
  await connection.query('update watch_pushes set due_at = 0 where id = ? and due_at = ?', [id, claimedUntil]);
  return null;
}
