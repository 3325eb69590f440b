import { isMap, isSeq, LineCounter, type ParsedNode, parseDocument, type YAMLMap } from 'yaml';
import { unknownKey } from '../effects/usage-error.ts';
import { type Instant, parseTimestamp } from '../model/service-time.ts';

export const announcementKinds = ['information', 'maintenance', 'disruption', 'update'] as const;
export const announcementPlatforms = ['ios', 'android', 'web'] as const;

/** A notice that apps show without an app update. Texts are plain; null: no limit, none. */
export interface Announcement {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly kind: (typeof announcementKinds)[number];
  /** Higher is more important. */
  readonly priority: number;
  readonly activeFrom: Instant | null;
  /** First instant from which it is hidden. */
  readonly activeTo: Instant | null;
  readonly url: string | null;
  /** Empty: every platform. */
  readonly platforms: readonly (typeof announcementPlatforms)[number][];
  /** Since when it is not shown any more, whatever its period. */
  readonly closedAt: Instant | null;
}

export interface ParsedAnnouncements {
  readonly announcements: readonly Announcement[];
  /** One sentence each, with the line that it is about; none: the file may be served. */
  readonly problems: readonly string[];
}

interface Field {
  readonly isValid: (value: unknown) => boolean;
  /** Ends the sentence "it must be …". */
  readonly allowed: string;
  /** Absent: required. */
  readonly byDefault?: unknown;
}

const matches = (value: unknown, pattern: RegExp) => typeof value === 'string' && pattern.test(value);
const isOneOf = (value: unknown, values: readonly string[]) => values.some((one) => one === value);
const timestamp: Field = {
  isValid: (value) => typeof value === 'string' && parseTimestamp(value) !== null,
  allowed: 'a time with its offset, as in 2026-03-29T04:00:00+02:00',
  byDefault: null,
};

