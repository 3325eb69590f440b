import type { Log } from '../../effects/log.ts';
import {
  type ObservationStore,
  openMemoryOnlyObservations,
  openObservations,
} from '../../lake/observations/observation-store.ts';
import type { LakeSettings } from '../../lake/observations/write-parts.ts';
import type { SourceId } from '../../model/ids.ts';
import type { Instant } from '../../model/service-time.ts';
import type { AppliedUpdate } from '../state/apply-update.ts';
import type { RealtimeState } from '../state/realtime-state.ts';
import { partKey, type SinkSource } from './describe-source.ts';
import type { PolledAnswer } from './realtime-sink.ts';

type AnswerRef = Pick<PolledAnswer, 'sourceId' | 'part' | 'fetchedAt'>;

/**
 * The observations of all sources in the lake, in step with the realtime state: after a failed write the state of the
 * source is restored from the lake, so that what the lake lacks is written again.
 */
export class DurableObservations {
  readonly #state: RealtimeState;
  readonly #stores: ReadonlyMap<SourceId, LazyStore>;
  /** Sources with reported values that the lake may lack, or whose earlier reports could not be read yet. */
  readonly #doubtful = new Set<SourceId>();
  /** The raw answer that is valid until the next one, by source and part. */
  readonly #rawIds = new Map<string, string>();

  private constructor(state: RealtimeState, stores: ReadonlyMap<SourceId, LazyStore>) {
    this.#state = state;
    this.#stores = stores;
  }

  /**
   * Opens the observations of the sources and restores the state from them. If the folder of a source cannot be opened,
   * only its answers fail; each of them tries to open it again. Nothing of a source whose licence forbids an archive is
   * written to disk.
   */
  static async open(
    state: RealtimeState,
    dataDir: string,
    sources: readonly SinkSource[],
    settings: LakeSettings,
    effects: { readonly log: Log },
  ): Promise<DurableObservations> {
    const observations = new DurableObservations(state, await openStores(dataDir, sources, settings, effects));
    for (const { id } of sources) {
      const store = observations.#stores.get(id)!.find();
      if (store) observations.#restore(id, store);
      else observations.#doubtful.add(id);
    }
    return observations;
  }

  /** Stores what applying an answer has changed. @param apply applies it to the state */
  async store(answer: PolledAnswer, apply: () => AppliedUpdate): Promise<void> {
    await this.#write(answer.sourceId, (store) => this.#append(store, answer, apply()));
  }

  /** Stores that the last answer is still valid. @param confirm updates the state; false: there is nothing to confirm */
  async storeConfirmation({ sourceId, part, fetchedAt }: AnswerRef, confirm: () => boolean): Promise<void> {
    await this.#write(sourceId, async (store) => {
      if (!confirm()) return;
      const rawId = this.#findRawId(sourceId, part);
      await store.append({ part, rawId, seenAt: fetchedAt, observations: [], ended: [], resolved: [] });
    });
  }

  /** Writes closed observations to Parquet. @param warn receives the failure of a source; the others are still written */
  async flush(now: Instant, warn: (source: SourceId, error: Error) => void): Promise<void> {
    for (const [source, store] of this.#stores) {
      await store
        .find()
        ?.flush(now)
        .catch((error: Error) => warn(source, error));
    }
  }

  async close(): Promise<void> {
    for (const store of this.#stores.values()) await store.find()?.close();
  }

  async #write(sourceId: SourceId, append: (store: ObservationStore) => Promise<void>): Promise<void> {
    const store = await this.#stores.get(sourceId)!.get();
    if (this.#doubtful.has(sourceId)) this.#restore(sourceId, store);
    this.#doubtful.add(sourceId);
    await append(store);
    this.#doubtful.delete(sourceId);
  }

  #restore(sourceId: SourceId, store: ObservationStore): void {
    this.#state.restore(sourceId, store.listOpen(), store.listResolved());
  }

  /** A frozen answer confirms no earlier report, so it is not appended. */
  async #append(
    store: ObservationStore,
    { sourceId, part, rawId, fetchedAt, update }: PolledAnswer,
    { observations, ended, resolved, revisited }: AppliedUpdate,
  ): Promise<void> {
    if (update.isFrozen) return;
    // Empty where no raw answer may be kept.
    const storedId = rawId ?? '';
    this.#rawIds.set(partKey(sourceId, part), storedId);
    await store.append({ part, rawId: storedId, seenAt: fetchedAt, observations, ended, resolved });
    for (const earlier of revisited) {
      await store.append({ ...earlier, rawId: this.#findRawId(sourceId, earlier.part), ended: [], resolved: [] });
    }
  }

  #findRawId(sourceId: SourceId, part: string): string {
    return this.#rawIds.get(partKey(sourceId, part)) ?? '';
  }
}

/** The observations of a source, opened later if that fails at the start. */
interface LazyStore {
  /** Null until they have been opened. */
  find(): ObservationStore | null;
  /** Opens them if needed. @throws the error of opening; each call tries again, as the disk may have recovered */
  get(): Promise<ObservationStore>;
}

async function openStores(
  dataDir: string,
  sources: readonly SinkSource[],
  settings: LakeSettings,
  effects: { readonly log: Log },
): Promise<Map<SourceId, LazyStore>> {
  const stores = new Map<SourceId, LazyStore>();
  for (const { id, facts } of sources) {
    const isArchived = facts.archive === 'full';
    const lazy = lazyStore(async () =>
      isArchived ? openObservations(dataDir, id, settings, effects) : openMemoryOnlyObservations(),
    );
    stores.set(id, lazy);
    await lazy.get().catch((error: Error) => {
      effects.log.warn(`${id}: its observations cannot be opened, so its answers fail: ${error.message}`);
    });
  }
  return stores;
}

function lazyStore(open: () => Promise<ObservationStore>): LazyStore {
  let store: ObservationStore | null = null;
  return {
    find: () => store,
    async get() {
      store ??= await open();
      return store;
    },
  };
}
