import { describe, expect, it, onTestFinished } from 'vitest';
import { readStatements } from '../../../api/history/compose-statement.ts';
import { openDuckdb, type SqlRow } from '../../../pipeline/effects/duckdb.ts';

/** Trino's sums of a bigint are bigint, and DuckDB's are wider. */
const asTrinoSums = (sql: string) => sql.replaceAll(/\bsum\((\w+)\)/g, 'cast(sum($1) as bigint)');

async function query(rows: string, sql: string): Promise<SqlRow> {
  const db = await openDuckdb({ threads: 1 });
  onTestFinished(() => db.close());
  const [row] = await db.query(`with ${rows}\n${sql}`);
  return row!;
}

describe('charts of more calls than a continent has in a year', () => {
  /** For a half of 2e10: 1.96 · √(¼ / 2e10), to ten digits, as in Wilson's formula. */
  const half = 6.929646455e-6;

  it('have shares', async () => {
    const { shares } = await readStatements('charts', ['shares']);
    const counted = `counted as (
      select
        cast(2e10 as bigint) as expected,
        cast(2e10 as bigint) as observed,
        cast(1e10 as bigint) as on_time,
        cast(2e12 as bigint) as delay_sum_seconds
    )`;
    const row = await query(counted, asTrinoSums(shares));
    expect(row).toMatchObject({ coverage: 1, on_time_share: 0.5, mean_delay_seconds: 100 });
    expect(row.on_time_low).toBeCloseTo(0.5 - half, 14);
    expect(row.on_time_high).toBeCloseTo(0.5 + half, 14);
  });

  it('have transfer shares', async () => {
    const { change_calibration: calibration } = await readStatements('charts', ['change_calibration']);
    const calls = `calls as (
      select
        5 as bin,
        'measured' as status,
        cast(1e10 as bigint) as pairs,
        cast(5e9 as bigint) as held,
        cast(5e9 as double) as probability_sum
      from range(2)
    )`;
    const row = await query(calls, asTrinoSums(calibration));
    expect(row).toMatchObject({ mean_probability: 0.5, held_share: 0.5 });
    expect(row.held_low).toBeCloseTo(0.5 - half, 14);
    expect(row.held_high).toBeCloseTo(0.5 + half, 14);
  });
});
