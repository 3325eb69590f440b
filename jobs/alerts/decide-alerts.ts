import type { BrokenPromise, Judgement, PromiseKind } from './broken-promises.ts';

/** What is remembered of a promise that is broken, or was until just now. Milliseconds since 1970. */
export interface RememberedPromise extends BrokenPromise {
  readonly brokenSince: number;
  /** When it was last told; null: not yet. */
  readonly toldAt: number | null;
  /** Since when it is kept again; null: it is broken. */
  readonly keptSince: number | null;
}

/** By kind and subject. */
export type AlertMemory = Readonly<Record<string, RememberedPromise>>;

export interface Alert {
  readonly event: 'broken' | 'reminder' | 'kept';
  readonly promise: RememberedPromise;
}

/** A promise counts as broken, and as kept again, only after a while: one that flickers is told once. */
const BROKEN_AFTER_MILLISECONDS = 60_000;
const KEPT_AFTER_MILLISECONDS = 3 * 60_000;

export interface Decision {
  readonly alerts: readonly Alert[];
  /** The memory once all of these alerts are delivered. */
  readonly memory: AlertMemory;
}

/**
 * Decides what to tell. Pure: the same promises and the same memory give the same alerts, so a restart in between
 * changes nothing.
 */
export function decideAlerts(
  { broken, unknown, elsewhere }: Judgement,
  before: AlertMemory,
  { now, reminderMilliseconds }: { readonly now: number; readonly reminderMilliseconds: number },
): Decision {
  const alerts: Alert[] = [];
  const memory: Record<string, RememberedPromise> = {};
  const keep = (key: string, promise: RememberedPromise, event: Alert['event'] | null) => {
    memory[key] = event === null ? promise : { ...promise, toldAt: now };
    if (event !== null) alerts.push({ event, promise: memory[key] });
  };
  for (const promise of broken) {
    const key = nameKey(promise);
    const known = before[key];
    // A clock that was set back restarts the wait.
    const brokenSince = Math.min(known?.brokenSince ?? now, now);
    const toldAt = known?.toldAt == null ? null : Math.min(known.toldAt, now);
    const next = { ...promise, brokenSince, toldAt, keptSince: null };
    const isNew = toldAt === null && known !== undefined && isFiring(next, now);
    const isDue = toldAt !== null && now - toldAt >= reminderMilliseconds;
    keep(key, next, isNew ? 'broken' : isDue ? 'reminder' : null);
  }
  for (const [key, known] of Object.entries(before)) {
    if (memory[key] || elsewhere.has(known.kind)) continue;
    if (unknown.has(known.kind)) {
      memory[key] = known;
      continue;
    }
    // What was never told need not be taken back.
    if (known.toldAt === null) continue;
    const keptSince = Math.min(known.keptSince ?? now, now);
    if (now - keptSince < KEPT_AFTER_MILLISECONDS) memory[key] = { ...known, keptSince };
    else alerts.push({ event: 'kept', promise: { ...known, keptSince } });
  }
  return { alerts, memory };
}

/** Whether it has lasted long enough to count. */
export function isFiring({ brokenSince, keptSince, afterSeconds = 0 }: RememberedPromise, now: number): boolean {
  return keptSince === null && now - brokenSince >= Math.max(BROKEN_AFTER_MILLISECONDS, afterSeconds * 1000);
}

/** The memory after an alert could not be delivered: it is decided again the next time. */
export function forgetAlert(memory: AlertMemory, before: AlertMemory, { event, promise }: Alert): AlertMemory {
  const key = nameKey(promise);
  const toldAt = before[key]?.toldAt ?? null;
  return { ...memory, [key]: event === 'kept' ? promise : { ...promise, toldAt } };
}

export function nameKey({ kind, subject }: { readonly kind: PromiseKind; readonly subject: string }): string {
  return `${kind} ${subject}`;
}
