import type { SourceId } from '../model/ids.ts';
import type { Archive } from '../sources/define-source.ts';

/**
 * A realtime source as configured in the list `realtime`; null where nothing is configured. A value replaces the
 * default of the publisher. Plain data: it is sent to threads.
 */
export interface ConfiguredSource {
  readonly id: SourceId;
  readonly kind: string;
  /** Set by its kind: whether its answers may be kept. */
  readonly archive: Archive;
  /** The timetable source whose ids its messages use. */
  readonly timetable: SourceId | null;
  /** Paused until it is switched on. */
  readonly isStandby: boolean;
  readonly name: string | null;
  readonly attribution: string | null;
  readonly licence: string | null;
  /** Sent with every request; may hold keys, so it is never shown. */
  readonly headers: Readonly<Record<string, string>>;
  readonly intervalSeconds: number | null;
  readonly maxAgeSeconds: number | null;
  readonly timeoutSeconds: number | null;
  readonly dailyBudget: number | null;
  readonly coverage: readonly string[] | null;
  readonly isNationwide: boolean | null;
  /** Options of its kind, as the definition of the kind parses them. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Returns the timetable sources whose ids a realtime source uses: the configured one, else the one with the same id,
 * else all.
 * @param published ids of the sources of the timetable in use
 * @returns empty when the configured one is not in use: then nothing matches by id
 */
export function findTimetables(
  { id, timetable }: Pick<ConfiguredSource, 'id' | 'timetable'>,
  published: readonly SourceId[],
): readonly SourceId[] {
  if (timetable !== null) return published.filter((one) => one === timetable);
  return published.includes(id) ? [id] : published;
}
