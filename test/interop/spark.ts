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

/** The warehouse in the code of the page, to be replaced by the folder of the check. */
const WAREHOUSE = '/srv/taktgeber/data/iceberg';

/**
 * Checks that Spark, with the session in docs/lake.md, finds the rows of the lake in every table, and that its sums of stop
 * events equal the numbers of a mart.
 * @returns a summary of what was read
 * @throws Error with the failed installation, or the table and column that differ
 */
export async function readWithSpark(): Promise<string> {
  // The session finds the runtime in the folder of Maven.
  const spark = await installSpark([SPARK_RUNTIME]);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-spark-'));
  try {
    await writePublishedLake(dataDir);
    const tables = listLakehouseTables();
    const request = {
      session: await readSession([SPARK_RUNTIME], { [WAREHOUSE]: icebergFolder(dataDir) }),
      tables: tables.map(({ definition: { namespace, name } }) => `taktgeber.${namespace}.${name}`),
      queries: [lineDaily, members],
    };
    const read = await spark.run(request);
    const db = await openDuckdb({ threads: 1, memoryLimit: '1GB' });
    try {
      for (const [i, table] of tables.entries()) {
        assertSums(`Spark: ${request.tables[i]}`, read.tables[i]!, await sumUpTable(db, dataDir, table));
      }
    } finally {
      db.close();
    }
    return `Spark ${read.version} reads ${tables.length} tables as DuckDB reads the lake; ${describe(read.answers)}`;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Compares the counts of each line and day from stop events with those of the mart: rows that only one of them has. */
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

/** Sums of numbers within lists, beside the sums of their rows. */
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
    throw new Error(`of ${rows} rows of line_daily, ${onlyCounted} differ from the stop events in Spark`);
  }
  for (let i = 0; i < sums.length; i += 2) {
    if (sums[i] !== sums[i + 1]) throw new Error(`lists of the marts do not add up in Spark: ${sums.join(', ')}`);
  }
  return `the ${rows} rows of line_daily by source follow from the stop events in Spark, to the digit`;
}
