import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { Brand } from '../../model/ids.ts';
import { UnreadableAnswer } from '../../model/problem.ts';
import { formatTimestamp, type Instant } from '../../model/service-time.ts';

/** An XML element, names without their namespace prefixes. */
export interface XmlElement {
  readonly name: string;
  /** Of the attributes only `lang` and `version` are kept. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text, character references decoded, without that of its children. */
  readonly text: string;
}

/** The children with one of the names, in document order. */
export function childrenOf(element: XmlElement | null, ...names: readonly string[]): readonly XmlElement[] {
  return element ? element.children.filter(({ name }) => names.includes(name)) : [];
}

/** The first element at a path of names; null if missing. */
export function findElement(element: XmlElement | null, ...path: readonly string[]): XmlElement | null {
  return path.reduce<XmlElement | null>((parent, step) => childrenOf(parent, step)[0] ?? null, element);
}

/** The trimmed text at a path; null if missing or empty. */
export function textAt(element: XmlElement | null, ...path: readonly string[]): string | null {
  return findElement(element, ...path)?.text.trim() || null;
}

/** An `xs:boolean` at a path; absent is false. */
export function isTrueAt(element: XmlElement | null, ...path: readonly string[]): boolean {
  return ['true', '1'].includes(textAt(element, ...path) ?? '');
}

/** All descendants of an element with the name, in document order. */
export function descendantsOf(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...descendantsOf(child, name)]);
}

/**
 * Picks a text published in one or several languages: German if available, else the first.
 * @param elements all elements of one name, either with `Text` (and `Language`) inside or with the text itself
 * @see VDV 431-2, InternationalTextStructure; SIRI, NaturalLanguageStringStructure
 */
export function pickText(elements: readonly XmlElement[]): string | null {
  const texts = elements.flatMap(readTexts).filter(({ text }) => text !== '');
  return (texts.find(({ language }) => /^de\b/i.test(language ?? '')) ?? texts[0])?.text ?? null;
}

function readTexts(element: XmlElement): readonly { text: string; language: string | null }[] {
  const inner = childrenOf(element, 'Text');
  const language = textAt(element, 'Language') ?? element.attributes.get('lang') ?? null;
  if (inner.length === 0) return [{ text: element.text.trim(), language }];
  return inner.map(({ text, attributes }) => ({ text: text.trim(), language: attributes.get('lang') ?? language }));
}

export interface XmlLimits {
  readonly maxBytes: number;
  /** Tags and comments, counted by their opening bracket. */
  readonly maxTags: number;
  readonly maxDepth: number;
}

/** An answer with a hundred events and all of their calls has a tenth of this. */
export const defaultXmlLimits: XmlLimits = { maxBytes: 16_000_000, maxTags: 1_000_000, maxDepth: 64 };

const TEXT = '#text';
const CDATA = '#cdata';
const KEPT_ATTRIBUTES = ['lang', 'version'];

/**
 * Parses a document in UTF-8 without document types: no entity can be declared, and nothing external is fetched. Only
 * the five predefined entities and character references are decoded.
 * @returns its root element
 * @throws UnreadableAnswer `too_large`, `not_utf8`, `empty`, `not_xml`, `html`, `forbidden_doctype`, `truncated`,
 *   `malformed_xml`
 */
export function parseXml(bytes: Uint8Array, limits: XmlLimits = defaultXmlLimits): XmlElement {
  if (bytes.length > limits.maxBytes) {
    throw new UnreadableAnswer('too_large', `${bytes.length} bytes, at most ${limits.maxBytes} are read`);
  }
  return parseXmlText(decodeUtf8(bytes), limits);
}

/** `parseXml` for decoded text. */
export function parseXmlText(document: string, limits: XmlLimits = defaultXmlLimits): XmlElement {
  const text = document.trim();
  refuseForeign(text);
  refuseTooManyTags(text, limits.maxTags);
  const verdict = XMLValidator.validate(text);
  if (verdict !== true) throw new UnreadableAnswer(isCutOff(text) ? 'truncated' : 'malformed_xml', verdict.err.msg);
  const roots = toElements(parseNodes(text, limits.maxDepth));
  if (roots.length !== 1) throw new UnreadableAnswer('malformed_xml', `${roots.length} root elements`);
  return roots[0]!;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // The decoder reports invalid UTF-8 only as a TypeError.
    throw new UnreadableAnswer('not_utf8', 'the answer is not text in UTF-8');
  }
}

