import { isSourceId, type SourceId } from '../model/ids.ts';
import { isTimeZone } from '../model/service-time.ts';
import type { ConfiguredFacts, ConfiguredSource, TriasVersion } from '../sources/configured-source.ts';
import type { OwnHafasProfile } from '../sources/hafas/hafas-options.ts';
import { type SourceKind, sourceKinds } from '../sources/realtime-source.ts';
import { isAddress, isFilledText, isRecord, isTextRecord } from './source-config.ts';
import { unknownKey } from './unknown-key.ts';

/** What a key of an entry may hold. No refusal shows a value: addresses and headers may carry the operator's keys. */
interface Field {
  /** Completes "must be …". */
  readonly allowed: string;
  readonly isRequired?: boolean;
  accepts(value: unknown): boolean;
}

const text: Field = { allowed: 'a text', accepts: isFilledText };
const flag: Field = { allowed: 'true or false', accepts: (value) => typeof value === 'boolean' };
const address: Field = { allowed: 'an http or https address', accepts: isHttpAddress };
const addresses: Field = {
  allowed: 'an http or https address, or a list of them',
  accepts: (value) => isHttpAddress(value) || (isFilledList(value) && value.every(isHttpAddress)),
};
const texts: Field = {
  allowed: 'a list of texts',
  accepts: (value) => isFilledList(value) && value.every(isFilledText),
};
/** Station numbers come as numbers where nobody put quotes around them. */
const numbers: Field = {
  allowed: 'a list of stop numbers or ids',
  accepts: (value) => isFilledList(value) && value.every((one) => isFilledText(one) || Number.isSafeInteger(one)),
};
const divaNumbers: Field = {
  allowed: 'a list of DIVA numbers',
  accepts: (value) => isFilledList(value) && value.every((one) => /^\d{8}$/.test(String(one))),
};

function wholeNumber(minimum: number, maximum: number): Field {
  return {
    allowed: `a whole number from ${minimum} to ${maximum}`,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
  };
}

const required = (field: Field): Field => ({ ...field, isRequired: true });

const sourceIdField: Field = {
  allowed: '1 to 40 of a-z, 0-9, "_" and "-"',
  accepts: (value) => typeof value === 'string' && isSourceId(value),
};

type Fields = Readonly<Record<string, Field>>;

const commonFields: Fields = {
  id: required(sourceIdField),
  kind: required({
    allowed: `one of ${sourceKinds.join(', ')}`,
    accepts: (value) => sourceKinds.some((kind) => kind === value),
  }),
  timetable: sourceIdField,
  standby: flag,
  name: text,
  attribution: text,
  licence: text,
  headers: { allowed: 'header names with their texts', accepts: isTextRecord },
  intervalSeconds: wholeNumber(1, 86_400),
  maxAgeSeconds: wholeNumber(1, 86_400),
  timeoutSeconds: wholeNumber(1, 300),
  dailyBudget: wholeNumber(1, 100_000_000),
  coverage: texts,
  nationwide: flag,
};

function triasFields(...versions: readonly TriasVersion[]): Fields {
  return {
    url: required(address),
    version: { allowed: versions.join(' or '), accepts: (value) => versions.some((one) => one === toVersion(value)) },
    requestorRef: required(text),
    stops: required(numbers),
    situations: flag,
  };
}

/** A version without quotes comes as a number: 2.0 as 2. */
function toVersion(value: unknown): unknown {
  return typeof value === 'number' ? value.toFixed(1) : value;
}

