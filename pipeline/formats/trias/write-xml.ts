import type { Brand } from '../../model/brand.ts';
import { formatTimestamp, type Instant } from '../../model/service-time.ts';

/** Text that is markup already; plain text becomes it only through `textElement`, which escapes. */
export type Xml = Brand<string, 'Xml'>;

/** An element of elements; those that are null are left out. */
export function element(
  name: string,
  children: readonly (Xml | null)[],
  attributes: Readonly<Record<string, string>> = {},
): Xml {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  return `<${name}${written.join('')}>${children.filter((child) => child !== null).join('')}</${name}>` as Xml;
}

/** An element of text; null when there is no text to write. */
export function textElement(name: string, text: string | number | boolean | null): Xml | null {
  return text === null ? null : (`<${name}>${escapeXml(String(text))}</${name}>` as Xml);
}

export function xmlDocument(root: Xml): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
};

/** Text as it may stand in an element or a quoted attribute; what is no character in XML becomes U+FFFD. */
export function escapeXml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these, and halves of surrogate pairs, must not be written.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu, '\ufffd')
      .replace(/[&<>"'\r]/g, (character) => ESCAPES[character]!)
  );
}

/** A moment as `xs:dateTime` in UTC, the form that both standards ask for. */
export function formatXmlTime(instant: Instant): string {
  return formatTimestamp(instant, 'UTC').replace('+00:00', 'Z');
}
