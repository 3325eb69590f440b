import { type Clock, nowInstant } from '../../../pipeline/effects/clock.ts';
import { createQueue } from '../../../pipeline/effects/concurrency.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { parseTimestamp } from '../../../pipeline/model/service-time.ts';
import type { RescueOption, WatchEvent } from '../../contract/definitions.ts';
import type { Published } from '../../engine/read/realtime.ts';
import { createReferences } from '../../engine/read/references.ts';
import type { KeyRegister, Outbox, Settlement } from '../outbox.ts';
import type { Judged, Verdict, WatchLimits, WatchOrder, WatchStore } from '../store/watch-store.ts';
import type { StoredWatch, WatchKind, WatchStatus } from '../watch.ts';
import { giveWay, LearnedWatches, type WantedOptions } from './learned-watches.ts';
import { hasSameSubject, isWorthStoring, keepOrExtend, LINE_WATCH_SECONDS, offerOptions } from './watch-verdicts.ts';

/** State of a watch for the answer. */
export interface WatchReport {
  readonly watchId: string;
  readonly expiresAt: Instant;
  readonly checkedAt: Instant;
  readonly status: WatchStatus;
  readonly events: readonly WatchEvent[];
}

/**
 * Keeps the watches of one store and judges them by the snapshots that it is given. All of it is plain data, so it may
 * run in another thread.
 * @throws ExternalError `watch_store_failed` where the store cannot be reached or is full
 */
export interface WatchService extends Outbox, KeyRegister {
  /** @param until as requested; null: chosen here @returns null if a limit is reached */
  watch(order: WatchOrder, until: Instant | null): Promise<WatchReport | null>;
  unwatch(id: string, kind: WatchKind, owner: string): Promise<boolean>;
  /**
   * Evaluates all watches with a pair of snapshots.
   * @returns the number of events emitted
   */
  follow(published: Published): Promise<number>;
  /** Judges the watches whose time has come, learns of those of other replicas, and removes those that are over. */
  tick(): Promise<number>;
  /** Rescue watches that need options; each is returned again after some minutes, until its options are emitted. */
  listWanted(limit: number): Promise<readonly WantedOptions[]>;
  emitOptions(watchId: string, options: readonly RescueOption[]): Promise<void>;
  /** How many watches there are, as far as this process has learned of them. */
  count(): Promise<number>;
  close(): Promise<void>;
}

/** Judgements that are stored in one transaction. */
const COMMIT_SIZE = 250;
/** Watches that are judged before requests get their turn. */
const JUDGED_AT_A_TIME = 500;

interface JudgedOrder {
  readonly verdict: Verdict;
  readonly recheckAt: number;
}

interface JudgedNow extends Judged {
  readonly recheckAt: number;
}

interface WatchServiceOptions {
  readonly store: WatchStore;
  /** Key of the journey references in events. */
  readonly referenceKey: Uint8Array;
  readonly limits: WatchLimits;
  readonly clock: Clock;
}

export function createWatchService(options: WatchServiceOptions): WatchService {
  return new JudgingService(options);
}

class JudgingService implements WatchService {
  readonly #store: WatchStore;
  readonly #limits: WatchLimits;
  readonly #clock: Clock;
  readonly #watches: LearnedWatches;
  /** Judging passes take turns. */
  readonly #inTurn = createQueue();
  #published: Published | null = null;
  /** Whether the newest pair of snapshots was not judged to the end. */
  #hasUnseen = false;

  constructor({ store, referenceKey, limits, clock }: WatchServiceOptions) {
    this.#store = store;
    this.#limits = limits;
    this.#clock = clock;
    this.#watches = new LearnedWatches(store, createReferences(referenceKey).sealJourney);
  }

