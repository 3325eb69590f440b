import { type ConfigProblem, unknownKey } from '../effects/usage-error.ts';
import type { SourceId } from '../model/ids.ts';
import { SECONDS_PER_DAY } from '../model/service-time.ts';
import type { SourceDefinition } from '../sources/define-source.ts';
import {
  flag,
  headers,
  type OptionsSchema,
  oneOf,
  optional,
  optionsSchema,
  readOptions,
  sourceId,
  text,
  texts,
  wholeNumber,
} from '../sources/option-schemas.ts';
import { findSourceDefinition } from '../sources/registry/find-source-definition.ts';
import { sourceDefinitions } from '../sources/registry/source-definitions.ts';
import type { ConfiguredSource } from './configured-source.ts';
import { isRecord } from './source-config.ts';

/** Options of every kind. */
export const sharedOptions = optionsSchema({
  id: sourceId('Id of the source, in all tables and answers.'),
  kind: oneOf(
    'Format or interface of the source.',
    sourceDefinitions.map(({ kind }) => kind),
  ),
  timetable: optional(
    sourceId('Timetable source whose ids it uses; default: the one with the same id, otherwise all.'),
  ),
  standby: optional(flag('Paused until `taktgeber standby <id> off`.'), false),
  name: optional(text('Name shown to users.')),
  attribution: optional(text('Attribution of the data; shown with every answer that contains some.')),
  licence: optional(text('Licence of the data.')),
  headers: optional(headers('Sent with every request; a secret.'), {}),
  intervalSeconds: optional(wholeNumber('Interval of a request.', 1, SECONDS_PER_DAY)),
  maxAgeSeconds: optional(
    wholeNumber('Age beyond which the last report is no longer shown as live.', 1, SECONDS_PER_DAY),
  ),
  timeoutSeconds: optional(wholeNumber('Time limit of a request.', 1, 300)),
  dailyBudget: optional(
    wholeNumber('Requests per day; when they are spent, or cannot be counted, none is sent.', 1, 100_000_000),
  ),
  coverage: optional(texts('Areas that it covers, for display.')),
  nationwide: optional(flag('Whether it covers the whole country.')),
});

/**
 * Reads the list `realtime` of a configuration file.
 * @param timetables ids of the configured timetable sources; empty: the sample
 * @returns the sources, and what is wrong
 */
export function parseRealtime(
  list: unknown,
  timetables: readonly SourceId[],
): { realtime: ConfiguredSource[]; problems: ConfigProblem[] } {
  if (list === undefined || list === null) return { realtime: [], problems: [] };
  if (!Array.isArray(list)) return { realtime: [], problems: [refuse('realtime', 'must be a list of {id, kind, …}')] };
  const realtime: ConfiguredSource[] = [];
  const problems: ConfigProblem[] = [];
  for (const [index, entry] of list.entries()) {
    const place = `realtime[${index}]`;
    const read = readEntry(entry, place, timetables);
    if (Array.isArray(read)) problems.push(...read);
    else if (realtime.some(({ id }) => id === read.id)) {
      problems.push(refuse(`${place}.id`, `"${read.id}" is taken by another realtime source`));
    } else realtime.push(read);
  }
  return { realtime, problems };
}

/** @param demand completes the sentence that begins with the key */
function refuse(key: string, demand: string): ConfigProblem {
  return { key, sentence: `${key} ${demand}` };
}

/** @returns the source, or the problems of the entry */
function readEntry(entry: unknown, place: string, timetables: readonly SourceId[]): ConfiguredSource | ConfigProblem[] {
  if (!isRecord(entry)) return [refuse(place, 'must be {id, kind, …}')];
  const definition = findSourceDefinition(entry.kind);
  // The allowed keys depend on the kind: without a known kind, only that is reported.
  if (definition === null) return [refuse(`${place}.kind`, `must be ${sharedOptions.properties.kind.allowed}`)];
  const problems = [...findOptionProblems(definition, entry, place), ...findUnknownTimetable(entry, place, timetables)];
  return problems.length > 0 ? problems : toConfiguredSource(definition, entry);
}

function findOptionProblems(
  { options }: SourceDefinition,
  entry: Readonly<Record<string, unknown>>,
  place: string,
): ConfigProblem[] {
  const properties: OptionsSchema['properties'] = { ...sharedOptions.properties, ...options.properties };
  const isMissing = (key: string) => properties[key]!.default === undefined;
  const unknown = Object.keys(entry)
    .filter((key) => !Object.hasOwn(properties, key))
    .map((key) => unknownKey(`${place}.`, key, Object.keys(properties)));
  const wrong = Object.entries(properties)
    .filter(([key, option]) => (entry[key] === undefined ? isMissing(key) : !option.isValid(entry[key])))
    .map(([key, { allowed }]) => refuse(`${place}.${key}`, `must be ${allowed}`));
  const group = options.atLeastOneOf ?? [];
  const isGroupMissing = group.length > 0 && group.every((key) => entry[key] === undefined);
  const missing = isGroupMissing ? [refuse(place, `must hold at least one of ${group.join(', ')}`)] : [];
  return [...unknown, ...wrong, ...missing];
}

function findUnknownTimetable(
  { timetable }: Readonly<Record<string, unknown>>,
  place: string,
  known: readonly SourceId[],
): ConfigProblem[] {
  if (known.length === 0 || typeof timetable !== 'string' || known.some((id) => id === timetable)) return [];
  return [refuse(`${place}.timetable`, `must be the id of a timetable source; there are ${known.join(', ')}`)];
}

function toConfiguredSource(
  { archive, options }: SourceDefinition,
  entry: Readonly<Record<string, unknown>>,
): ConfiguredSource {
  const { standby, nationwide, ...shared } = readOptions(sharedOptions, entry);
  return { ...shared, archive, isStandby: standby, isNationwide: nationwide, options: readOptions(options, entry) };
}
