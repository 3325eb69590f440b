import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';

/** Files of a feed by name. Bytes where a case is about bytes. */
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

/** A feed with some files replaced, added or, where null, left out. */
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

/** Rows written inside a test: the indentation of the test goes, everything else stays. */
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
