import path from 'node:path';
import { type ConfigProblem, unknownKey } from '../effects/usage-error.ts';
import { type FeedFix, feedFixNames } from '../model/feed-fixes.ts';
import { isSourceId, type SourceId } from '../model/ids.ts';
import { isTimeZone } from '../model/service-time.ts';
import { mvoCredits, mvoDataSets } from './mvo-data-sets.ts';

/** A timetable source as configured in the list `sources`. */
export type SourceConfig = CommonConfig & (GtfsOrigin | MvoOrigin);

interface CommonConfig {
  readonly id: SourceId;
  readonly name: string | null;
  readonly attribution: string | null;
  readonly licence: string | null;
  /** Whether the licence forbids serving the timetable after the last day of its validity. */
  readonly stopAfterValidity: boolean;
  /** Repairs of its rows, in no order. */
  readonly fixes: readonly FeedFix[];
  /** Time zone of agencies that the feed lacks; null: such a feed is refused. */
  readonly zone: string | null;
  /** Sent when the feed is fetched; may hold keys, so it is never shown. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A feed at one place. */
interface GtfsOrigin {
  readonly kind: 'gtfs';
  /** Path of a zip or a folder, made absolute, or an http(s) address. */
  readonly gtfs: string;
}

/** A data set of the platform of the Mobilitätsverbünde, whose address differs by timetable year. */
interface MvoOrigin {
  readonly kind: 'mvo';
  readonly dataSet: number;
}

const KINDS = ['gtfs', 'mvo'] as const;
const COMMON_KEYS = ['name', 'attribution', 'licence', 'stopAfterValidity', 'fixes', 'zone'];

/** A feed that is served as published, as one of the command line is. */
export const plainFeed = { stopAfterValidity: false, fixes: [], zone: null } as const;
const KEYS: Readonly<Record<(typeof KINDS)[number], readonly string[]>> = {
  gtfs: ['id', 'kind', 'gtfs', ...COMMON_KEYS, 'headers'],
  mvo: ['id', 'kind', 'dataSet', ...COMMON_KEYS],
};

/**
 * Reads the list `sources` of a configuration file.
 * @param folder where relative paths start
 * @returns the sources, and what is wrong
 */
export function parseSources(list: unknown, folder: string): { sources: SourceConfig[]; problems: ConfigProblem[] } {
  if (list === undefined || list === null) return { sources: [], problems: [] };
  if (!Array.isArray(list)) {
    return { sources: [], problems: [{ key: 'sources', sentence: 'sources must be a list of {id, gtfs}' }] };
  }
  const sources: SourceConfig[] = [];
  const problems: ConfigProblem[] = [];
  for (const [index, entry] of list.entries()) {
    const place = `sources[${index}]`;
    const found = problemsOf(entry, place);
    problems.push(...found);
    if (found.length > 0) continue;
    const source = toSource(entry as RawSource, folder);
    const clash = findClash(source, sources, place);
    if (clash === null) sources.push(source);
    else problems.push(clash);
  }
  return { sources, problems };
}

/** Why a source cannot be combined with the previous ones. */
function findClash(source: SourceConfig, before: readonly SourceConfig[], place: string): ConfigProblem | null {
  if (before.some(({ id }) => id === source.id)) {
    return { key: `${place}.id`, sentence: `${place}.id "${source.id}" is taken by another source` };
  }
  if (source.kind !== 'mvo') return null;
  const refuse = (sentence: string) => ({ key: `${place}.dataSet`, sentence: `${place}.dataSet ${sentence}` });
  for (const other of before) {
    if (other.kind !== 'mvo') continue;
    if (other.dataSet === source.dataSet) {
      return refuse(`${source.dataSet} is already the source "${other.id}"; remove one of the two`);
    }
    const flex = findFlexEdition(source.dataSet, other.dataSet);
    if (flex === null) continue;
    const [whole, part] = flex === source.dataSet ? [source, other] : [other, source];
    const remedy = `remove "${part.id}" (${part.dataSet})`;
    return refuse(
      `${source.dataSet}: the Flex edition ${whole.dataSet} ("${whole.id}") contains all of its plain twin; ${remedy}`,
    );
  }
  return null;
}

/** The Flex edition of two data sets of which the other is its plain twin; null if they are not. */
function findFlexEdition(one: number, other: number): number | null {
  const isFlexOf = (flex: number, plain: number) =>
    mvoDataSets.some(({ id, plainTwin }) => id === flex && plainTwin === plain);
  if (isFlexOf(one, other)) return one;
  return isFlexOf(other, one) ? other : null;
}

/** Whether a timetable is to be fetched rather than read from the disk. */
export function isAddress(location: string): boolean {
  return /^https?:\/\//i.test(location);
}

/** Resolves a relative path against `folder`; an address is returned unchanged. */
export function resolveLocation(location: string, folder: string): string {
  return isAddress(location) ? location : path.resolve(folder, location);
}

interface RawSource {
  id: SourceId;
  kind?: 'gtfs' | 'mvo';
  gtfs: string;
  dataSet: number;
  name?: string;
  attribution?: string;
  licence?: string;
  stopAfterValidity?: boolean;
  fixes?: FeedFix[];
  zone?: string;
  headers?: Record<string, string>;
}

function toSource(raw: RawSource, folder: string): SourceConfig {
  const isMvo = raw.kind === 'mvo';
  const common = {
    id: raw.id,
    name: raw.name ?? null,
    attribution: isMvo ? creditChanges(raw.attribution ?? mvoCredits.attribution) : (raw.attribution ?? null),
    licence: raw.licence ?? (isMvo ? mvoCredits.licence : null),
    stopAfterValidity: raw.stopAfterValidity ?? isMvo,
    fixes: [...new Set(raw.fixes ?? [])].sort(),
    zone: raw.zone ?? null,
    headers: raw.headers ?? {},
  };
  if (isMvo) return { ...common, kind: 'mvo', dataSet: raw.dataSet };
  return { ...common, kind: 'gtfs', gtfs: resolveLocation(raw.gtfs, folder) };
}

/** The licence of the platform demands a note that data were changed: they are merged with others, at least. */
function creditChanges(attribution: string): string {
  return /veränder|bearbeitet|changed|modified/i.test(attribution) ? attribution : `${attribution}, Daten verändert`;
}

function problemsOf(entry: unknown, place: string): ConfigProblem[] {
  if (!isRecord(entry)) return [{ key: place, sentence: `${place} must be {id, gtfs, …}` }];
  const problems: ConfigProblem[] = [];
  const refuse = (key: string, allowed: string) =>
    problems.push({ key: `${place}.${key}`, sentence: `${place}.${key} must ${allowed}` });
  const kind = entry.kind ?? 'gtfs';
  if (kind !== 'gtfs' && kind !== 'mvo') {
    refuse('kind', `be one of ${KINDS.join(', ')}`);
    return problems;
  }
  problems.push(
    ...Object.keys(entry)
      .filter((key) => !KEYS[kind].includes(key))
      .map((key) => unknownKey(`${place}.`, key, KEYS[kind])),
  );
  if (typeof entry.id !== 'string' || !isSourceId(entry.id)) refuse('id', 'be 1 to 40 of a-z, 0-9, "_" and "-"');
  if (kind === 'gtfs' && !isFilledText(entry.gtfs)) refuse('gtfs', 'be the path or the address of a GTFS feed');
  if (kind === 'mvo' && !isCount(entry.dataSet)) refuse('dataSet', 'be the number of a data set of the platform');
  for (const key of ['name', 'attribution', 'licence']) {
    if (entry[key] !== undefined && !isFilledText(entry[key])) refuse(key, 'be a text');
  }
  const { stopAfterValidity = false } = entry;
  if (typeof stopAfterValidity !== 'boolean') refuse('stopAfterValidity', 'be true or false');
  const { fixes = [], zone } = entry;
  if (!Array.isArray(fixes) || !fixes.every(isFeedFix)) refuse('fixes', `be a list of ${feedFixNames.join(', ')}`);
  if (zone !== undefined && !isZone(zone)) refuse('zone', 'be a time zone such as Europe/Vienna');
  if (entry.headers !== undefined && !isTextRecord(entry.headers)) refuse('headers', 'map header names to texts');
  return problems;
}

function isFeedFix(name: unknown): boolean {
  return feedFixNames.some((fix) => fix === name);
}

function isZone(zone: unknown): boolean {
  return typeof zone === 'string' && isTimeZone(zone);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isTextRecord(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((text) => typeof text === 'string');
}

/** Whether a parsed YAML or JSON value is a mapping. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
