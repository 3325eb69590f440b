import { createHash } from 'node:crypto';
import { ExternalError } from '../../effects/external-error.ts';
import { findPlace } from './store-rules.ts';

/** A content at a path. */
export interface TreeEntry {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  /** When its writer had it written; milliseconds since 1970. */
  readonly modified: number;
  /** The content itself, of small JSON files: then it is not a separate object. */
  readonly text?: string;
}

/** What lies at which path below the data folder, with forward slashes. */
export type TreeFiles = ReadonlyMap<string, TreeEntry>;

/** Raised with every change that an older program cannot read. */
const TREE_FORMAT = 1;

interface TreeDocument {
  readonly treeFormat: number;
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly writtenAt: string;
  readonly files: Readonly<Record<string, TreeEntry>>;
}

export function treeKey(name: string): string {
  return `trees/${name}.json`;
}

/** @returns null for the key of something else */
export function treeOfKey(key: string): string | null {
  return /^trees\/(.+)\.json$/.exec(key)?.[1] ?? null;
}

export function objectKey(sha256: string): string {
  return `objects/${sha256.slice(0, 2)}/${sha256}`;
}

/** One file per line, by path, so that equal trees differ in nothing but the time. */
export function writeTree(name: string, files: TreeFiles, nowMilliseconds: number): Buffer {
  const head = { treeFormat: TREE_FORMAT, name, writtenAt: new Date(nowMilliseconds).toISOString() };
  const lines = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, entry]) => `${JSON.stringify(path)}:${JSON.stringify(entry)}`);
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},"files":{\n${lines.join(',\n')}\n}}\n`);
}

/** @throws ExternalError `tree_damaged`; `tree_too_new` for one that a newer program has written */
export function parseTree(bytes: Buffer, name: string): TreeFiles {
  const document = parseDocument(bytes, name);
  if (document.treeFormat !== TREE_FORMAT) {
    const formats = `format ${document.treeFormat}, and this program reads ${TREE_FORMAT}`;
    throw new ExternalError('tree_too_new', `the tree ${name} of the object store is of ${formats}: upgrade taktgeber`);
  }
  // A tree without files would be read as an empty one, which removes what is here.
  if (document.name !== name || !isObject(document.files)) throw damaged(name, 'it is another document');
  const files = new Map(Object.entries(document.files));
  for (const [path, entry] of files) {
    if (findPlace(path)?.tree !== name || !isObject(entry) || !isEntry(entry))
      throw damaged(name, `its entry of ${path} is not valid`);
  }
  return files;
}

function parseDocument(bytes: Buffer, name: string): Partial<TreeDocument> {
  try {
    const document: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(document) ? document : { treeFormat: TREE_FORMAT };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw damaged(name, 'it is not JSON');
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEntry({ sha256, bytes, modified, text }: Partial<TreeEntry>): boolean {
  const isWhole = /^[0-9a-f]{64}$/.test(sha256 ?? '') && Number.isSafeInteger(bytes) && Number.isFinite(modified);
  return isWhole && (text === undefined || hashText(text) === sha256);
}

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function damaged(name: string, reason: string): ExternalError {
  return new ExternalError(
    'tree_damaged',
    `the tree ${name} of the object store is damaged: ${reason}; restore an older version of trees/${name}.json`,
  );
}
