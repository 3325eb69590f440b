import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listConditions } from '../../../../api/history/question-conditions.ts';
import { projectPath } from '../../../../pipeline/effects/project-files.ts';
import { type Dialect, dialectFunctions } from '../../../../pipeline/effects/sql-dialects/dialect-functions.ts';
import { expandSql, listFunctions } from '../../../../pipeline/effects/sql-dialects/expand-sql.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';

/** Folders of files that both engines run. */
const FOLDERS = ['pipeline/history/marts/sql', 'api/history/sql/answers', 'api/history/sql/charts'];
/** Checks that run where the steps run. */
const CHECKS = ['planned_calls_without_time', 'keys_shared'].map((name) => `pipeline/history/marts/checks/${name}.sql`);

/** Every condition of questions to the history, which both engines run as well. */
function listSharedConditions() {
  const period = { from: '2026-01-01' as ServiceDate, to: '2026-01-31' as ServiceDate };
  const question = { period, source: '*', line: 'A', operator: 'B', stops: [{ feedSource: 'feed', stopId: 's1' }] };
  const limits = { onTimeMaxDelaySeconds: 180, lateMinDelaySeconds: 600, earlyMinSeconds: -60 };
  return listConditions(question, { ...limits, evidence: 'observed_actual' }).map(([sql]) => ({ file: sql, sql }));
}

async function readSharedSql(): Promise<{ readonly file: string; readonly sql: string }[]> {
  const files: string[] = [...CHECKS];
  for (const folder of FOLDERS) {
    const names = await readdir(projectPath(folder));
    files.push(...names.filter((name) => name.endsWith('.sql')).map((name) => path.posix.join(folder, name)));
  }
  const read = files.map(async (file) => ({ file, sql: await readFile(projectPath(file), 'utf8') }));
  return [...(await Promise.all(read)), ...listSharedConditions()];
}

const cases: readonly [sql: string, duckdb: string, trino: string][] = [
  ['select 1 as one', 'select 1 as one', 'select 1 as one'],
  ['@iso_weekday(at)', 'isodow(at)', 'day_of_week(at)'],
  ['@whole_quotient(a, 900) - 1', 'a // 900 - 1', 'a / 900 - 1'],
  ['@iso_weekday( f(a, (b)) )', 'isodow(f(a, (b)))', 'day_of_week(f(a, (b)))'],
  ["@list_contains(x, ')')", "list_contains(x, ')')", "contains(x, ')')"],
  ["@list_contains(x, 'it''s @none(')", "list_contains(x, 'it''s @none(')", "contains(x, 'it''s @none(')"],
  ['"@none(" -- @none(\n+ 1', '"@none(" -- @none(\n+ 1', '"@none(" -- @none(\n+ 1'],
  ['/* @none( */ 1', '/* @none( */ 1', '/* @none( */ 1'],
  ['@whole_quotient(@whole_quotient(a, 2), 3)', 'a // 2 // 3', 'a / 2 / 3'],
  [
    '@sorted_rows(n > 0, dow, tinyint, dow, hour, tinyint, min(a, b))',
    "coalesce(list_sort(list({'dow': cast(dow as tinyint), 'hour': cast(min(a, b) as tinyint)}) filter (where n > 0)), [])",
    'coalesce(array_sort(array_agg(cast(row(dow, min(a, b)) as row("dow" tinyint, "hour" tinyint))) filter (where n > 0)), array[])',
  ],
  [
    '@quantile(d, 0.9)',
    'quantile_disc(d, 0.9)',
    'element_at(array_sort(array_agg(d) filter (where d is not null)), nullif(cast(count(d) - count(d) * 1 / 10 as integer), 0))',
  ],
];

describe('SQL for an engine', () => {
  it.each(cases)('%s', (sql, duckdb, trino) => {
    expect([expandSql(sql, 'duckdb'), expandSql(sql, 'trino')]).toEqual([duckdb, trino]);
  });

  const refused: readonly [sql: string, reason: string][] = [
    ['select @none(a)', 'there is no @none'],
    ['select @toString(a)', 'there is no @toString'],
    ['select @iso_weekday(a, b)', '@iso_weekday does not take 2 arguments'],
    ['select @iso_weekday()', '@iso_weekday does not take 0 arguments'],
    ['select @iso_weekday((a)', '@iso_weekday( is not closed'],
    ["select @iso_weekday('a)", '@iso_weekday( is not closed'],
    ['select @ a', '@ without a function'],
    ['select @quantile(a, 1)', 'a quantile is written as 0.5'],
    ['select @sorted_rows(a, b, c)', '@sorted_rows does not take 3 arguments'],
  ];
  it.each(refused)('rejects %s', (sql, reason) => {
    for (const dialect of ['duckdb', 'trino'] as const) expect(() => expandSql(sql, dialect)).toThrow(reason);
  });

  it('leaves texts, names and comments unchanged, whatever they contain', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom<Dialect>('duckdb', 'trino'), (content, dialect) => {
        const text = `'${content.replaceAll("'", "''")}'`;
        const name = `"${content.replaceAll('"', '""')}"`;
        const comment = `--${content.replaceAll('\n', ' ')}\n`;
        for (const quoted of [text, name, comment]) {
          expect(expandSql(quoted, dialect)).toBe(quoted);
          expect(expandSql(`@whole_quotient(${quoted}, a)`, dialect)).toBe(
            `${quoted.trim()} ${dialect === 'duckdb' ? '//' : '/'} a`,
          );
        }
      }),
    );
  });
});

describe('the files that both engines run', () => {
  it('use every function of the table, and no other', async () => {
    const used = (await readSharedSql()).flatMap(({ sql }) => listFunctions(sql));
    expect([...new Set(used)].sort()).toEqual(Object.keys(dialectFunctions).sort());
  });

  it('contain no syntax of only one engine', async () => {
    const only = [
      /::/,
      /\b(group|order) by all\b/,
      /\bgetvariable\(/,
      /\bread_parquet\(/,
      /\bselect \* (exclude|replace)\b/,
      /\bfilter \((?!where)/,
      /\/\//,
      /\bunnest\(/,
      /\bunion all by name\b/,
    ];
    for (const { file, sql } of await readSharedSql()) {
      const code = sql.replaceAll(/--.*/g, '').replaceAll(/@\w+\(/g, '(');
      for (const pattern of only) {
        expect(code, file).not.toMatch(pattern);
      }
    }
  });
});
