import { expect, it, onTestFinished } from 'vitest';
import { openDuckdb, readSql } from '../../../../pipeline/effects/duckdb.ts';

it('joins calls by key, without comparing every pair', async () => {
  const db = await openDuckdb({ threads: 1 });
  onTestFinished(() => db.close());
  await db.run(`
    create table planned_calls as
      select i as call_number, i // 20 as trip_key, (i % 20)::integer as position, 's' || i % 20 as stop_id,
        i as arrival, i as departure
      from range(1000) as calls(i);
    create table reported_events as
      select trip_key, position, stop_id, event, arrival as scheduled
      from planned_calls cross join (values ('arrival'), ('departure')) as events(event)`);
  const [plan] = await db.query(`explain ${await readSql('pipeline/history/stop-events/sql/reported_calls.sql')}`);
  expect(String(plan?.explain_value)).toContain('HASH_JOIN');
  expect(String(plan?.explain_value)).not.toMatch(/BLOCKWISE_NL_JOIN|CROSS_PRODUCT|NESTED_LOOP_JOIN/);
});