function refuseForeign(text: string): void {
  if (text === '') throw new UnreadableAnswer('empty', 'the answer is empty');
  if (!text.startsWith('<')) throw new UnreadableAnswer('not_xml', 'the answer does not begin with "<"');
  if (/^<(?:!doctype\s+html|html)\b/i.test(text)) throw new UnreadableAnswer('html', 'the answer is an HTML page');
  // Refused anywhere, even in a comment: no publisher of this format needs it.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) {
    throw new UnreadableAnswer('forbidden_doctype', 'document types and entities are not read');
  }
}

function refuseTooManyTags(text: string, maxTags: number): void {
  let tags = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) tags++;
  if (tags > maxTags) throw new UnreadableAnswer('too_large', `${tags} tags, at most ${maxTags} are read`);
}

/** Whether the end of the document is missing, as opposed to an error within it. */
function isCutOff(text: string): boolean {
  const root = /<([A-Za-z_][\w.:-]*)/.exec(text)?.[1];
  return root === undefined || !text.endsWith(`</${root}>`);
}

/** Node of the parser with `preserveOrder`: an object with one member, named after the tag, and attributes. */
type ParsedNode = Readonly<Record<string, unknown>>;

function parseNodes(text: string, maxDepth: number): readonly ParsedNode[] {
  const parser = new XMLParser({
    preserveOrder: true,
    removeNSPrefix: true,
    ignoreAttributes: (name) => !KEPT_ATTRIBUTES.includes(name),
    attributeNamePrefix: '',
    parseTagValue: false,
    parseAttributeValue: false,
    processEntities: false,
    trimValues: false,
    textNodeName: TEXT,
    cdataPropName: CDATA,
    ignoreDeclaration: true,
    ignorePiTags: true,
    maxNestedTags: maxDepth,
  });
  try {
    return parser.parse(text) as readonly ParsedNode[];
  } catch (error) {
    throw new UnreadableAnswer('malformed_xml', error instanceof Error ? error.message : String(error));
  }
}

function toElements(nodes: readonly ParsedNode[]): readonly XmlElement[] {
  return nodes.flatMap((node) => {
    const name = nameOf(node);
    return name === undefined || name === TEXT || name === CDATA ? [] : [toElement(name, node)];
  });
}

function toElement(name: string, node: ParsedNode): XmlElement {
  const content = node[name] as readonly ParsedNode[];
  const attributes = Object.entries((node[':@'] ?? {}) as Readonly<Record<string, string>>);
  return {
    name,
    attributes: new Map(attributes.map(([key, value]) => [key, decodeReferences(value)])),
    children: toElements(content),
    text: content.map(ownText).join(''),
  };
}

const nameOf = (node: ParsedNode) => Object.keys(node).find((key) => key !== ':@');

function ownText(node: ParsedNode): string {
  const text = node[TEXT];
  if (typeof text === 'string') return decodeReferences(text);
  // In a CDATA section every character is literal.
  const section = node[CDATA] as readonly ParsedNode[] | undefined;
  return section ? String(section[0]?.[TEXT] ?? '') : '';
}

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Decodes predefined entities and character references, once: `&amp;lt;` is the text `&lt;`. Unknown entities are kept
 * as written; a number without a character becomes U+FFFD.
 * @see XML 1.0, sections 4.1 and 4.6
 */
export function decodeReferences(text: string): string {
  return text.replace(/&(?:#(\d{1,10})|#x([0-9a-f]{1,8})|([a-z]{2,4}));/gi, (written, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(PREDEFINED, name) ? PREDEFINED[name]! : written;
    const code = decimal !== undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16);
    return isCharacter(code) ? String.fromCodePoint(code) : '\ufffd';
  });
}

/** @see XML 1.0, production Char */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}

/** Serialised markup; plain text becomes `Xml` only through `textElement`, which escapes it. */
export type Xml = Brand<string, 'Xml'>;

/** An element with child elements; null children are left out. */
export function element(
  name: string,
  children: readonly (Xml | null)[],
  attributes: Readonly<Record<string, string>> = {},
): Xml {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  return `<${name}${written.join('')}>${children.filter((child) => child !== null).join('')}</${name}>` as Xml;
}

/** An element with text; null for a null text. */
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

/** Text escaped for an element or a quoted attribute; characters that XML forbids become U+FFFD. */
export function escapeXml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these, and halves of surrogate pairs, must not be written.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu, '\ufffd')
      .replace(/[&<>"'\r]/g, (character) => ESCAPES[character]!)
  );
}

/** An instant as `xs:dateTime` in UTC, the form that both standards require. */
export function formatXmlTime(instant: Instant): string {
  return formatTimestamp(instant, 'UTC').replace('+00:00', 'Z');
}
