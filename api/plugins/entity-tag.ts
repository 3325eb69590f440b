import { hash } from 'node:crypto';

/** 128 bits: no accidental collisions, and a forged one would affect only the forger. */
const TAG_CHARACTERS = 22;

/** Builds a strong entity tag, quotes included: equal parts give equal tags. The order of object members matters. */
export function buildEntityTag(parts: readonly unknown[]): string {
  return quoteTag(hash('sha256', JSON.stringify(parts), 'base64url'));
}

/** Hashes bytes that never change while the process runs to a strong entity tag. */
export function hashEntityTag(bytes: Uint8Array): string {
  return quoteTag(hash('sha256', bytes, 'base64url'));
}

/** Whether `If-None-Match` lists the tag, by weak comparison (RFC 9110 section 13.1.2); `*` does not list any. */
export function matchesEntityTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  for (const [, listed] of header.matchAll(/(?:W\/)?("[^"]*")/g)) {
    if (listed === tag) return true;
  }
  return false;
}

/**
 * Whether `If-None-Match` is `*`, which matches every response with an entity tag. Refusals have none, so the condition
 * can be evaluated only once the response exists (RFC 9110 section 13.1.2).
 */
export function matchesAnyEntityTag(header: string | undefined): boolean {
  return header?.trim() === '*';
}

function quoteTag(digest: string): string {
  return `"${digest.slice(0, TAG_CHARACTERS)}"`;
}
