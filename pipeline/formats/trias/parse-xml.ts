import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { UnreadableAnswer } from '../../model/unreadable-answer.ts';
import type { XmlElement } from './xml-element.ts';

export interface XmlLimits {
  readonly maxBytes: number;
  /** Tags and comments, counted by their opening bracket. */
  readonly maxTags: number;
  readonly maxDepth: number;
}

/** An answer with a hundred events and all of their calls is a tenth of this. */
export const defaultXmlLimits: XmlLimits = { maxBytes: 16_000_000, maxTags: 1_000_000, maxDepth: 64 };

const TEXT = '#text';
const CDATA = '#cdata';
const KEPT_ATTRIBUTES = ['lang', 'version'];

/**
 * Reads a document in UTF-8 without document types: no entity is ever declared, and nothing outside is fetched. The
 * five predefined entities and character references are all that is replaced.
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

/** The same for text that is decoded already. */
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
    // The decoder's only way to say no is a TypeError.
    throw new UnreadableAnswer('not_utf8', 'the answer is not text in UTF-8');
  }
}

function refuseForeign(text: string): void {
  if (text === '') throw new UnreadableAnswer('empty', 'the answer is empty');
  if (!text.startsWith('<')) throw new UnreadableAnswer('not_xml', 'the answer does not begin with "<"');
  if (/^<(?:!doctype\s+html|html)\b/i.test(text)) throw new UnreadableAnswer('html', 'the answer is an HTML page');
  // Wherever it stands: where it is harmless, as in a comment, no publisher of this format has a use for it.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) {
    throw new UnreadableAnswer('forbidden_doctype', 'document types and entities are not read');
  }
}

function refuseTooManyTags(text: string, maxTags: number): void {
  let tags = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) tags++;
  if (tags > maxTags) throw new UnreadableAnswer('too_large', `${tags} tags, at most ${maxTags} are read`);
}

/** Whether the end of the document is missing, rather than something in its middle being wrong. */
function isCutOff(text: string): boolean {
  const root = /<([A-Za-z_][\w.:-]*)/.exec(text)?.[1];
  return root === undefined || !text.endsWith(`</${root}>`);
}

/** What the parser gives with `preserveOrder`: an object with one member, named after the tag, and attributes. */
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
  // In a CDATA section every character stands for itself.
  const section = node[CDATA] as readonly ParsedNode[] | undefined;
  return section ? String(section[0]?.[TEXT] ?? '') : '';
}

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Reads the predefined entities and character references, once: `&amp;lt;` is the text `&lt;`. Unknown entities stay
 * as they are written, and a number that names no character becomes U+FFFD.
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
