import { createReadStream } from 'node:fs';

/** An encoding that is not UTF-8. */
export interface ForeignEncoding {
  /** As a sentence names it. */
  readonly name: string;
  /** As iconv names it. */
  readonly iconvName: string;
}

const wide = (name: string, iconvName: string): ForeignEncoding => ({ name, iconvName });
const UTF_16_LE = wide('UTF-16 (little endian)', 'UTF-16LE');
const UTF_16_BE = wide('UTF-16 (big endian)', 'UTF-16BE');
const UTF_32_LE = wide('UTF-32 (little endian)', 'UTF-32LE');
const UTF_32_BE = wide('UTF-32 (big endian)', 'UTF-32BE');
const ISO_8859_1 = { name: 'a one-byte encoding, probably ISO-8859-1 (Latin-1)', iconvName: 'ISO-8859-1' };
const WINDOWS_1252 = { name: 'a one-byte encoding, probably Windows-1252', iconvName: 'WINDOWS-1252' };

/** Longer marks first: that of UTF-16 begins that of UTF-32. */
const byteOrderMarks: readonly (readonly [mark: readonly number[], encoding: ForeignEncoding])[] = [
  [[0xff, 0xfe, 0, 0], UTF_32_LE],
  [[0, 0, 0xfe, 0xff], UTF_32_BE],
  [[0xff, 0xfe], UTF_16_LE],
  [[0xfe, 0xff], UTF_16_BE],
];

const WIDE_SAMPLE_BYTES = 4096;

/**
 * Recognises UTF-16 and UTF-32 by their byte order mark or, as the header of a GTFS file is ASCII, by its zero bytes.
 * @param beginning of the file; a few hundred bytes are enough
 * @returns null for anything else
 */
export function findWideEncoding(beginning: Buffer): ForeignEncoding | null {
  const marked = byteOrderMarks.find(([mark]) => mark.every((byte, i) => beginning[i] === byte));
  if (marked) return marked[1];
  const sample = beginning.subarray(0, WIDE_SAMPLE_BYTES);
  const zeros = [0, 0, 0, 0];
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) zeros[i & 3]! += 1;
  const isMostlyZero = zeros.map((count) => count > sample.length / 8);
  const pattern = isMostlyZero.map(Number).join('');
  return zeroPatterns[pattern] ?? null;
}

/** Which of four bytes are zero, in text of ASCII alone. */
const zeroPatterns: Readonly<Record<string, ForeignEncoding>> = {
  '0101': UTF_16_LE,
  '1010': UTF_16_BE,
  '0111': UTF_32_LE,
  '1110': UTF_32_BE,
};

/**
 * Tells a file in a one-byte encoding from UTF-8 with damage: it has letters beyond ASCII, and none of them is UTF-8.
 * @returns null where any letter beyond ASCII is sound UTF-8, or there is none
 */
export async function findOneByteEncoding(file: string): Promise<ForeignEncoding | null> {
  let found: ForeignEncoding | null = null;
  // A sequence may lie across two chunks, so the last three bytes are looked at again in front of the next.
  let tail = Buffer.alloc(0);
  for await (const chunk of createReadStream(file)) {
    const bytes = Buffer.concat([tail, chunk as Buffer]);
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!;
      if (byte < 0x80) continue;
      if (isSequence(bytes, i)) return null;
      // ISO-8859-1 has control characters there, which no text uses.
      found = byte < 0xa0 || found === WINDOWS_1252 ? WINDOWS_1252 : ISO_8859_1;
    }
    tail = bytes.subarray(-3);
  }
  return found;
}

/** Whether a letter beyond ASCII begins at a byte: a lead byte and as many continuations as it announces. */
function isSequence(bytes: Buffer, at: number): boolean {
  const lead = bytes[at]!;
  const length =
    lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  if (length === 0) return false;
  for (let k = 1; k < length; k++) if ((bytes[at + k] ?? 0) >> 6 !== 0b10) return false;
  return true;
}

const LINE_FEED = 0x0a;

/** Lines with anything but blanks and zero bytes, in any encoding that writes a line end with the byte of LF. */
export async function countLines(file: string): Promise<number> {
  let lines = 0;
  let isBlank = true;
  for await (const chunk of createReadStream(file)) {
    for (const byte of chunk as Buffer) {
      if (byte === LINE_FEED) isBlank = true;
      else if (isBlank && byte > 0x20) {
        isBlank = false;
        lines++;
      }
    }
  }
  return lines;
}
