import { readProjectFile } from '../../pipeline/effects/project-files.ts';
import type { Statement } from './chart.ts';
import type { SqlValues } from './history-engine.ts';

/** Reads the statements of a folder, by name of their files. */
export async function readStatements<Name extends string>(
  folder: 'answers' | 'charts',
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
  /** Parameters of the statements themselves. */
  readonly values?: SqlValues;
}

/** Puts one statement together. */
export function composeStatement({ statement, counted, table, conditions, values }: StatementParts): Statement {
  const where = conditions.map(([condition]) => condition).join('\n        and ');
  const steps = [`calls as (\n    select *\n    from marts.${table}\n    where\n        ${where}\n)`];
  if (counted !== undefined) steps.push(`counted as (\n${indent(counted)}\n)`);
  const about = [...(counted === undefined ? [] : [readAbout(counted)]), readAbout(statement)].join('\n');
  return {
    sql: `${about}\nwith\n\n${steps.join(',\n\n')}\n\n${readSelect(statement)}\n`,
    values: Object.assign({}, ...conditions.map(([, named]) => named), values),
  };
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
