import { hash } from 'node:crypto';

/** 128 bits: chance makes no collision, and a forged one would affect only the forger. */
const TAG_CHARACTERS = 22;

/** A strong entity tag, quotes included: equal parts give equal tags. The order of an object's members counts. */
export function buildEntityTag(parts: readonly unknown[]): string {
  return quoteTag(hash('sha256', JSON.stringify(parts), 'base64url'));
}

/** The strong entity tag of bytes that never change while the process runs. */
export function hashEntityTag(bytes: Uint8Array): string {
  return quoteTag(hash('sha256', bytes, 'base64url'));
}

/** Whether `If-None-Match` lists the tag, by weak comparison as RFC 9110 section 13.1.2 requires; `*` lists none. */
export function namesEntityTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  for (const [, listed] of header.matchAll(/(?:W\/)?("[^"]*")/g)) {
    if (listed === tag) return true;
  }
  return false;
}

/**
 * Whether `If-None-Match` is `*`, which matches every answer that has an entity tag. A refusal has none, so the answer
 * must exist before the condition is evaluated (RFC 9110 section 13.1.2).
 */
export function namesAnyEntityTag(header: string | undefined): boolean {
  return header?.trim() === '*';
}

function quoteTag(digest: string): string {
  return `"${digest.slice(0, TAG_CHARACTERS)}"`;
}
