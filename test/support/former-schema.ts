import { rename } from 'node:fs/promises';
import { openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';

/** Puts files in the form that they had in schema 1: instants without a zone, keys unsigned, no metadata and no `is_counted`. */
export async function rewriteInSchema1(files: readonly string[]): Promise<void> {
  const db = await openDuckdb({ threads: 1 });
  try {
    for (const file of files) {
      const aside = `${file}.schema1`;
      const columns = await db.query(`describe from read_parquet(${sqlText(file)}, hive_partitioning = false)`);
      const values = columns
        .filter(({ column_name: name }) => name !== 'is_counted')
        .map(({ column_name: name, column_type: type }) => {
          if (type === 'TIMESTAMP WITH TIME ZONE') return `make_timestamp(epoch_us(${name})) as ${name}`;
          return name === 'trip_key' ? 'trip_key::bit::ubigint as trip_key' : name;
        });
      await db.run(
        `copy (select ${values.join(', ')} from read_parquet(${sqlText(file)}, hive_partitioning = false))
         to ${sqlText(aside)} (format parquet, compression zstd)`,
      );
      await rename(aside, file);
    }
  } finally {
    db.close();
  }
}
