import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { openDuckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { listLakeViews, renderCatalog } from '../../../pipeline/guide/write-lake-guide.ts';
import { lakeFolder } from '../../../pipeline/lake/paths.ts';

/** Runs statements as a reader of a lake does who has read its `catalog.sql`; rows as JSON has them. */
export async function runShownSql(
  dataDir: string,
  statements: readonly string[],
): Promise<Record<string, unknown>[][]> {
  // The paths of the marts begin there.
  await mkdir(lakeFolder(dataDir), { recursive: true });
  const db = await openDuckdb({ threads: 1 });
  try {
    const lake = path.resolve(lakeFolder(dataDir));
    // Else it would find the lake of the project's folder, where there is one.
    await db.run(`set variable lake = ${sqlText(lake)}`);
    await db.run(renderCatalog(listLakeViews(), lake));
    const results = [];
    for (const statement of statements) {
      const rows = await db.query(statement);
      results.push(rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, v]) => [name, toJson(v)]))));
    }
    return results;
  } finally {
    db.close();
  }
}

function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if ('micros' in value) return new Date(Number(value.micros) / 1000).toISOString().replace('.000Z', 'Z');
  return String(value);
}
