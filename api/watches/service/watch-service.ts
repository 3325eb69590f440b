import { type Clock, nowInstant } from '../../../pipeline/effects/clock.ts';
import { createQueue } from '../../../pipeline/effects/concurrency.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { parseTimestamp } from '../../../pipeline/model/service-time.ts';
import type { RescueOption, WatchEvent } from '../../contract/definitions.ts';
import type { Published } from '../../engine/read/realtime.ts';
import { textsOf } from '../judge/texts-by-language.ts';
import type { KeyRegister, Outbox } from '../outbox.ts';
import {
  type Judged,
  REMEMBERED_SECONDS,
  type Verdict,
  type WatchLimits,
  type WatchOrder,
  type WatchStore,
} from '../store/watch-store.ts';
import { createWatchTracker, findExpiry, hasSameLegs } from '../track/watch-tracker.ts';
import type { NewEvent, StoredWatch, TripSpec, WatchKind, WatchStatus } from '../watch.ts';

/** State of a watch for the answer. */
export interface WatchReport {
  readonly watchId: string;
  readonly expiresAt: Instant;
  readonly checkedAt: Instant;
  readonly status: WatchStatus;
  readonly events: readonly WatchEvent[];
}

/** A rescue watch whose trip is broken. */
export interface WantedOptions {
  readonly watchId: string;
  readonly spec: Extract<TripSpec, { kind: 'rescue' }>;
}

/**
 * Keeps the watches of one store and judges them by the snapshots that it is given. All of it is plain data, so it may
 * run in another thread.
 * @throws ExternalError `watch_store_failed` where the store cannot be reached or is full
 */
