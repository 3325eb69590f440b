import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { WatchEvent } from '../../contract/definitions.ts';
import type { KeyRegister, Outbox, PushTarget } from '../outbox.ts';
import type { NewEvent, StoredWatch, WatchKind, WatchMemory, WatchSpec } from '../watch.ts';

/** The result of one evaluation of a watch: its new memory, and the events to emit. */
export interface Verdict {
  readonly memory: WatchMemory;
  readonly events: readonly NewEvent[];
  /** Replaces the end of the watch; null: stays. */
  readonly expiresAt: Instant | null;
}

/** A request to watch, checked. */
export interface WatchOrder {
  /** Of an earlier answer; null: a new watch. */
  readonly id: string | null;
  readonly spec: WatchSpec;
  readonly target: PushTarget | null;
  /** Hash of the installation token; empty without one. */
  readonly owner: string;
  /** Hash of the client's address. */
  readonly address: string;
}

export interface WatchLimits {
  readonly maxTotal: number;
  readonly maxPerAddress: number;
  readonly maxPerToken: number;
}

/** A judgement of a watch in the state of a change. */
export interface Judged {
  readonly watch: StoredWatch;
  readonly verdict: Verdict;
}

/** How long removed watches stay listed, so that every replica drops them. */
export const REMEMBERED_SECONDS = 3600;

/**
 * The watches, their events, and the pushes that wait. Every write is one transaction that begins with the number of
 * its change, in whose row it locks out all others: so changes become visible in the order of their numbers, limits
 * hold, and of two replicas that judge one watch the second finds it changed.
 * @throws ExternalError `watch_store_failed` from every method
 */
export interface WatchStore extends Outbox, KeyRegister {
  /**
   * Makes a watch, or extends the one that the order names if it is of this owner and kind and has not ended.
   * @param judge called once inside of the transaction, with the watch that is extended or null
   * @param now of the events
   * @returns null when a limit is reached; then nothing is stored
   */
  put(
    order: WatchOrder,
    limits: WatchLimits,
    now: Instant,
    judge: (known: StoredWatch | null) => Verdict,
  ): Promise<{ readonly watch: StoredWatch; readonly events: readonly WatchEvent[] } | null>;
  /** @returns false when the owner has no such watch */
  remove(id: string, kind: WatchKind, owner: string, now: Instant): Promise<boolean>;
  /** Watches that changed after a change, those removed lately included, in the order of their changes. */
  listChanged(after: number, limit: number): Promise<readonly StoredWatch[]>;
  /**
   * Stores judgements by one realtime snapshot; those of watches that have changed meanwhile are not stored.
   * @param judgedAt creation of the realtime snapshot, milliseconds since 1970; 0 without one
   * @returns the stored watches, null for those that have changed; null when a newer snapshot has been judged
   */
  commit(judged: readonly Judged[], judgedAt: number, now: Instant): Promise<readonly (StoredWatch | null)[] | null>;
  /** Creation of the newest realtime snapshot that any replica has judged by; recorded if this one is newer. */
  beginJudging(judgedAt: number): Promise<number>;
  /** Removes expired watches, and deletes the rows of watches removed long ago. @returns number of removed watches */
  cleanUp(now: Instant): Promise<number>;
  close(): Promise<void>;
}
