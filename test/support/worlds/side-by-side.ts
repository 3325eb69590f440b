import type { FeedFiles } from './text-feed.ts';

/** Prefixes the ids of one of many worlds in a feed. */
export function markId(id: string, world: number): string {
  return `w${world}.${id}`;
}

const idColumns = /^(?:(?:from_|to_)?(?:stop|route|trip)_id|parent_station|block_id)$/;

/**
 * Combines worlds in one feed, as ingesting one takes most of a second: ids are prefixed by `markId`, and each world is
 * one degree east of the previous one. Agencies, services and everything in `shared` are common to all.
 * @param worlds files of plain rows, without commas in values
 */
export function putSideBySide(shared: FeedFiles, worlds: readonly ReadonlyMap<string, string>[]): FeedFiles {
  const rows = new Map<string, string[]>();
  for (const [world, files] of worlds.entries()) {
    for (const [name, text] of files) {
      const [header, ...lines] = text.trimEnd().split('\n');
      const columns = header!.split(',');
      const own = rows.get(name) ?? [header!];
      for (const line of lines) own.push(markRow(columns, line, world));
      rows.set(name, own);
    }
  }
  const files = Array.from(rows, ([name, lines]) => [name, lines.map((line) => `${line}\n`).join('')] as const);
  return new Map([...shared, ...files]);
}

function markRow(columns: readonly string[], line: string, world: number): string {
  const values = line.split(',').map((value, i) => {
    if (value === '') return '';
    if (columns[i] === 'stop_lon') return String(Number(value) + world);
    return idColumns.test(columns[i]!) ? markId(value, world) : value;
  });
  return values.join();
}
