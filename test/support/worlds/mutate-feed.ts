import type { FeedFiles } from './text-feed.ts';

/** A sequence of numbers in [0, 1), the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;
type Table = { header: string[]; rows: string[][] };

const below = (random: Random, count: number) => Math.floor(random() * count);
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[below(random, items.length)]!;

/** Values that replace numbers, ids, times and dates. */
const VALUES = [
  ...['', ' ', '0', '-1', '1e999', 'NaN', '99999999999999999999', '-0.0', '2147483648', '48,5', '1.5', '\u00a0'],
  ...['25:61:61', '-1:00:00', '999:59:59', '8:0:0', '20260230', '99999999', '00000000', '2026-03-02', 'x'.repeat(3000)],
  ...['"', '""', '"""', 'a"b', 'null', "'", '; drop table stops', '\0', '\uFEFF', 'Ü', '😀', '$HOME', '%00', '\u202e'],
];
const NAMES = [
  'file_row_number',
  'source',
  'FEED_VERSION',
  '__surplus',
  '',
  'select',
  'a"b',
  'stop_id',
  'row_number',
  'Ü',
];

const tableMutations: Readonly<Record<string, (table: Table, random: Random) => void>> = {
  dropColumn: ({ header, rows }, random) => {
    const at = below(random, header.length);
    for (const row of [header, ...rows]) row.splice(at, 1);
  },
  renameColumn: ({ header }, random) => {
    header[below(random, header.length)] = pick(random, NAMES);
  },
  repeatColumn: ({ header, rows }, random) => {
    const at = below(random, header.length);
    for (const row of [header, ...rows]) row.splice(below(random, 2) * row.length, 0, row[at] ?? '');
  },
  addColumn: ({ header, rows }, random) => {
    header.push(pick(random, NAMES));
    for (const row of rows) row.push(pick(random, VALUES));
  },
  shuffleRows: ({ rows }, random) => {
    for (let i = rows.length - 1; i > 0; i--) {
      const other = below(random, i + 1);
      [rows[i], rows[other]] = [rows[other]!, rows[i]!];
    }
  },
  repeatRow: ({ rows }, random) => {
    if (rows.length > 0) rows.splice(below(random, rows.length), 0, [...pick(random, rows)]);
  },
  dropRow: ({ rows }, random) => {
    rows.splice(below(random, rows.length), 1);
  },
  dropRows: ({ rows }, random) => {
    rows.length = below(random, rows.length + 1);
  },
  shortenRow: ({ rows }, random) => {
    if (rows.length > 0) pick(random, rows).pop();
  },
  lengthenRow: ({ rows }, random) => {
    if (rows.length > 0) pick(random, rows).push(...Array<string>(1 + below(random, 3)).fill('x'));
  },
  setValue: ({ rows }, random) => {
    const row = rows.length > 0 ? pick(random, rows) : [];
    row[below(random, row.length)] = pick(random, VALUES);
  },
  setColumn: ({ header, rows }, random) => {
    const [at, value] = [below(random, header.length), pick(random, VALUES)];
    for (const row of rows) row[at] = value;
  },
  swapValues: ({ header, rows }, random) => {
    const [a, b] = [below(random, header.length), below(random, header.length)];
    for (const row of rows) [row[a], row[b]] = [row[b] ?? '', row[a] ?? ''];
  },
};

const fileMutations: Readonly<Record<string, (bytes: Buffer, random: Random) => Buffer>> = {
  flipByte: (bytes, random) => {
    if (bytes.length > 0) bytes[below(random, bytes.length)]! ^= 1 << below(random, 8);
    return bytes;
  },
  truncate: (bytes, random) => bytes.subarray(0, below(random, bytes.length + 1)),
  empty: () => Buffer.alloc(0),
  openQuote: (bytes, random) => insert(bytes, random, '"'),
  breakLine: (bytes, random) => insert(bytes, random, pick(random, ['\n', '\r', '\r\n', '\0', ',', '\uFEFF'])),
  utf16: (bytes) => Buffer.from(bytes.toString(), 'utf16le'),
  utf16Swapped: (bytes) => Buffer.from(bytes.toString(), 'utf16le').swap16(),
  latin1: (bytes) => Buffer.from(bytes.toString(), 'latin1'),
  marked: (bytes) => Buffer.concat([Buffer.from('\uFEFF'), bytes]),
  carriageReturns: (bytes) => Buffer.from(bytes.toString().replaceAll('\n', '\r\n')),
};

