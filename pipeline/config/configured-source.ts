import type { SourceId } from '../model/ids.ts';
import type { Archive } from '../sources/define-source.ts';

/**
 * One publisher of realtime, as the list `realtime` of the configuration file names it; null where nothing was said. A
 * value takes the place of what is known of the publisher. Plain data: it goes to threads.
 */
export interface ConfiguredSource {
  readonly id: SourceId;
  readonly kind: string;
  /** Of its kind: whether what it says may be kept. */
  readonly archive: Archive;
  /** The timetable source whose ids its messages use. */
  readonly timetable: SourceId | null;
  /** Paused until somebody switches it on. */
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
  /** What its kind alone knows, as the definition of the kind reads it. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * The timetable sources whose ids a realtime source uses: the one it names, else the one of its own id, else all.
 * @param published ids of the sources of the timetable in use
 * @returns empty when it names one that is not in use: nothing of it matches by id
 */
export function findTimetables(
  { id, timetable }: Pick<ConfiguredSource, 'id' | 'timetable'>,
  published: readonly SourceId[],
): readonly SourceId[] {
  if (timetable !== null) return published.filter((one) => one === timetable);
  return published.includes(id) ? [id] : published;
}
