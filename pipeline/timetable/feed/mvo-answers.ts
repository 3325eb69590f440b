import { ExternalError } from '../../effects/external-error.ts';

/** A data set as the platform lists it. */
export interface DataSet {
  readonly id: number;
  /** Its English name, else the German one. */
  readonly name: string;
  /** False: withdrawn by the publisher. */
  readonly isActive: boolean;
  /** Whether it is a GTFS feed, by its tags or name. */
  readonly isTimetable: boolean;
  /** Timetable years of which a version is active. */
  readonly activeYears: readonly number[];
  readonly termsUrl: string | null;
}

/**
 * Parses the list of data sets. Entries without an id are skipped: nothing can be fetched of them.
 * @throws ExternalError `mvo_answer_unreadable` for anything but a list
 */
export function parseDataSets(answer: unknown): DataSet[] {
  if (!Array.isArray(answer)) {
    const sentence = 'the MVO platform did not return a list of data sets';
    throw new ExternalError('mvo_answer_unreadable', sentence, { isRetryable: true });
  }
  return answer.flatMap((entry) => parseDataSet(entry) ?? []);
}

function parseDataSet(entry: unknown): DataSet | null {
  if (!isObject(entry)) return null;
  const id = Number(entry.id);
  if (!Number.isSafeInteger(id)) return null;
  const name = findText(entry, 'nameEn') ?? findText(entry, 'nameDe') ?? `data set ${id}`;
  const tags = listObjects(entry.tags).flatMap((tag) => findText(tag, 'valueDe') ?? []);
  return {
    id,
    name,
    isActive: entry.active !== false,
    isTimetable: tags.some((tag) => /^GTFS/i.test(tag)) || /GTFS/i.test(name),
    activeYears: parseYears(entry.activeVersions),
    termsUrl: findText(entry, 'termsOfUseUrlEn') ?? findText(entry, 'termsOfUseUrlDe'),
  };
}

/** The timetable years of a list of versions. */
export function parseYears(versions: unknown): number[] {
  return listObjects(versions).flatMap(({ year }) => (isYear(Number(year)) ? [Number(year)] : []));
}

function isYear(year: number): boolean {
  return Number.isInteger(year) && year >= 2000 && year <= 2100;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listObjects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function findText(object: Record<string, unknown>, name: string): string | null {
  const value = object[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
