import { decodeHTMLStrict } from 'entities';

const ENTITY = /&(?:#[0-9]{1,10}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{1,31});/g;
const NO_CHARACTER = '\ufffd';

/**
 * Decodes the entities of a text, each once: `&amp;lt;` becomes `&lt;`. All numbers and names of HTML are known.
 * Unknown names and names without a semicolon stay as written; a number without a character is dropped.
 */
function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity) => decodeHTMLStrict(entity).replace(NO_CHARACTER, ''));
}

// No expression here backtracks over repetitions: a megabyte of hostile text takes milliseconds.

/** Elements whose content is not text. */
const UNREAD_SECTIONS = [
  { open: /<!--/g, close: /-->/g },
  { open: /<script\b[^<>]*>/gi, close: /<\/script\b[^<>]*>/gi },
  { open: /<style\b[^<>]*>/gi, close: /<\/style\b[^<>]*>/gi },
];

/** A letter must follow immediately, as in browsers: `<80 km/h` and `a < b` are text. */
const TAG = /<(?:\/?([a-z][a-z0-9]*)[^<>]*|[!?][^<>]*)>/gi;

const BREAKING_TAGS: ReadonlySet<string> = new Set(
  `address article aside blockquote br center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
  header hr li main nav ol p pre section table tbody tfoot thead tr ul`.split(/\s+/),
);

const SPACING_TAGS: ReadonlySet<string> = new Set(['td', 'th', 'option']);

// Control characters, and those without width: soft hyphens, joiners, direction marks, byte order marks. Also unpaired
// surrogates.
const INVISIBLE = /[\p{Cf}\p{Cs}]|(?!\s)\p{Cc}/gu;

/**
 * Converts a publisher's text, HTML or not, to plain text. Tags are removed, those that end a line (`<br>`, `<p>`,
 * `<li>` …) become one line break, entities are decoded once, white space becomes one space, and invisible characters
 * are left out. Line ends of a text without tags stay; in one with tags they are white space, as in HTML. Never throws;
 * linear in the length. The result is plain text: a `<b>` in it was written as `&lt;b&gt;`, so pages must escape it.
 */
export function toPlainText(html: string): string {
  const readable = UNREAD_SECTIONS.reduce(removeSections, html);
  return collapseSpace(decodeEntities(replaceTags(readable)).replace(INVISIBLE, ''));
}

/** As `toPlainText`, in one line: for titles and names. */
export function toPlainLine(html: string): string {
  return toPlainText(html).replaceAll('\n', ' ');
}

function removeSections(html: string, { open, close }: { readonly open: RegExp; readonly close: RegExp }): string {
  let kept = '';
  let from = 0;
  for (;;) {
    const start = findFrom(open, html, from);
    const end = start && findFrom(close, html, start.end);
    // An element that is never closed is kept as text rather than lost.
    if (!start || !end) return kept + html.slice(from);
    kept += `${html.slice(from, start.index)} `;
    from = end.end;
  }
}

function findFrom(
  pattern: RegExp,
  text: string,
  from: number,
): { readonly index: number; readonly end: number } | null {
  const search = new RegExp(pattern);
  search.lastIndex = from;
  const match = search.exec(text);
  return match && { index: match.index, end: search.lastIndex };
}

function replaceTags(html: string): string {
  if (html.search(TAG) < 0) return html;
  return html.replace(/\s+/g, ' ').replace(TAG, (_tag, name: string | undefined) => {
    const lowerName = name?.toLowerCase() ?? '';
    if (BREAKING_TAGS.has(lowerName)) return '\n';
    return SPACING_TAGS.has(lowerName) ? ' ' : '';
  });
}

function collapseSpace(text: string): string {
  return text.replace(/\s+/g, (space) => (/[\r\n]/.test(space) ? '\n' : ' ')).trim();
}
