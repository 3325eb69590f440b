import type { Clock } from '../effects/clock.ts';
import type { Log } from '../effects/log.ts';
import type { SourceId } from '../model/ids.ts';
import type { WalkRouter } from '../streets/walk-router.ts';
import type { ServedSource } from '../timetable/version-days.ts';
import { assertBuildable, type PublishSettings, publishTimetable } from './publish-timetable.ts';
import { findCurrentTimetableId } from './timetable-files.ts';

/** The versions of a source that are to be published, and what can stand in for it. */
export interface VersionChoice {
  readonly wanted: ServedSource;
  /** The published versions, where they are others. */
  readonly before: ServedSource | null;
  /** Whether the source is in the published snapshot, and so must not be left out of the next. */
  readonly isPublished: boolean;
}

export interface PublishedVersions {
  /** What is published now; null when nothing is. */
  readonly id: string | null;
  readonly isUnchanged: boolean;
  /** Sources of whose wanted version no snapshot can be built, and what was thrown. */
  readonly refused: ReadonlyMap<SourceId, unknown>;
}

type PublishEffects = { readonly clock: Clock; readonly log: Log; readonly walks?: WalkRouter | null };

/**
 * Publishes the wanted versions. Where no snapshot can be built of them, each source is tried alone: those that fail
 * alone stay as they are published, or are left out where they never were, and the others go on.
 * @throws what building threw, where no source fails alone
 */
export async function publishUsable(
  choices: readonly VersionChoice[],
  dataDir: string,
  settings: PublishSettings,
  effects: PublishEffects,
): Promise<PublishedVersions> {
  const wanted = choices.map((choice) => choice.wanted);
  try {
    return { ...(await publishTimetable(wanted, dataDir, settings, effects)), refused: new Map() };
  } catch (error) {
    settings.signal?.throwIfAborted();
    const refused = await findUnbuildable(wanted, error, dataDir, settings, effects);
    if (refused.size === 0) throw error;
    const usable = choices.map((choice) => (refused.has(choice.wanted.sourceId) ? choice.before : choice.wanted));
    const isAnyLost = choices.some(({ isPublished }, i) => isPublished && usable[i] === null);
    const versions = usable.filter((version) => version !== null);
    if (isAnyLost || versions.length === 0) {
      return { id: await findCurrentTimetableId(dataDir), isUnchanged: true, refused };
    }
    return { ...(await publishTimetable(versions, dataDir, settings, effects)), refused };
  }
}

/**
 * A full disk fails all of them, which leaves what is published as it is. A source that is the only one has been tried
 * alone already.
 */
async function findUnbuildable(
  sources: readonly ServedSource[],
  failure: unknown,
  dataDir: string,
  settings: PublishSettings,
  effects: PublishEffects,
): Promise<Map<SourceId, unknown>> {
  const [only, ...others] = sources;
  if (only && others.length === 0) return new Map([[only.sourceId, failure]]);
  const refused = new Map<SourceId, unknown>();
  for (const source of sources) {
    try {
      await assertBuildable(source, dataDir, settings, effects);
    } catch (error) {
      settings.signal?.throwIfAborted();
      refused.set(source.sourceId, error);
    }
  }
  return refused;
}
