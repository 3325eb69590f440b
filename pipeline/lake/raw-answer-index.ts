import { type FileHandle, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../effects/external-error.ts';
import { listNames, syncFolders } from '../effects/files.ts';

/**
 * Facts about one answer. A day's answers of a source are the lines of one file of each writer, in the order in which they
 * were stored, because tens of thousands of small files would be a burden.
 */
export interface StoredRawAnswer {
  /** Path of the bytes below `lake/raw`. An answer equal to the previous one of its part shares its bytes. */
  readonly rawId: string;
  readonly part: string;
  /** ISO 8601, UTC. */
  readonly fetchedAt: string;
  /** As received, and as stored. */
  readonly bytes: number;
  readonly storedBytes: number;
  readonly sha256: string;
  /** Without credentials. */
  readonly url: string;
  /** HTTP status; 304 for one that confirmed the previous answer, and shares its bytes. */
  readonly status: number;
  readonly durationMilliseconds: number;
  readonly etag?: string;
  readonly lastModified?: string;
}

/** Versions before December 2026 wrote indexes without the id of the writer. */
const INDEX_NAME = /^answers(?:-[0-9a-f]{8})?\.ndjson$/;

function indexName(writer: string): string {
  return `answers-${writer}.ndjson`;
}

export function isIndex(name: string): boolean {
  return INDEX_NAME.test(name);
}

/** Large enough for the newest answer of each part, however many parts a source has. */
const INDEX_TAIL_BYTES = 1 << 18;

/** The index of a day, open for one answer. */
interface RawAnswerIndex {
  /** @returns the newest answer of a part, if it is among the last few hundred answers */
  findLast(part: string): StoredRawAnswer | null;
  /** Appends an answer; its line is synced when this returns. */
  add(answer: StoredRawAnswer): Promise<void>;
}

export async function withIndex<Result>(
  folder: string,
  writer: string,
  task: (index: RawAnswerIndex) => Promise<Result>,
): Promise<Result> {
  const handle = await open(path.join(folder, indexName(writer)), 'a+');
  try {
    const { size } = await handle.stat();
    const tail = await readTail(handle, size);
    return await task({
      findLast: (part) => findLast(tail, part),
      add: async (answer) => {
        // A line cut off by a crash is ended, so that readers skip only that line.
        const start = size > 0 && !tail.endsWith('\n') ? '\n' : '';
        await handle.appendFile(`${start}${JSON.stringify(answer)}\n`);
        await handle.datasync();
        if (size === 0) await syncFolders(folder, 2);
      },
    });
  } finally {
    await handle.close();
  }
}

/** All answers of a day, in the order in which they were fetched; empty without answers. */
export async function readIndex(folder: string): Promise<StoredRawAnswer[]> {
  const names = (await listNames(folder)).filter(isIndex).sort();
  const answers = await Promise.all(names.map((name) => readLines(path.join(folder, name))));
  const order = (a: StoredRawAnswer, b: StoredRawAnswer) =>
    a.fetchedAt < b.fetchedAt ? -1 : a.fetchedAt > b.fetchedAt ? 1 : 0;
  return answers.flat().sort(order);
}

async function readLines(file: string): Promise<StoredRawAnswer[]> {
  try {
    return parseLines(await readFile(file, 'utf8'));
  } catch (error) {
    // Removed since it was listed.
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

async function readTail(handle: FileHandle, size: number): Promise<string> {
  const from = Math.max(0, size - INDEX_TAIL_BYTES);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
  return buffer.toString('utf8', 0, bytesRead);
}

function findLast(tail: string, part: string): StoredRawAnswer | null {
  for (const line of tail.split('\n').reverse()) {
    const answer = parseLine(line);
    if (answer?.part === part) return answer;
  }
  return null;
}

function parseLines(text: string): StoredRawAnswer[] {
  return text.split('\n').flatMap((line) => parseLine(line) ?? []);
}

/** @returns null for a line cut off by a crash, or by the start of a tail */
function parseLine(line: string): StoredRawAnswer | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line) as StoredRawAnswer;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