/** The members of an entry, by their names in the file and in `/v1/announcements`. */
const fields: { readonly [Name in keyof Announcement]: Field } = {
  id: {
    isValid: (value) => matches(value, /^[a-z0-9][a-z0-9-]{0,63}$/),
    allowed: 'at most 64 small letters, digits and hyphens',
  },
  title: {
    isValid: (value) => matches(value, /^[^\r\n]{1,200}$/u),
    allowed: 'one line of at most 200 characters',
  },
  text: { isValid: (value) => matches(value, /^.{1,5000}$/su), allowed: 'plain text of at most 5000 characters' },
  kind: {
    isValid: (value) => isOneOf(value, announcementKinds),
    allowed: announcementKinds.join(', '),
    byDefault: 'information',
  },
  priority: {
    isValid: (value) => Number.isInteger(value) && 0 <= (value as number) && (value as number) <= 100,
    allowed: 'a whole number to 100',
    byDefault: 0,
  },
  activeFrom: timestamp,
  activeTo: timestamp,
  url: {
    isValid: (value) => matches(value, /^https?:\/\//) && URL.canParse(value as string),
    allowed: 'an http or https address',
    byDefault: null,
  },
  platforms: {
    isValid: (value) => Array.isArray(value) && value.every((one) => isOneOf(one, announcementPlatforms)),
    allowed: `a list of ${announcementPlatforms.join(', ')}`,
    byDefault: [],
  },
  closedAt: timestamp,
};

/** Name of the list in the file. */
export const ANNOUNCEMENTS_KEY = 'announcements';

/** Reads the file of the announcements: YAML, or JSON, with the list `announcements`. An empty file has none. */
export function parseAnnouncements(source: string): ParsedAnnouncements {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  const at = (node: ParsedNode | null | undefined) => `line ${node ? lines.linePos(node.range[0]).line : 1}`;
  const problems: string[] = document.errors.map(({ message, pos }) => {
    return `line ${lines.linePos(pos[0]).line}: ${message.split('\n')[0]!.replace(/ at line .*$/, '')}`;
  });
  if (problems.length > 0) return { announcements: [], problems };
  const root = document.contents;
  if (root === null) return { announcements: [], problems: [] };
  if (!isMap(root)) return { announcements: [], problems: [`${at(root)}: the file must hold "${ANNOUNCEMENTS_KEY}:"`] };
  for (const { key } of root.items) {
    if (String(key) !== ANNOUNCEMENTS_KEY)
      problems.push(`${at(key)}: ${unknownKey('', String(key), [ANNOUNCEMENTS_KEY]).sentence}`);
  }
  const list = root.get(ANNOUNCEMENTS_KEY, true) as ParsedNode | undefined;
  const entries = isSeq(list) ? list.items : [];
  if (list && !isSeq(list) && list.toJSON() !== null) problems.push(`${at(list)}: ${ANNOUNCEMENTS_KEY} must be a list`);
  const announcements: Announcement[] = [];
  for (const node of entries as ParsedNode[]) {
    const wrong = findProblems(node, announcements, at);
    if (wrong.length > 0) problems.push(...wrong);
    else announcements.push(toAnnouncement(node.toJSON()));
  }
  return { announcements, problems };
}

function findProblems(
  node: ParsedNode,
  before: readonly Announcement[],
  at: (node: ParsedNode | null | undefined) => string,
): string[] {
  if (!isMap(node)) return [`${at(node)}: an announcement must be {id, title, text, …}`];
  const entry = node.toJSON() as Record<string, unknown>;
  const find = (name: string) => (node as YAMLMap.Parsed).get(name, true) as ParsedNode | undefined;
  const unknown = node.items
    .filter(({ key }) => !Object.hasOwn(fields, String(key)))
    .map(({ key }) => `${at(key)}: ${unknownKey('', String(key), Object.keys(fields)).sentence}`);
  const wrong = Object.entries(fields)
    .filter(([name, field]) => !isAllowed(field, entry[name]))
    .map(([name, { allowed }]) => `${at(find(name) ?? node)}: ${name} must be ${allowed}`);
  if (unknown.length + wrong.length > 0) return [...unknown, ...wrong];
  const { id, activeFrom, activeTo } = toAnnouncement(entry);
  const isTaken = before.some((other) => other.id === id);
  const isReversed = activeFrom !== null && activeTo !== null && activeFrom >= activeTo;
  return [
    ...(isTaken ? [`${at(find('id'))}: the id "${id}" is taken by another announcement`] : []),
    ...(isReversed ? [`${at(find('activeTo'))}: activeTo must lie after activeFrom`] : []),
  ];
}

function isAllowed({ isValid, byDefault }: Field, value: unknown): boolean {
  return value === undefined || value === null ? byDefault !== undefined : isValid(value);
}

/** @param entry without problems */
function toAnnouncement(entry: Record<string, unknown>): Announcement {
  const get = (name: keyof Announcement) => entry[name] ?? fields[name].byDefault;
  const instantOf = (name: keyof Announcement) => {
    const value = get(name) as string | null;
    return value === null ? null : parseTimestamp(value);
  };
  return {
    ...(Object.fromEntries(Object.keys(fields).map((name) => [name, get(name as keyof Announcement)])) as Omit<
      Announcement,
      'activeFrom' | 'activeTo' | 'closedAt'
    >),
    activeFrom: instantOf('activeFrom'),
    activeTo: instantOf('activeTo'),
    closedAt: instantOf('closedAt'),
  };
}

export type AnnouncementState = 'planned' | 'active' | 'expired' | 'closed';

export function stateOf({ activeFrom, activeTo, closedAt }: Announcement, instant: Instant): AnnouncementState {
  if (closedAt !== null && closedAt <= instant) return 'closed';
  if (activeTo !== null && activeTo <= instant) return 'expired';
  return activeFrom !== null && activeFrom > instant ? 'planned' : 'active';
}

/** Those that are shown then: the most important first, then the newest. */
export function listActive(announcements: readonly Announcement[], instant: Instant): Announcement[] {
  return announcements
    .filter((announcement) => stateOf(announcement, instant) === 'active')
    .sort((a, b) => b.priority - a.priority || (b.activeFrom ?? 0) - (a.activeFrom ?? 0) || (a.id < b.id ? -1 : 1));
}