const fieldsByKind: Readonly<Record<SourceKind, Fields>> = {
  'gtfs-rt': {
    tripUpdates: addresses,
    vehiclePositions: addresses,
    alerts: addresses,
    zone: {
      allowed: 'a time zone such as Europe/Vienna',
      accepts: (value) => typeof value === 'string' && isTimeZone(value),
    },
    measuredStopEvents: flag,
  },
  'wiener-linien': { url: address, stations: divaNumbers, trafficInfo: flag, news: flag },
  trias: triasFields('1.1', '1.2'),
  ojp: triasFields('1.0', '2.0'),
  hafas: {
    profile: required({
      allowed: 'the name of a profile, or one of your own',
      accepts: (value) => isFilledText(value) || isRecord(value),
    }),
    endpoint: address,
    key: text,
    stops: required(numbers),
    arrivals: flag,
    remarks: flag,
    vehiclesOnDemand: flag,
    durationMinutes: wholeNumber(1, 1440),
    // Its terms count calls: nobody is to find out what they cost by forgetting a number.
    dailyBudget: required(commonFields.dailyBudget!),
  },
};

/**
 * Reads the list `realtime` of a configuration file.
 * @param timetables ids of the configured timetable sources; empty stands for the sample
 * @returns the sources, and one sentence for each thing wrong with them
 */
export function parseRealtime(
  list: unknown,
  timetables: readonly SourceId[],
): { realtime: ConfiguredSource[]; problems: string[] } {
  if (list === undefined || list === null) return { realtime: [], problems: [] };
  if (!Array.isArray(list)) return { realtime: [], problems: ['realtime must be a list of {id, kind, …}'] };
  const realtime: ConfiguredSource[] = [];
  const problems: string[] = [];
  for (const [index, entry] of list.entries()) {
    const place = `realtime[${index}]`;
    const found = problemsOf(entry, place, timetables);
    problems.push(...found);
    if (found.length > 0) continue;
    const source = toConfiguredSource(entry as Entry);
    if (realtime.some(({ id }) => id === source.id)) {
      problems.push(`${place}.id "${source.id}" is taken by another realtime source`);
    } else realtime.push(source);
  }
  return { realtime, problems };
}

// ---- What is wrong ---------------------------------------------------------------------------------------------------

function problemsOf(entry: unknown, place: string, timetables: readonly SourceId[]): string[] {
  if (!isRecord(entry)) return [`${place} must be {id, kind, …}`];
  // Which keys there are depends on the kind: without one, only that is worth saying.
  if (!commonFields.kind!.accepts(entry.kind)) return [`${place}.kind must be ${commonFields.kind!.allowed}`];
  const fields: Fields = { ...commonFields, ...fieldsByKind[entry.kind as SourceKind] };
  const unknown = Object.keys(entry)
    .filter((key) => !Object.hasOwn(fields, key))
    .map((key) => unknownKey(`${place}.`, key, Object.keys(fields)));
  const wrong = Object.entries(fields)
    .filter(([key, field]) => (entry[key] === undefined ? field.isRequired : !field.accepts(entry[key])))
    .map(([key, field]) => `${place}.${key} must be ${field.allowed}`);
  return [...unknown, ...wrong, ...missingTogether(entry, place), ...unknownTimetable(entry, place, timetables)];
}

function missingTogether(entry: Record<string, unknown>, place: string): string[] {
  const feeds = ['tripUpdates', 'vehiclePositions', 'alerts'];
  if (entry.kind !== 'gtfs-rt' || feeds.some((key) => entry[key] !== undefined)) return [];
  return [`${place} must hold at least one of ${feeds.join(', ')}`];
}

function unknownTimetable({ timetable }: Record<string, unknown>, place: string, known: readonly SourceId[]): string[] {
  if (known.length === 0 || typeof timetable !== 'string' || known.some((id) => id === timetable)) return [];
  return [`${place}.timetable must be the id of a timetable source; there are ${known.join(', ')}`];
}

function isHttpAddress(value: unknown): value is string {
  return typeof value === 'string' && isAddress(value) && URL.canParse(value);
}

function isFilledList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

// ---- What is right ---------------------------------------------------------------------------------------------------

/** An entry as typed, once nothing is wrong with it. */
type Entry = RawFacts & (RawGtfsRt | RawWienerLinien | RawTrias | RawHafas);

