import type { JobOptions } from './job.ts';

/**
 * The options of a run as on the command line, in one order, so that equal options give equal text. Those that change
 * how a backfill runs, not what it does, are omitted.
 */
export function describeOptions(options: JobOptions): string {
  const { feeds, sourceIds, files, mapping, from, to, date, into, isForced } = options;
  return [
    ...listOption('--source', sourceIds),
    // The location may hold a key of the operator.
    ...listOption('--gtfs', feeds?.map(({ id }) => id) ?? null),
    ...listOption('--file', files),
    ...listOption('--mapping', mapping === null ? null : [mapping]),
    ...listOption('--date', date === null ? null : [date]),
    ...listOption('--from', from === null ? null : [from]),
    ...listOption('--to', to === null ? null : [to]),
    ...listOption('--into', into === null ? null : [into]),
    ...(isForced ? ['--force'] : []),
  ].join(' ');
}

/** Whether a run with these arguments does all the work of its job, not only that of chosen sources or days. */
export function isWhole(runArguments: string): boolean {
  return !/(^| )--(source|file|date|from|to) /.test(runArguments);
}

function listOption(name: string, values: readonly string[] | null): string[] {
  return values === null ? [] : [name, ...[...values].map(quote)];
}

/** As a shell takes it. */
function quote(value: string): string {
  return /^[\w./:@=+,-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