export interface WatchService extends Outbox, KeyRegister {
  /** @param until as the app asked; null: chosen here @returns null when a limit is reached */
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
/** Watches that are read at a time. */
const PAGE_SIZE = 2000;
/** Watches that are judged before requests get their turn. */
const JUDGED_AT_A_TIME = 500;
/** A search for options is not repeated sooner. */
const OPTIONS_PAUSE_SECONDS = 120;
const LINE_WATCH_SECONDS = 30 * 86_400;

interface JudgedNow extends Judged {
  readonly recheckAt: number;
}

interface WatchServiceOptions {
  readonly store: WatchStore;
  readonly limits: WatchLimits;
  readonly clock: Clock;
}

export function createWatchService({ store, limits, clock }: WatchServiceOptions): WatchService {
  const tracker = createWatchTracker();
  let published: Published | null = null;
  /** The watch of the last change that was learned; null: nothing was. */
  let newest: StoredWatch | null = null;
  let learnedAt = -Infinity;
  /** Ids of watches that want options, in the order in which they were broken. */
  const wanting = new Set<string>();
  /** Judging passes take turns. */
  const now = () => nowInstant(clock);

  const track = (watch: StoredWatch, recheckAt: number) => {
    tracker.track(watch, recheckAt);
    if (watch.isRemoved || watch.memory.optionsDue === null) wanting.delete(watch.id);
    else wanting.add(watch.id);
  };
  /** Learns what other replicas have changed, and at the start all. */
  const learn = async () => {
    const instant = now();
    // After a longer pause the store may have forgotten what was removed: all that is there is listed once more.
    const isPaused = instant - learnedAt >= REMEMBERED_SECONDS / 2;
    if (isPaused || !(await learnChanges())) {
      forgetAll();
      await learnChanges();
    }
    learnedAt = instant;
  };
  const forgetAll = () => {
    newest = null;
    for (const { watch } of [...tracker.list()]) track({ ...watch, isRemoved: true }, 0);
  };
  /**
   * @returns false when the newest known watch is not there as it was or with a later change: the store has lost its last
   * transactions, as in a failover to a standby that was behind, and their numbers are given to others
   */
  const learnChanges = async (): Promise<boolean> => {
    const before = newest;
    let isThere = before === null;
    for (let after = before === null ? 0 : before.change - 1; ; after = newest!.change) {
      const changed = await store.listChanged(after, PAGE_SIZE);
      for (const watch of changed) {
        isThere ||= watch.id === before!.id;
        // Our own changes come back here as well.
        const known = tracker.get(watch.id);
        if (known?.watch.change !== watch.change) track(watch, 0);
        newest = watch;
      }
      if (changed.length < PAGE_SIZE) return isThere;
      await pause();
    }
  };
  const commit = async (batch: readonly JudgedNow[], instant: Instant) => {
    const stored = await store.commit(batch, judgedAt(published), instant);
    let emitted = 0;
    for (const [i, { verdict, recheckAt }] of batch.entries()) {
      const watch = stored?.[i];
      if (watch) {
        track(watch, recheckAt);
        emitted += verdict.events.length;
      }
      // Else another replica or a request has changed it: it is judged again, as it is then.
    }
    return emitted;
  };
  const judgeDue = async (hasLooked: boolean): Promise<number> => {
    const instant = now();
    if (hasLooked) tracker.look(instant);
    let [emitted, count] = [0, 0];
    let batch: JudgedNow[] = [];
    const due = [...tracker.listDue(instant, hasLooked)];
    // Until it has been judged: should anything fail, the next tick judges it.
    for (const tracked of due) tracked.recheckAt = 0;
    for (const tracked of due) {
      if (++count % JUDGED_AT_A_TIME === 0) await pause();
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
      emitted += await commit(batch, instant);
      batch = [];
    }
    return emitted + (batch.length === 0 ? 0 : await commit(batch, instant));
  };
  /** @param hasLooked whether there is a new pair of snapshots */
  const judge = async (hasLooked: boolean): Promise<number> => {
    await learn();
    if (!published || (await store.beginJudging(judgedAt(published))) > judgedAt(published)) return 0;
    return judgeDue(hasLooked);
  };
  const inTurn = createQueue();
  let hasUnseen = false;

  return {
    async watch(order, until) {
      const instant = now();
      let recheckAt = 0;
      const stored = await store.put(order, limits, instant, (known) => {
        const verdict = known && hasSameSubject(known, order) ? repeat(known) : null;
        if (verdict) {
          recheckAt = tracker.get(known!.id)?.recheckAt ?? 0;
          return { ...verdict, expiresAt: until ?? keepOrExtend(known!, instant) };
        }
        const first = tracker.judgeNew(order.spec, instant);
        recheckAt = first.recheckAt;
        const lineEnd = (instant + LINE_WATCH_SECONDS) as Instant;
        return {
          ...first.verdict,
          expiresAt: until ?? (order.spec.kind === 'line' ? lineEnd : first.verdict.expiresAt),
        };
      });
      if (!stored) return null;
      const { watch, events } = stored;
      track(watch, recheckAt);
      const { id: watchId, expiresAt, memory } = watch;
      return { watchId, expiresAt, checkedAt: checkedAt(published, instant), status: memory.status, events };
    },
    async unwatch(id, kind, owner) {
      const isRemoved = await store.remove(id, kind, owner, now());
      const known = isRemoved && tracker.get(id);
      // Not learned, as another may be under way, which has a turn: of two, each would miss the pages of the other.
      if (known) track({ ...known.watch, isRemoved }, 0);
      return isRemoved;
    },
    follow: (next) =>
      inTurn(async () => {
        if (published?.timetable === next.timetable) tracker.follow(next);
        else await tracker.followTimetable(next, pause);
        published = next;
        hasUnseen = true;
        const emitted = await judge(true);
        hasUnseen = false;
        return emitted;
      }),
    tick: () =>
      inTurn(async () => {
        const emitted = await judge(hasUnseen);
        hasUnseen = false;
        while ((await store.cleanUp(now())) > 0) await learn();
        return emitted;
      }),
    async listWanted(limit) {
      const instant = now();
      const wanted: WantedOptions[] = [];
      for (const id of wanting) {
        const tracked = tracker.get(id);
        if (!tracked || wanted.length >= limit) continue;
        const { spec, memory } = tracked.watch;
        if (spec.kind === 'rescue' && (memory.optionsDue ?? Infinity) <= instant) wanted.push({ watchId: id, spec });
      }
      return wanted;
    },
    emitOptions: (watchId, options) =>
      inTurn(async () => {
        const tracked = tracker.get(watchId);
        if (!tracked || tracked.watch.memory.optionsDue === null) return;
        const instant = now();
        const verdict = offer(tracked.watch, options, instant);
        await commit([{ watch: tracked.watch, verdict, recheckAt: tracked.recheckAt }], instant);
      }),
    claim: (instant, limit) => store.claim(instant, limit),
    settle: (settlements) => store.settle(settlements),
    confirmKeys: (keys) => store.confirmKeys(keys),
    count: async () => tracker.size,
    close: () => inTurn(() => store.close()),
  };
}

/** Lets requests that arrived meanwhile have their turn. */
function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Creation of the realtime snapshot, milliseconds since 1970; 0 without one. */
function judgedAt(published: Published | null): number {
  return published?.realtime ? Date.parse(published.realtime.manifest.createdAt) : 0;
}

function checkedAt(published: Published | null, instant: Instant): Instant {
  const created = published?.realtime && parseTimestamp(published.realtime.manifest.createdAt);
  return created ?? instant;
}

function isWorthStoring({ memory }: StoredWatch, verdict: Verdict): boolean {
  if (verdict.events.length > 0 || verdict.expiresAt !== null) return true;
  return verdict.memory !== memory && JSON.stringify(verdict.memory) !== JSON.stringify(memory);
}

/** Whether an order watches what the known watch does already; limits and delivery may differ. */
function hasSameSubject({ spec }: StoredWatch, order: WatchOrder): boolean {
  if (spec.kind !== 'line' || order.spec.kind !== 'line') return hasSameLegs(spec, order.spec);
  return JSON.stringify([spec.lines, spec.stopIds]) === JSON.stringify([order.spec.lines, order.spec.stopIds]);
}

function repeat({ memory }: StoredWatch): Verdict {
  return { memory, events: [], expiresAt: null };
}

/** A watch without an explicit end that is requested again lasts at least as long as a new one. */
function keepOrExtend({ spec, expiresAt }: StoredWatch, instant: Instant): Instant {
  const end = spec.kind === 'line' ? instant + LINE_WATCH_SECONDS : findExpiry(null, instant);
  return Math.max(expiresAt, end) as Instant;
}

function offer({ spec, memory }: StoredWatch, options: readonly RescueOption[], instant: Instant): Verdict {
  const [best] = options;
  if (!best) {
    return {
      memory: { ...memory, optionsDue: (instant + OPTIONS_PAUSE_SECONDS) as Instant },
      events: [],
      expiresAt: null,
    };
  }
  const texts = textsOf(spec);
  const arrival = arrivalOf(best);
  const text = best.kind === 'wait' ? texts.keepPlan(arrival) : texts.options(options.length, arrival);
  const event: NewEvent = { kind: 'options', text, options: [...options] };
  return { memory: { ...memory, optionsDue: null }, events: [event], expiresAt: null };
}

function arrivalOf({ trip: { arrival } }: RescueOption): Instant {
  return parseTimestamp(arrival.realtime ?? arrival.scheduled!)!;
}
