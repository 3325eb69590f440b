import { readProjectFile } from '../../pipeline/effects/project-files.ts';
import type { Statement } from './chart.ts';
import type { SqlValues } from './history-engine.ts';

/** Reads the statements of a folder, by name of their files. */
export async function readStatements<Name extends string>(
  folder: 'answers' | 'charts' | 'tables',
  names: readonly Name[],
): Promise<Readonly<Record<Name, string>>> {
  const read = async (name: string) => [name, await readProjectFile(`api/history/sql/${folder}/${name}.sql`)] as const;
  return Object.fromEntries(await Promise.all(names.map(read))) as Record<Name, string>;
}

/** A condition and the values of its parameters. */
export type Condition = readonly [sql: string, values: SqlValues];

interface StatementParts {
  /** Selects from `calls`, or from `counted` if that is given. */
  readonly statement: string;
  /** Selects from `calls`. */
  readonly counted?: string;
  /** A mart; those of its rows for which all conditions hold are `calls`. */
  readonly table: string;
  readonly conditions: readonly Condition[];
  /** Rows of another table that are added; of both tables, only these columns are selected. */
  readonly added?: { readonly table: string; readonly conditions: readonly Condition[]; readonly columns: string };
  /** Parameters of the statements themselves. */
  readonly values?: SqlValues;
}

/** Puts one statement together. */
export function composeStatement(parts: StatementParts): Statement {
  const { statement, counted, table, conditions, added, values } = parts;
  const selects = [selectCalls(table, conditions, added?.columns)];
  if (added) selects.push(selectCalls(added.table, added.conditions, added.columns));
  const steps = [`calls as (\n${selects.join('\n    union all\n')}\n)`];
  if (counted !== undefined) steps.push(`counted as (\n${indent(counted)}\n)`);
  const about = [...(counted === undefined ? [] : [readAbout(counted)]), readAbout(statement)].join('\n');
  return {
    sql: `${about}\nwith\n\n${steps.join(',\n\n')}\n\n${readSelect(statement)}\n`,
    values: Object.assign({}, ...[...conditions, ...(added?.conditions ?? [])].map(([, named]) => named), values),
  };
}

function selectCalls(table: string, conditions: readonly Condition[], columns = '*'): string {
  const where = conditions.map(([condition]) => condition).join('\n        and ');
  return `    select ${columns}\n    from marts.${table}\n    where\n        ${where}`;
}

/** The comments at the beginning, without the notes on names. */
function readAbout(statement: string): string {
  const lines = statement.split('\n');
  return lines.filter((line) => line.startsWith('--') && !line.startsWith('-- from:')).join('\n');
}

function readSelect(statement: string): string {
  const lines = statement.trimEnd().split('\n');
  return lines.filter((line) => !line.startsWith('--')).join('\n');
}

function indent(statement: string): string {
  return readSelect(statement)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
