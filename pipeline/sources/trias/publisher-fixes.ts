import type { PublisherFixes } from '../../normalise/trias/publisher-fixes.ts';

/**
 * All fixes of publishers that are known. What they look for occurs with that one publisher alone, so they need not be
 * chosen in the configuration.
 */
export const publisherFixes: PublisherFixes = {
  toStopId: fromLinkingAlpsRef,
  toValue: withoutPlaceholder,
  toSituationText: withoutEfaSettings,
};

/**
 * 2023-06 VAO in Linking Alps: references to stops are a HAFAS location in base64, with `-` for `=`, in whose part
 * `i` stands the id that everybody else uses: `A×at:45:50002:0:9`. fixture: linking-alps-stop-reference
 */
export function fromLinkingAlpsRef(ref: string): string {
  // Every location of a stop begins with "S|A=1@".
  if (!ref.startsWith('U3xBPTFA')) return ref;
  const location = decodeBase64(ref.replaceAll('-', '='));
  return /@i=A×([^@|]+)@/.exec(location ?? '')?.[1] ?? ref;
}

function decodeBase64(text: string): string | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return null;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

/**
 * 2026-02 OJP Switzerland: an unknown origin is `n/a`. 2023-06 VAO in Linking Alps: every line is `xxx`. Both may go
 * when the elements are left out instead. fixture: placeholders
 */
export function withoutPlaceholder(text: string): string | null {
  return text === 'n/a' || text === 'xxx' ? null : text;
}

/**
 * 2021-09 VVO: the detail of a situation ends with settings of the editor, `inEFA="true";MeldungTyp="Information"`.
 * fixture: efa-settings
 */
export function withoutEfaSettings(text: string): string {
  return text
    .trimEnd()
    .replace(/\binEFA="[^"]*"(?:;\w+="[^"]*")*;?$/, '')
    .trimEnd();
}
