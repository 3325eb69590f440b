import { readSql } from '../../effects/duckdb.ts';
import type { Dialect } from '../../effects/sql-dialects/dialect-functions.ts';
import { expandSql } from '../../effects/sql-dialects/expand-sql.ts';

/** The SQL of a mart, or of a step before the marts, for an engine. */
export async function readMartSql(name: string, dialect: Dialect): Promise<string> {
  return expandSql(await readSql(`pipeline/history/marts/sql/${name}.sql`), dialect);
}
