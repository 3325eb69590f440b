import { countColumns, type DailyMart, dailyMarts, type MartTable, martTables } from './mart-tables.ts';

type UniqueCheck = `unique_${DailyMart}`;

type EqualCheck = {
  [Mart in DailyMart]: (typeof martTables)[Mart] extends { readonly equals: readonly (infer Other extends string)[] }
    ? `${Mart}_equals_${Other}`
    : never;
}[DailyMart];

export type DeclaredCheck = UniqueCheck | EqualCheck;

/**
 * The checks that the entries of daily marts declare by `key` and `equals`, like tests on the columns of a dbt model: SQL
 * for DuckDB that selects the rows that violate them.
 */
export const declaredChecks: Readonly<Record<DeclaredCheck, string>> = Object.fromEntries(
  dailyMarts.flatMap((mart) => {
    const { equals = [] }: MartTable = martTables[mart];
    return [
      [`unique_${mart}`, selectDuplicates(mart)],
      ...equals.map((other) => [`${mart}_equals_${other}`, selectDifferences(mart, other as DailyMart)]),
    ];
  }),
);

/** Keys of more than one row. */
function selectDuplicates(mart: DailyMart): string {
  const key = martTables[mart].key.join(', ');
  return `select ${key}, count(*) as n from ${mart} group by all having count(*) > 1`;
}

/** Sums of the counts that only one of two marts has, by the columns that are in the keys of both. */
function selectDifferences(mart: DailyMart, other: DailyMart): string {
  const otherKey: readonly string[] = martTables[other].key;
  const by = martTables[mart].key.filter((name) => otherKey.includes(name));
  const sums = countColumns.map((name) => `sum(${name})::bigint as ${name}`);
  const sum = (from: DailyMart) => `select ${[...by, ...sums].join(', ')} from ${from} group by all`;
  return `with sums as (${sum(mart)}), other_sums as (${sum(other)})
    (from sums except all from other_sums) union all (from other_sums except all from sums)`;
}
