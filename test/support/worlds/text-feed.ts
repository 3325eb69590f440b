import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';

// Notation of feeds in tests: a whole feed, or files that replace some of another one, as GTFS under headings
// (`feedFromText`, `withFiles`); trips, since most cases are about times at stops, as one line each (`readTripLine`).

/** Files of a feed by name; bytes if a case is about bytes. */
export type FeedFiles = ReadonlyMap<string, string | Uint8Array>;

/**
 * A feed written as one text: a heading per file, the rows below it.
 *
 * ```
 * # stops.txt
 * stop_id,stop_name
 * a,Anger
 * # trips.txt
 * …
 * ```
 * Indentation and blank lines are for the reader and left out; a case about them hands in the file by itself.
 */
export function feedFromText(text: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const section of text.split(/^\s*# /m).slice(1)) {
    const [name, ...lines] = section.split('\n').map((line) => line.trim());
    files.set(
      name!,
      lines
        .filter((line) => line !== '')
        .map((line) => `${line}\n`)
        .join(''),
    );
  }
  return files;
}

export interface TripLine {
  readonly id: string;
  /** Attributes of the trip, as written. */
  readonly attributes: readonly string[];
  readonly calls: readonly {
    readonly stop: string;
    /** As GTFS writes them; empty if absent. */
    readonly arrival: string;
    readonly departure: string;
    readonly attributes: readonly string[];
  }[];
}

/**
 * A trip written as one line: its id, words of the case, then its calls with further words.
 * `t1 route=r2: a 08:00, b 08:10/08:12 pickup=1, c -, d /08:30`: one time is both of arriving and of leaving, seconds are
 * zero unless they are written, and `-`, or nothing before or behind the stroke, is not a time.
 */
export function readTripLine(line: string): TripLine {
  const mark = line.indexOf(': ');
  if (mark < 0) throw new Error(`"${line}" lacks ": "`);
  const [id, ...attributes] = line.slice(0, mark).split(' ');
  const calls = line.slice(mark + 2).split(', ');
  return { id: id!, attributes, calls: calls.map(readCall) };
}

function readCall(text: string): TripLine['calls'][number] {
  const [stop, times = '-', ...attributes] = text.split(' ');
  const [arrival, departure = arrival] = (times === '-' ? '' : times).split('/');
  return { stop: stop!, arrival: toClock(arrival!), departure: toClock(departure!), attributes };
}

function toClock(text: string): string {
  return text.split(':').length === 2 ? `${text}:00` : text;
}

/** A feed with some files replaced, added or, if null, removed. */
export function withFiles(
  feed: FeedFiles,
  changes: Readonly<Record<string, string | Uint8Array | null>>,
): Map<string, string | Uint8Array> {
  const files = new Map(feed);
  for (const [name, content] of Object.entries(changes)) {
    if (content === null) files.delete(name);
    else files.set(name, typeof content === 'string' ? dedent(content) : content);
  }
  return files;
}

/** Removes the indentation of the test from rows. */
function dedent(text: string): string {
  const match = /^\n([ ]+)/.exec(text);
  return match
    ? text
        .slice(1)
        .replaceAll(new RegExp(`^${match[1]}`, 'gm'), '')
        .replace(/ +$/, '')
    : text;
}

/** Writes a feed as a folder of files. */
export async function writeFeedFolder(files: FeedFiles, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** Packs a feed; equal feeds give equal bytes. */
export async function packFeed(files: FeedFiles): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  const options = { mtime: new Date(Date.UTC(2020, 0, 1)), mode: 0o100644 };
  for (const [name, content] of files) zip.addBuffer(Buffer.from(content as string), name, options);
  zip.end();
  return buffer(zip.outputStream);
}

export async function writeFeedZip(files: FeedFiles, file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, await packFeed(files));
}
