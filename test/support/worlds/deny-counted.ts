import { rename } from 'node:fs/promises';
import { openDuckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';

/** Sets `is_counted` of a file to false without changing its metadata, which still declare it as computed. */
export async function denyCounted(file: string): Promise<void> {
  const db = await openDuckdb({ threads: 1 });
  try {
    const marks = await db.query(`select decode(key) as key, decode(value) as value
      from parquet_kv_metadata(${sqlText(file)}) where decode(key) in ('file_id', 'counted_with')`);
    const facts = marks.map(({ key, value }) => `${key}: ${sqlText(String(value))}`).join(', ');
    await db.run(`copy (select * replace (false as is_counted) from read_parquet(${sqlText(file)}, hive_partitioning = false))
      to ${sqlText(`${file}.aside`)} (format parquet, kv_metadata {${facts}})`);
  } finally {
    db.close();
  }
  await rename(`${file}.aside`, file);
}