interface RawFacts {
  readonly id: SourceId;
  readonly timetable?: SourceId;
  readonly standby?: boolean;
  readonly name?: string;
  readonly attribution?: string;
  readonly licence?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly intervalSeconds?: number;
  readonly maxAgeSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly dailyBudget?: number;
  readonly coverage?: readonly string[];
  readonly nationwide?: boolean;
}

type RawAddresses = string | readonly string[];
type RawNumbers = readonly (string | number)[];

interface RawGtfsRt {
  readonly kind: 'gtfs-rt';
  readonly tripUpdates?: RawAddresses;
  readonly vehiclePositions?: RawAddresses;
  readonly alerts?: RawAddresses;
  readonly zone?: string;
  readonly measuredStopEvents?: boolean;
}

interface RawWienerLinien {
  readonly kind: 'wiener-linien';
  readonly url?: string;
  readonly stations?: RawNumbers;
  readonly trafficInfo?: boolean;
  readonly news?: boolean;
}

interface RawTrias {
  readonly kind: 'trias' | 'ojp';
  readonly url: string;
  readonly version?: TriasVersion | number;
  readonly requestorRef: string;
  readonly stops: RawNumbers;
  readonly situations?: boolean;
}

interface RawHafas {
  readonly kind: 'hafas';
  readonly profile: string | OwnHafasProfile;
  readonly endpoint?: string;
  readonly key?: string;
  readonly stops: RawNumbers;
  readonly arrivals?: boolean;
  readonly remarks?: boolean;
  readonly vehiclesOnDemand?: boolean;
  readonly durationMinutes?: number;
  readonly dailyBudget: number;
}

function toConfiguredSource(entry: Entry): ConfiguredSource {
  const facts = toFacts(entry);
  switch (entry.kind) {
    case 'gtfs-rt':
      return {
        ...facts,
        kind: entry.kind,
        tripUpdates: toList(entry.tripUpdates),
        vehiclePositions: toList(entry.vehiclePositions),
        alerts: toList(entry.alerts),
        zone: entry.zone ?? 'Europe/Vienna',
        hasMeasuredStopEvents: entry.measuredStopEvents ?? false,
      };
    case 'wiener-linien':
      return {
        ...facts,
        kind: entry.kind,
        url: entry.url ?? null,
        stations: entry.stations?.map(Number) ?? null,
        trafficInfo: entry.trafficInfo ?? true,
        news: entry.news ?? true,
      };
    case 'trias':
    case 'ojp':
      return {
        ...facts,
        kind: entry.kind,
        url: entry.url,
        version: (toVersion(entry.version) as TriasVersion | undefined) ?? null,
        requestorRef: entry.requestorRef,
        stops: toList(entry.stops),
        situations: entry.situations ?? true,
      };
    case 'hafas':
      return {
        ...facts,
        kind: entry.kind,
        profile: entry.profile,
        endpoint: entry.endpoint ?? null,
        key: entry.key ?? null,
        stops: toList(entry.stops),
        arrivals: entry.arrivals ?? false,
        remarks: entry.remarks ?? false,
        vehiclesOnDemand: entry.vehiclesOnDemand ?? true,
        durationMinutes: entry.durationMinutes ?? null,
        dailyBudget: entry.dailyBudget,
      };
  }
}

function toFacts(entry: RawFacts & { readonly kind: SourceKind }): ConfiguredFacts {
  return {
    id: entry.id,
    kind: entry.kind,
    timetable: entry.timetable ?? null,
    isStandby: entry.standby ?? false,
    name: entry.name ?? null,
    attribution: entry.attribution ?? null,
    licence: entry.licence ?? null,
    headers: entry.headers ?? {},
    intervalSeconds: entry.intervalSeconds ?? null,
    maxAgeSeconds: entry.maxAgeSeconds ?? null,
    timeoutSeconds: entry.timeoutSeconds ?? null,
    dailyBudget: entry.dailyBudget ?? null,
    coverage: entry.coverage ?? null,
    isNationwide: entry.nationwide ?? null,
  };
}

function toList(value: RawAddresses | RawNumbers = []): string[] {
  return typeof value === 'string' ? [value] : value.map(String);
}
