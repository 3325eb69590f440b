import type { HafasContext, HafasHint, HafasLine, HafasLocation, HafasPlace, HafasProfile } from './load-profile.ts';
import { isObject, listOf, type MgateObject, objectOf, textOf, toPosition } from './mgate-answer.ts';
import { type HafasLoad, parseLoad } from './occupancy.ts';

/** Reports a problem of one record. */
export type Report = (code: string, place: string, detail: string) => void;

/** Records referenced by index in a list of `res.common`; null where a record is missing or invalid. */
export interface HafasReferences {
  readonly context: HafasContext;
  findStop(index: unknown): HafasPlace | null;
  findLine(index: unknown): HafasLine | null;
  findHint(index: unknown): HafasHint | null;
  findLoad(index: unknown): HafasLoad | null;
  findIcon(index: unknown): { readonly type: unknown } | null;
  /** Indices of the lines that name the message. */
  listLinesNaming(messageId: string): readonly number[];
  /** Raw members of lists for which the library has no parser. */
  findRaw(list: string, index: unknown): MgateObject | null;
}

/** Switched off to save work: these parts are not read. */
const unread = { remarks: false, stopovers: false, subStops: false, entrances: false, linesOfStops: false };

/** A stop is parsed without its parent stops: the library would follow them in all orders. */
const apart = { mMastLocX: undefined, stopLocL: undefined, entryLocL: undefined };

/**
 * Resolves the references of a result. Each record is parsed separately on first use, so that a broken one affects only
 * the records that refer to it. (hafas-client's own `parseCommon` first searches the whole answer for references: that
 * takes most of the time, and a broken record would lose the whole answer.)
 */
export function createReferences(profile: HafasProfile, res: MgateObject, report: Report): HafasReferences {
  const common = objectOf(res.common);
  // The parse functions access these two lists unchecked.
  const checked = { ...res, common: { ...common, locL: listOf(common.locL), prodL: listOf(common.prodL) } };
  const context: HafasContext = { profile, opt: unread, common: { lines: [] }, res: checked };

  const findRaw = (list: string, index: unknown): MgateObject | null => {
    const raw = typeof index === 'number' ? listOf(common[list])[index] : undefined;
    return isObject(raw) ? raw : null;
  };
  const remember = <T>(list: string, parse: (raw: MgateObject) => T | null): ((index: unknown) => T | null) => {
    const known = new Map<unknown, T | null>();
    return (index) => {
      if (index === undefined) return null;
      const found = known.get(index);
      if (found !== undefined) return found;
      const parsed = parseReferenced(findRaw(list, index), parse, `common.${list}[${String(index)}]`, report);
      known.set(index, parsed);
      return parsed;
    };
  };

  let namingLines: Map<string, number[]> | null = null;
  const findIcon = remember('icoL', (raw) => profile.parseIcon(context, raw));
  const findOperator = remember('opL', (raw) => profile.parseOperator(context, raw));
  return {
    context,
    findRaw,
    findIcon,
    findStop: remember('locL', (raw) => checkPlace(profile.parseLocation(context, { ...raw, ...apart }))),
    findLine: remember('prodL', (raw) =>
      checkLine(profile.parseLine(context, { ...raw, operator: findOperator(raw.oprX) })),
    ),
    listLinesNaming: (messageId) => {
      namingLines ??= groupNamingLines(listOf(common.prodL));
      return namingLines.get(messageId) ?? [];
    },
    findHint: remember('remL', (raw) => profile.parseHint(context, raw)),
    findLoad: remember('tcocL', parseLoad),
  };
}

function parseReferenced<T>(
  raw: MgateObject | null,
  parse: (raw: MgateObject) => T | null,
  place: string,
  report: Report,
): T | null {
  if (raw === null) {
    report('dangling_reference', place, 'there is no such record');
    return null;
  }
  try {
    return parse(raw);
  } catch (error) {
    report('bad_reference', place, messageOf(error));
    return null;
  }
}

/** The library passes on unread members as sent, of whatever type. */
function checkLine(line: HafasLine): HafasLine {
  const productName = textOf(line.productName);
  return {
    name: textOf(line.name),
    product: textOf(line.product),
    mode: textOf(line.mode),
    operator: line.operator ?? null,
    ...(productName === null ? {} : { productName }),
  };
}

function checkPlace({ id, name, location, latitude, longitude, ids }: HafasLocation): HafasPlace {
  return {
    id: textOf(id),
    name: textOf(name),
    position: toPosition(location?.latitude ?? latitude, location?.longitude ?? longitude),
    ifopt: textOf(ids?.ifopt) ?? textOf(ids?.dhid),
  };
}

/** Inverse of the `himIdL` of lines. */
function groupNamingLines(lines: readonly unknown[]): Map<string, number[]> {
  const naming = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    for (const hid of isObject(line) ? listOf(line.himIdL) : []) {
      const id = messageIdOf({ hid });
      if (id !== null) naming.set(id, [...(naming.get(id) ?? []), index]);
    }
  }
  return naming;
}

/** Boards write 4711 where lines and a search for messages write `HIM_FREETEXT_4711`. */
export function messageIdOf({ hid }: MgateObject): string | null {
  return textOf(textOf(hid)?.replace(/^HIM_FREETEXT_/, ''));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
