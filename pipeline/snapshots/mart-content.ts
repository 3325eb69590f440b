import { createHash } from 'node:crypto';

/** A month of a mart by what its file holds. */
interface MartContent {
  /** `YYYY-MM` */
  readonly month: string;
  /** SHA-256 of the bytes, as hexadecimal digits; at least the first 32 of them. */
  readonly hash: string;
}

/** Key of a snapshot's summary in an Iceberg table of a mart: the name of its content. */
export const MART_CONTENT = 'taktgeber.content';

const HASH_DIGITS = 32;

/** Key of the content of a mart: equal files have equal keys, in an Iceberg table and in a history. */
export function nameMartContent(files: readonly MartContent[]): string {
  const lines = files.map(({ month, hash }) => `${month} ${hash.slice(0, HASH_DIGITS)}`).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, HASH_DIGITS);
}