  async watch(order: WatchOrder, until: Instant | null): Promise<WatchReport | null> {
    const instant = this.#now();
    let recheckAt = 0;
    const stored = await this.#store.put(order, this.#limits, instant, (known) => {
      const judged = this.#judgeRequested(order, until, known, instant);
      recheckAt = judged.recheckAt;
      return judged.verdict;
    });
    if (!stored) return null;
    const { watch, events } = stored;
    this.#watches.track(watch, recheckAt);
    const { id: watchId, expiresAt, memory } = watch;
    return { watchId, expiresAt, checkedAt: checkedAt(this.#published, instant), status: memory.status, events };
  }

  async unwatch(id: string, kind: WatchKind, owner: string): Promise<boolean> {
    const isRemoved = await this.#store.remove(id, kind, owner, this.#now());
    const known = isRemoved && this.#watches.tracker.get(id);
    // Not learned, as another may be under way, which has a turn: of two, each would miss the pages of the other.
    if (known) this.#watches.track({ ...known.watch, isRemoved }, 0);
    return isRemoved;
  }

  follow(next: Published): Promise<number> {
    return this.#inTurn(async () => {
      const { tracker } = this.#watches;
      if (this.#published?.timetable === next.timetable) tracker.follow(next);
      else await tracker.followTimetable(next, giveWay);
      this.#published = next;
      this.#hasUnseen = true;
      return this.#judge(true);
    });
  }

  tick(): Promise<number> {
    return this.#inTurn(async () => {
      const emitted = await this.#judge(this.#hasUnseen);
      while ((await this.#store.cleanUp(this.#now())) > 0) await this.#watches.learn(this.#now());
      return emitted;
    });
  }

  async listWanted(limit: number): Promise<readonly WantedOptions[]> {
    return this.#watches.listWanted(limit, this.#now());
  }

  emitOptions(watchId: string, options: readonly RescueOption[]): Promise<void> {
    return this.#inTurn(async () => {
      const tracked = this.#watches.tracker.get(watchId);
      if (!tracked || tracked.watch.memory.optionsDue === null) return;
      const instant = this.#now();
      const verdict = offerOptions(tracked.watch, options, instant);
      await this.#commit([{ watch: tracked.watch, verdict, recheckAt: tracked.recheckAt }], instant);
    });
  }

  claim(now: Instant, limit: number) {
    return this.#store.claim(now, limit);
  }

  settle(settlements: readonly Settlement[]) {
    return this.#store.settle(settlements);
  }

  confirmKeys(keys: Parameters<KeyRegister['confirmKeys']>[0]) {
    return this.#store.confirmKeys(keys);
  }

  async count(): Promise<number> {
    return this.#watches.tracker.size;
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#store.close());
  }

  #now(): Instant {
    return nowInstant(this.#clock);
  }

  /** The verdict of a watch that is requested; one that is known already keeps its state. */
  #judgeRequested(order: WatchOrder, until: Instant | null, known: StoredWatch | null, instant: Instant): JudgedOrder {
    const { tracker } = this.#watches;
    if (known && hasSameSubject(known, order)) {
      const expiresAt = until ?? keepOrExtend(known, instant);
      const recheckAt = tracker.get(known.id)?.recheckAt ?? 0;
      return { verdict: { memory: known.memory, events: [], expiresAt }, recheckAt };
    }
    const { verdict, recheckAt } = tracker.judgeNew(order.spec, instant);
    const lineEnd = (instant + LINE_WATCH_SECONDS) as Instant;
    const expiresAt = until ?? (order.spec.kind === 'line' ? lineEnd : verdict.expiresAt);
    return { verdict: { ...verdict, expiresAt }, recheckAt };
  }

  /** @param hasLooked whether there is a new pair of snapshots */
  async #judge(hasLooked: boolean): Promise<number> {
    await this.#watches.learn(this.#now());
    const at = judgedAt(this.#published);
    // Else another replica judges by a newer pair of snapshots.
    const isNewest = this.#published !== null && (await this.#store.beginJudging(at)) <= at;
    const emitted = isNewest ? await this.#judgeDue(hasLooked) : 0;
    this.#hasUnseen = false;
    return emitted;
  }

  async #judgeDue(hasLooked: boolean): Promise<number> {
    const { tracker } = this.#watches;
    const instant = this.#now();
    if (hasLooked) tracker.look(instant);
    let [emitted, count] = [0, 0];
    let batch: JudgedNow[] = [];
    const due = [...tracker.listDue(instant, hasLooked)];
    // Until it has been judged: should anything fail, the next tick judges it.
    for (const tracked of due) tracked.recheckAt = 0;
    for (const tracked of due) {
      if (++count % JUDGED_AT_A_TIME === 0) await giveWay();
      const { watch } = tracked;
      // Dropped or replaced while requests had their turn.
      if (tracker.get(watch.id) !== tracked) continue;
      const { verdict, recheckAt } = tracker.judge(watch, instant);
      if (!isWorthStoring(watch, verdict)) {
        tracked.recheckAt = recheckAt;
        continue;
      }
      batch.push({ watch, verdict, recheckAt });
      if (batch.length < COMMIT_SIZE) continue;
      emitted += await this.#commit(batch, instant);
      batch = [];
    }
    return emitted + (batch.length === 0 ? 0 : await this.#commit(batch, instant));
  }

  /** @returns the number of events emitted */
  async #commit(batch: readonly JudgedNow[], instant: Instant): Promise<number> {
    const stored = await this.#store.commit(batch, judgedAt(this.#published), instant);
    let emitted = 0;
    for (const [i, { verdict, recheckAt }] of batch.entries()) {
      const watch = stored?.[i];
      // Another replica or a request has changed it: it is judged again in its new state.
      if (!watch) continue;
      this.#watches.track(watch, recheckAt);
      emitted += verdict.events.length;
    }
    return emitted;
  }
}

/** Creation of the realtime snapshot, milliseconds since 1970; 0 without one. */
function judgedAt(published: Published | null): number {
  return published?.realtime ? Date.parse(published.realtime.manifest.createdAt) : 0;
}

function checkedAt(published: Published | null, instant: Instant): Instant {
  const created = published?.realtime && parseTimestamp(published.realtime.manifest.createdAt);
  return created ?? instant;
}
