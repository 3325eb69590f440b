import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDuckdb } from '../../pipeline/effects/duckdb.ts';
import { icebergFolder } from '../../pipeline/lake/paths.ts';
import { listLakehouseTables } from '../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import { readSession } from './page-sessions.ts';
import { writePublishedLake } from './published-lake.ts';
import { installSpark, SPARK_RUNTIME, type SparkAnswer } from './services/spark.ts';
import { assertSums, sumUpTable } from './table-sums.ts';

/** The warehouse in the session of the page, which stands for the folder of the check. */
const WAREHOUSE = '/srv/taktgeber/data/iceberg';

/**
 * Spark reads every table with the rows that are in the lake, by the session that docs/lake.md prints, and sums the stop
 * events up to the numbers of a mart.
 * @returns what was read
 * @throws Error that names what cannot be installed, or the table and column that differ
 */
export async function readWithSpark(): Promise<string> {
  // With the runtime in Maven's folder, where the session finds it.
  const spark = await installSpark([SPARK_RUNTIME]);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-spark-'));
  try {
    await writePublishedLake(dataDir);
    const tables = listLakehouseTables();
    const asked = {
      session: await readSession([SPARK_RUNTIME], { [WAREHOUSE]: icebergFolder(dataDir) }),
      tables: tables.map(({ definition: { namespace, name } }) => `taktgeber.${namespace}.${name}`),
      queries: [lineDaily, members],
    };
    const read = await spark.ask(asked);
    const db = await openDuckdb({ threads: 1, memoryLimit: '1GB' });
    try {
      for (const [i, table] of tables.entries()) {
        assertSums(`Spark: ${asked.tables[i]}`, read.tables[i]!, await sumUpTable(db, dataDir, table));
      }
    } finally {
      db.close();
    }
    return `Spark ${read.version} reads ${tables.length} tables as DuckDB reads the lake; ${describe(read.answers)}`;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Counts of each line and day from the stop events, and those of the mart; rows that only one of them has. */
const lineDaily = `
with definition as (
  select distinct on_time_max_delay_seconds as on_time, late_min_delay_seconds as late, early_min_seconds as early
  from taktgeber.marts.line_daily where evidence = 'observed_actual'
),
calls as (
  select *, if(event = 'departure', departure_is_cancelled, arrival_is_cancelled) as is_cancelled
  from taktgeber.lake.stop_events where not is_added
),
observed as (
  select *, if(not is_cancelled and evidence = 'observed_actual', delay_seconds, null) as observed_delay from calls
),
counted as (
  select service_date, source, coalesce(line_label, '') as line, coalesce(product, '') as product,
    coalesce(operator, '') as operator, on_time as on_time_max_delay_seconds, count(*) as scheduled,
    count(observed_delay) as observed, count_if(observed_delay < on_time) as on_time,
    count_if(observed_delay <= early) as early, count_if(observed_delay >= late) as late10,
    count_if(is_cancelled) as cancelled, coalesce(sum(observed_delay), 0) as delay_sum_seconds
  from observed cross join definition
  group by service_date, source, line_label, product, operator, on_time, late, early
),
mart as (
  select service_date, source, line, product, operator, on_time_max_delay_seconds, cast(scheduled as bigint),
    cast(observed as bigint), cast(on_time as bigint), cast(early as bigint), cast(late10 as bigint),
    cast(cancelled as bigint), delay_sum_seconds
  from taktgeber.marts.line_daily where source <> '*' and evidence = 'observed_actual'
)
select
  (select count(*) from counted),
  (select count(*) from (select * from counted except all select * from mart)),
  (select count(*) from (select * from mart except all select * from counted))`;

/** Numbers within lists, beside those of their rows. */
const members = `
select sum(observed), sum(aggregate(delay_histogram, 0L, (sum, minute) -> sum + minute.events)),
  (select sum(observed) from taktgeber.marts.stop_daily),
  (select sum(aggregate(hours, 0L, (sum, hour) -> sum + hour.events)) from taktgeber.marts.stop_daily),
  (select sum(delay_sum_seconds) from taktgeber.marts.stop_daily),
  (select sum(aggregate(hours, 0L, (sum, hour) -> sum + hour.delay_sum_seconds)) from taktgeber.marts.stop_daily)
from taktgeber.marts.punctuality_cube`;

function describe([[lines = []] = [], [sums = []] = []]: SparkAnswer['answers']): string {
  const [rows, onlyCounted, onlyMart] = lines;
  if (rows === '0' || onlyCounted !== '0' || onlyMart !== '0') {
    throw new Error(`of ${rows} rows of line_daily, Spark counts ${onlyCounted} otherwise from the stop events`);
  }
  for (let i = 0; i < sums.length; i += 2) {
    if (sums[i] !== sums[i + 1]) throw new Error(`lists of the marts do not add up in Spark: ${sums.join(', ')}`);
  }
  return `the ${rows} rows of line_daily by source follow from the stop events in Spark, to the digit`;
}
