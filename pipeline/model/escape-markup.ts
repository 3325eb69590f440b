const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes text for the content of elements and for quoted attributes, of HTML and of XML. Control characters other than
 * white space are left out: XML does not allow them, not even escaped.
 */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']|[^\P{Cc}\t\n\r]/gu, (character) => ENTITIES[character] ?? '');
}