function insert(bytes: Buffer, random: Random, text: string): Buffer {
  const at = below(random, bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(text), bytes.subarray(at)]);
}

const CENTRAL_HEADER = Buffer.from('PK\u0001\u0002');

/** Offsets of the entries of the central directory. */
function listEntries(zip: Buffer): number[] {
  const found: number[] = [];
  for (let at = zip.indexOf(CENTRAL_HEADER); at >= 0; at = zip.indexOf(CENTRAL_HEADER, at + 4)) found.push(at);
  return found;
}

const zipMutations: Readonly<Record<string, (zip: Buffer, random: Random) => Buffer>> = {
  truncateZip: (zip, random) => zip.subarray(0, below(random, zip.length)),
  flipZipByte: (zip, random) => {
    zip[below(random, zip.length)]! ^= 1 << below(random, 8);
    return zip;
  },
  changeChecksum: (zip, random) => {
    zip[pick(random, listEntries(zip)) + 16 + below(random, 4)]! ^= 1 + below(random, 255);
    return zip;
  },
  changeSize: (zip, random) => {
    zip.writeUInt32LE(below(random, 1 << 20), pick(random, listEntries(zip)) + pick(random, [20, 24]));
    return zip;
  },
  escapeFolder: (zip, random) => {
    const at = pick(random, listEntries(zip));
    zip.write('../', at + 46, 'latin1');
    return zip;
  },
  renameEntry: (zip, random) => {
    zip[pick(random, listEntries(zip)) + 46] = 'x'.charCodeAt(0);
    return zip;
  },
  appendBytes: (zip, random) => Buffer.concat([zip, Buffer.alloc(below(random, 70_000), 0x50)]),
};

export interface Mutant {
  readonly files: FeedFiles;
  /** Changes the packed feed; usually does nothing. */
  readonly changeZip: (zip: Buffer) => Buffer;
  /** The applied changes, in order. */
  readonly steps: readonly string[];
}

/** Changes a feed in one to three ways: its tables, its files or its archive. */
export function mutateFeed(feed: ReadonlyMap<string, string>, random: Random): Mutant {
  const files = new Map<string, string | Uint8Array>(feed);
  const steps: string[] = [];
  let changeZip = (zip: Buffer) => zip;
  for (let left = 1 + below(random, 3); left > 0; left--) {
    const kind = random();
    const file = pick(random, [...files.keys()]);
    if (kind < 0.6) {
      const name = pick(random, Object.keys(tableMutations));
      const table = splitTable(Buffer.from(files.get(file)!).toString());
      tableMutations[name]!(table, random);
      files.set(file, joinTable(table));
      steps.push(`${name} of ${file}`);
    } else if (kind < 0.85) {
      const name = pick(random, Object.keys(fileMutations));
      files.set(file, fileMutations[name]!(Buffer.from(files.get(file)!), random));
      steps.push(`${name} of ${file}`);
    } else if (kind < 0.9 && files.size > 1) {
      files.delete(file);
      steps.push(`delete ${file}`);
    } else {
      const name = pick(random, Object.keys(zipMutations));
      changeZip = (zip) => zipMutations[name]!(zip, random);
      steps.push(name);
    }
  }
  return { files, changeZip, steps };
}

/** Valid for the mutated feeds: none of their values contains a comma or a line end. */
function splitTable(text: string): Table {
  const [header = '', ...rows] = text.trimEnd().split('\n');
  return { header: header.split(','), rows: rows.map((row) => row.split(',')) };
}

function joinTable({ header, rows }: Table): string {
  return [header, ...rows].map((row) => `${row.join(',')}\n`).join('');
}
