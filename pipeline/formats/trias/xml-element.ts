/** An element of a document, names without their namespace prefixes. */
export interface XmlElement {
  readonly name: string;
  /** Of the attributes only `lang` and `version` are kept. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text, character references read, without that of its children. */
  readonly text: string;
}

/** The children of one of the names, in document order. */
export function childrenOf(element: XmlElement | null, ...names: readonly string[]): readonly XmlElement[] {
  return element ? element.children.filter(({ name }) => names.includes(name)) : [];
}

/** The first element at the end of a path of names; null where a step of the path is missing. */
export function findElement(element: XmlElement | null, ...path: readonly string[]): XmlElement | null {
  return path.reduce<XmlElement | null>((parent, step) => childrenOf(parent, step)[0] ?? null, element);
}

/** The text at the end of a path, without the blanks around it; null where there is none. */
export function textAt(element: XmlElement | null, ...path: readonly string[]): string | null {
  return findElement(element, ...path)?.text.trim() || null;
}

/** An `xs:boolean` at the end of a path; what is absent is false. */
export function isTrueAt(element: XmlElement | null, ...path: readonly string[]): boolean {
  return ['true', '1'].includes(textAt(element, ...path) ?? '');
}

/** Every element of the name below an element, in document order. */
export function descendantsOf(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...descendantsOf(child, name)]);
}

/**
 * The text that a publisher gives in one or several languages: German where there is some, else the first.
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
