import { expect, test } from 'vitest';
import { openDuckdb, readSql } from '../../pipeline/effects/duckdb.ts';
import { observationColumns } from '../../pipeline/lake/observations/observation-table.ts';

test('made-up observations have every column of the lake', async () => {
  const db = await openDuckdb({ threads: 1 });
  try {
    await db.run(`
      create table planned_calls as
      select 1::bigint as trip_key, 0 as position, 'stop' as stop_id, 1000 as arrival, 1000 as departure;
      create table runs as select 1::bigint as trip_key, 'trip' as trip_id, 'route' as route_id, '1' as line_label;
      set variable source_name = 'bench-live';
    `);
    const rows = await db.query(await readSql('test/bench/sql/made_up_observations.sql'));
    expect(rows).toHaveLength(3);
    expect(Object.keys(rows[0]!).toSorted()).toEqual(Object.keys(observationColumns).toSorted());
  } finally {
    db.close();
  }
});
