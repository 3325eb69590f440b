import type { Instant } from '../../pipeline/model/service-time.ts';

/** Where a browser receives pushes: its endpoint and the keys that messages are encrypted with, base64url. */
export interface PushTarget {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** An event that waits to be pushed. */
export interface PendingPush {
  /** Id of the event, the same in every attempt, so that receivers can drop duplicates. */
  readonly id: string;
  readonly watchId: string;
  readonly target: PushTarget;
  /** What is encrypted: JSON `{watchId, event}`, at most `MAX_PAYLOAD_BYTES`. */
  readonly payload: string;
  /** Of RFC 8030, section 5.3. */
  readonly urgency: 'normal' | 'high';
  /** After it the event is of no use to the traveller: its TTL, and the end of all attempts. */
  readonly usefulUntil: Instant;
  /** Failed attempts so far. */
  readonly attempts: number;
  /** Until then no other replica sends it; it also names this claim. */
  readonly claimedUntil: Instant;
}

/** A push service accepts 4096 bytes, encrypted; what the encryption adds is taken off. @see RFC 8291, section 4 */
export const MAX_PAYLOAD_BYTES = 3992;

/**
 * `delivered`: the push service has accepted it. `dropped`: it never will, as it refuses this message or its time is
 * over. `gone`: the subscription has ended (404 or 410), which ends the watch.
 */
export type PushOutcome = 'delivered' | 'dropped' | 'gone' | { readonly retryAt: Instant };

/** What became of a claimed push. */
export interface Settlement extends Pick<PendingPush, 'id' | 'target' | 'claimedUntil'> {
  readonly outcome: PushOutcome;
}

/**
 * The pushes that are due. One that was claimed and not settled, as after a crash, is due again `CLAIM_SECONDS` later,
 * so a push is sent at least once. Of a watch only the oldest is due: events arrive in order.
 */
export interface Outbox {
  /** Claims due pushes for this process alone, the oldest first. @param limit most pushes */
  claim(now: Instant, limit: number): Promise<readonly PendingPush[]>;
  /**
   * Settles all or none; pushes that are no longer known are ignored, and so is `retryAt` where the claim has passed to
   * another replica. If the app has subscribed again meanwhile, `gone` ends nothing: the push is due for the new
   * subscription.
   */
  settle(settlements: readonly Settlement[]): Promise<void>;
}

/** The keys that replicas on one store must have in common, by their settings. */
export type SharedKey = 'watches.vapidKey' | 'referenceKey';

/** Hashes of keys: they show that two differ, and nothing of a key. */
export type KeyFingerprints = Readonly<Record<SharedKey, string>>;

export interface KeyRegister {
  /**
   * Compares keys with those of the replica that opened the store first, and stores them if there are none.
   * @returns those that differ
   */
  confirmKeys(keys: KeyFingerprints): Promise<readonly SharedKey[]>;
}

/** For how long a claimed push is not claimed again: longer than the timeout of one attempt. */
export const CLAIM_SECONDS = 60;
