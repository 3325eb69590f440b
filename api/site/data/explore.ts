import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createQueue } from '../../../pipeline/effects/concurrency.ts';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import type { OpenLake, ReadOnlyDuckdb } from '../../../pipeline/effects/read-only-duckdb.ts';
import { type Static, Type } from '../../contract/json-schema.ts';
import { queueFull } from '../../contract/overload-problems.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { RouteContract } from '../../contract/route-contract.ts';
import { closed, described, oneOf, text } from '../../contract/schema-builders.ts';
import type { ExploreAnswer, ExploreTable } from '../../contract/site-explore.ts';
import type { Answer } from '../../plugins/route-handler.ts';
import type { Service, ServiceRequest } from '../../routes/service.ts';
import {
  EXPLORE_DATA,
  EXPLORE_SECONDS,
  MAX_FILE_ROWS,
  MAX_SHOWN_ROWS,
  MAX_SQL_CHARACTERS,
} from '../view-model/explore-limits.ts';
import type { SiteRoute } from './mirror-route.ts';

/** Maximum number of queries that wait for the running one. */
const MAX_WAITING = 4;
/** Maximum size of a file in a response. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

const exploreQuery = closed({
  sql: Type.Optional(described('One query. Absent: only the tables.', text(MAX_SQL_CHARACTERS))),
  format: Type.Optional(
    described('Format of the rows; absent: JSON with the tables.', oneOf('json', 'csv', 'parquet')),
  ),
});
type ExploreQuery = Static<typeof exploreQuery>;

const contract: RouteContract = {
  method: 'GET',
  path: EXPLORE_DATA,
  operationId: 'explore',
  summary: 'The rows of a query on the lake, read-only.',
  query: exploreQuery,
  answer: null,
  answerMediaTypes: ['application/json'],
  problems: ['overloaded'],
  cost: 10,
  cacheControl: 'no-store',
};

const TABLES_STATEMENT = `select * from (
  select table_schema, table_name, list(column_name order by ordinal_position) from information_schema.columns group by all
) order by table_schema <> 'marts', table_schema, table_name`;

/** Data of the page `/explore`, one query at a time; no route if the lake may not be explored. */
export function exploreDataRoutes({ openLake }: Service): readonly SiteRoute[] {
  if (openLake === null) return [];
  const queue = createQueue();
  let pending = 0;
  return [
    {
      contract,
      handler: {
        snapshot: 'unused',
        changesWithTime: () => true,
        answer: async (request) => {
          if (pending > MAX_WAITING) throw queueFull();
          pending++;
          try {
            return await queue(() => answerQuery(openLake, request));
          } catch (error) {
            throw toProblem(error);
          } finally {
            pending--;
          }
        },
      },
    },
  ];
}

/** The engine's message is returned because the statement is the user's own. */
function toProblem(error: unknown): unknown {
  const isOfStatement = error instanceof ExternalError && error.code.startsWith('sql_');
  return isOfStatement ? new ApiProblem('invalid_parameter', error.message, 'sql') : error;
}

async function answerQuery(openLake: OpenLake, request: ServiceRequest): Promise<Answer> {
  const { sql, format } = request.query as ExploreQuery;
  if (format === 'parquet' && sql !== undefined) return answerParquet(openLake, sql, request);
  const lake = await openLake({ outputFile: null, timeLimitSeconds: EXPLORE_SECONDS });
  request.whenGone(() => lake.interrupt());
  try {
    if (format === undefined || sql === undefined) {
      const tables = await listTables(lake);
      const rows = sql === undefined ? noRows : await readRows(lake, sql, MAX_SHOWN_ROWS);
      return { json: { tables, ...rows } satisfies ExploreAnswer };
    }
    const { columns, rows } = await readRows(lake, sql, MAX_FILE_ROWS);
    const names = columns.map(({ name }) => name);
    return format === 'csv' ? answerCsv(names, rows) : answerObjects(names, rows);
  } finally {
    lake.close();
  }
}

type Rows = Pick<ExploreAnswer, 'columns' | 'rows' | 'isCut'>;

const noRows: Rows = { columns: [], rows: [], isCut: false };

/** The rows of the last result, up to the limit. */
async function readRows(lake: ReadOnlyDuckdb, sql: string, limit: number): Promise<Rows> {
  let found: Rows = noRows;
  await lake.query(sql, async ({ columns, batches }) => {
    const rows: (readonly unknown[])[] = [];
    for await (const batch of batches) {
      for (const row of batch.slice(0, limit + 1 - rows.length)) rows.push(row);
      if (rows.length > limit) break;
    }
    found = { columns, rows: rows.slice(0, limit), isCut: rows.length > limit };
  });
  return found;
}

async function listTables(lake: ReadOnlyDuckdb): Promise<readonly ExploreTable[]> {
  const { rows } = await readRows(lake, TABLES_STATEMENT, MAX_SHOWN_ROWS);
  return rows.map(([schema, table, columns]) => ({
    name: schema === 'main' ? String(table) : `${schema}.${table}`,
    columns: columns as readonly string[],
  }));
}

// ---- Files -----------------------------------------------------------------------------------------

async function answerParquet(openLake: OpenLake, sql: string, request: ServiceRequest): Promise<Answer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-explore-'));
  const file = path.join(folder, 'rows.parquet');
  try {
    const lake = await openLake({ outputFile: file, timeLimitSeconds: EXPLORE_SECONDS });
    request.whenGone(() => lake.interrupt());
    try {
      const limited = `select * from (${sql.trim().replace(/;\s*$/, '')}\n) limit ${MAX_FILE_ROWS}`;
      await lake.writeParquet(limited, 'compression zstd, use_tmp_file false');
    } finally {
      lake.close();
    }
    return toFile(await readFile(file), 'application/vnd.apache.parquet');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** RFC 4180, with a header; null is an empty field, an empty text is `""`. */
function answerCsv(names: readonly string[], rows: Rows['rows']): Answer {
  const lines = [names, ...rows].map((row) => row.map(toField).join(','));
  return toFile(Buffer.from(`${lines.join('\n')}\n`), 'text/csv; charset=utf-8');
}

function toField(value: unknown): string {
  if (value === null) return '';
  const written = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return written === '' || /[",\r\n]/.test(written) ? `"${written.replaceAll('"', '""')}"` : written;
}

function answerObjects(names: readonly string[], rows: Rows['rows']): Answer {
  const objects = rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])));
  return toFile(Buffer.from(JSON.stringify(objects)), 'application/json');
}

function toFile(bytes: Buffer, mediaType: string): Answer {
  if (bytes.length <= MAX_FILE_BYTES) return { bytes, mediaType };
  const limit = `${MAX_FILE_BYTES / 1024 / 1024} MiB`;
  throw new ApiProblem('invalid_parameter', `The answer is larger than ${limit}. Select fewer columns or rows.`, 'sql');
}
