import path from 'node:path';
import { type ConfigProblem, unknownKey } from '../effects/usage-error.ts';
import { isSourceId, type SourceId } from '../model/ids.ts';

/** A timetable source as configured in the list `sources`. */
export interface SourceConfig {
  readonly id: SourceId;
  /** Path of a zip or a folder, made absolute, or an http(s) address. */
  readonly gtfs: string;
  readonly name: string | null;
  readonly attribution: string | null;
  readonly licence: string | null;
  /** Sent when the feed is fetched; may hold keys, so it is never shown. */
  readonly headers: Readonly<Record<string, string>>;
}

const KEYS = ['id', 'gtfs', 'name', 'attribution', 'licence', 'headers'];

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
    if (sources.some(({ id }) => id === source.id)) {
      problems.push({ key: `${place}.id`, sentence: `${place}.id "${source.id}" is taken by another source` });
    } else sources.push(source);
  }
  return { sources, problems };
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
  gtfs: string;
  name?: string;
  attribution?: string;
  licence?: string;
  headers?: Record<string, string>;
}

function toSource(raw: RawSource, folder: string): SourceConfig {
  return {
    id: raw.id,
    gtfs: resolveLocation(raw.gtfs, folder),
    name: raw.name ?? null,
    attribution: raw.attribution ?? null,
    licence: raw.licence ?? null,
    headers: raw.headers ?? {},
  };
}

function problemsOf(entry: unknown, place: string): ConfigProblem[] {
  if (!isRecord(entry)) return [{ key: place, sentence: `${place} must be {id, gtfs, …}` }];
  const problems = Object.keys(entry)
    .filter((key) => !KEYS.includes(key))
    .map((key) => unknownKey(`${place}.`, key, KEYS));
  const refuse = (key: string, allowed: string) =>
    problems.push({ key: `${place}.${key}`, sentence: `${place}.${key} must ${allowed}` });
  if (typeof entry.id !== 'string' || !isSourceId(entry.id)) refuse('id', 'be 1 to 40 of a-z, 0-9, "_" and "-"');
  if (!isFilledText(entry.gtfs)) refuse('gtfs', 'be the path or the address of a GTFS feed');
  for (const key of ['name', 'attribution', 'licence']) {
    if (entry[key] !== undefined && !isFilledText(entry[key])) refuse(key, 'be a text');
  }
  if (entry.headers !== undefined && !isTextRecord(entry.headers)) refuse('headers', 'map header names to texts');
  return problems;
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
