import { findTimetables } from '../../config/configured-source.ts';
import type { Log } from '../../effects/log.ts';
import type { LakeSettings } from '../../lake/observations/write-parts.ts';
import { pruneRawAnswers, type RawLimits } from '../../lake/prune-raw-answers.ts';
import type { SourceId } from '../../model/ids.ts';
import type { Instant } from '../../model/service-time.ts';
import {
  noPredictions,
  type ObservedName,
  type TripPredictionService,
} from '../../predictions/live/prediction-service.ts';
import { publishRealtime } from '../../snapshots/publish-realtime.ts';
import { createSharingState } from '../sharing/sharing-state.ts';
import { createRealtimeState, type StateLimits } from '../state/realtime-state.ts';
import { AppliedAnswers } from './applied-answers.ts';
import { type Chore, openChore } from './chore.ts';
import { describeSource, type SinkSource } from './describe-source.ts';
import { DurableObservations } from './durable-observations.ts';
import { FollowedTimetable, loadCurrentTimetable } from './followed-timetable.ts';
import type { RealtimeSink } from './realtime-sink.ts';

interface SinkSettings extends LakeSettings, Partial<StateLimits> {
  /** Realtime snapshots kept on disk, the current one included. */
  readonly keepSnapshots: number;
  /** Limits of the store of raw answers. */
  readonly raw: RawLimits;
}

/** Interval at which closed observations are written to Parquet; until then the journal holds them. */
const FLUSH_SECONDS = 600;
/** A store exceeds its limit by at most the answers of this time. */
const PRUNE_SECONDS = 3600;

/**
 * Opens the sink of the poller: it applies answers to the timetable, writes what is new to the lake and publishes the
 * result.
 * @throws ExternalError `timetable_unavailable` while no timetable is published: answers cannot be matched
 */
export async function openLiveSink(
  dataDir: string,
  sources: readonly SinkSource[],
  settings: SinkSettings,
  effects: { readonly log: Log },
  predictions: TripPredictionService = noPredictions,
): Promise<RealtimeSink> {
  const loaded = await loadCurrentTimetable(dataDir, effects.log);
  const timetable = new FollowedTimetable(dataDir, loaded.id, effects.log);
  const state = createRealtimeState(sources.map(toStateSource), loaded, settings);
  const observations = await DurableObservations.open(state, dataDir, sources, settings, effects);
  const answers = new AppliedAnswers();
  const sharing = createSharingState(sources.map(toStateSource));
  const { countFalling } = state;
  const counted = { countFalling, countContradictions: sharing.countContradictions };
  const chores = openChores(dataDir, observations, settings, effects.log);

  return {
    async apply(answer) {
      await observations.store(answer, () => {
        const applied = state.apply(answer.sourceId, answer);
        answers.add(answer, applied);
        return applied;
      });
      sharing.apply(answer.sourceId, answer);
    },
    async confirm(answer) {
      await observations.storeConfirmation(answer, () => {
        if (!state.confirm(answer.sourceId, answer.part, answer.fetchedAt)) return false;
        answers.addSuccess(answer);
        return true;
      });
      sharing.confirm(answer.sourceId, answer.part, answer.fetchedAt);
    },
    async publish(states, now) {
      await timetable.follow(now, (next) => state.useTimetable(next));
      const list = (source: SourceId, wanted?: Iterable<ObservedName>) => state.listObserved(source, wanted);
      await predictions.update({ changed: answers.takeObserved(), list }, now);
      const built = state.build(now, predictions.list(), predictions.transferModels());
      const tables = { ...built, ...sharing.build() };
      const described = sources.map((source) => describeSource(source, states, answers, counted, now));
      await publishRealtime(
        dataDir,
        { timetableId: timetable.id, sources: described, models: predictions.models(), tables },
        now * 1000,
        settings.keepSnapshots,
      );
      for (const chore of chores) chore.startIfDue(now);
    },
    async close() {
      await predictions.close();
      for (const chore of chores) await chore.finish();
      await observations.close();
    },
  };
}

function toStateSource({ id, timetable, facts }: SinkSource) {
  return {
    id,
    maxAgeSeconds: facts.maxAgeSeconds,
    findTimetableSource(loaded: readonly string[]) {
      const wanted = findTimetables({ id, timetable }, loaded as readonly SourceId[]);
      // A configured timetable that is not loaded is returned: its ids must not match those of another one.
      return wanted.length === 1 ? wanted[0]! : timetable;
    },
  };
}

/** A failure is only logged and tried again: the journal holds the observations, and excess raw answers do no harm. */
function openChores(
  dataDir: string,
  observations: DurableObservations,
  { raw }: SinkSettings,
  log: Log,
): readonly Chore[] {
  const warnUnflushed = (source: SourceId, { message }: Error) =>
    log.warn(`${source}: observations remain in the journal for now: ${message}`);
  return [
    openChore(
      FLUSH_SECONDS,
      (now: Instant) => observations.flush(now, warnUnflushed),
      ({ message }) => log.warn(`observations remain in the journal for now: ${message}`),
    ),
    openChore(
      PRUNE_SECONDS,
      (now) => pruneRawAnswers(dataDir, raw, now),
      ({ message }) => log.warn(`excess raw responses are kept for now: ${message}`),
    ),
  ];
}
