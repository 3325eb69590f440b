import type { ActiveAlert, AlertEvaluation, AlertKind } from './evaluate-alerts.ts';

/** An alert that is active, or was until recently, with its times in milliseconds since 1970. */
export interface AlertState extends ActiveAlert {
  readonly activeSince: number;
  /** When the operator was last notified; null: not yet. */
  readonly notifiedAt: number | null;
  /** Since when its condition is false again; null: it is active. */
  readonly inactiveSince: number | null;
}

/** By kind and subject. */
export type AlertStates = Readonly<Record<string, AlertState>>;

export interface Notification {
  readonly event: 'firing' | 'reminder' | 'resolved';
  readonly alert: AlertState;
}

/** An alert fires, and is resolved, only after a while, so that a flapping one notifies once. */
const FIRING_AFTER_MILLISECONDS = 60_000;
const RESOLVED_AFTER_MILLISECONDS = 3 * 60_000;

interface NotificationDecision {
  readonly notifications: readonly Notification[];
  /** The states once all of these notifications are delivered. */
  readonly states: AlertStates;
}

/**
 * Decides which notifications are due. Pure: the same evaluation and the same states give the same notifications, so a
 * restart in between changes nothing.
 */
export function decideNotifications(
  { active, unknown, elsewhere }: AlertEvaluation,
  before: AlertStates,
  { now, reminderMilliseconds }: { readonly now: number; readonly reminderMilliseconds: number },
): NotificationDecision {
  const notifications: Notification[] = [];
  const states: Record<string, AlertState> = {};
  const setState = (key: string, alert: AlertState, event: Notification['event'] | null) => {
    states[key] = event === null ? alert : { ...alert, notifiedAt: now };
    if (event !== null) notifications.push({ event, alert: states[key] });
  };
  for (const alert of active) {
    const key = alertKey(alert);
    const known = before[key];
    // A clock that was set back restarts the wait.
    const activeSince = Math.min(known?.activeSince ?? now, now);
    const notifiedAt = known?.notifiedAt == null ? null : Math.min(known.notifiedAt, now);
    const next = { ...alert, activeSince, notifiedAt, inactiveSince: null };
    const isNew = notifiedAt === null && known !== undefined && isFiring(next, now);
    const isDue = notifiedAt !== null && now - notifiedAt >= reminderMilliseconds;
    setState(key, next, isNew ? 'firing' : isDue ? 'reminder' : null);
  }
  for (const [key, known] of Object.entries(before)) {
    if (states[key] || elsewhere.has(known.kind)) continue;
    if (unknown.has(known.kind)) {
      states[key] = known;
      continue;
    }
    // An alert that was never sent needs no resolution.
    if (known.notifiedAt === null) continue;
    const inactiveSince = Math.min(known.inactiveSince ?? now, now);
    if (now - inactiveSince < RESOLVED_AFTER_MILLISECONDS) states[key] = { ...known, inactiveSince };
    else notifications.push({ event: 'resolved', alert: { ...known, inactiveSince } });
  }
  return { notifications, states };
}

/** Whether it has lasted long enough to count. */
export function isFiring({ activeSince, inactiveSince, afterSeconds = 0 }: AlertState, now: number): boolean {
  return inactiveSince === null && now - activeSince >= Math.max(FIRING_AFTER_MILLISECONDS, afterSeconds * 1000);
}

/** The states after a notification could not be delivered: it is decided again at the next check. */
export function revertNotification(
  states: AlertStates,
  before: AlertStates,
  { event, alert }: Notification,
): AlertStates {
  const key = alertKey(alert);
  const notifiedAt = before[key]?.notifiedAt ?? null;
  return { ...states, [key]: event === 'resolved' ? alert : { ...alert, notifiedAt } };
}

export function alertKey({ kind, subject }: { readonly kind: AlertKind; readonly subject: string }): string {
  return `${kind} ${subject}`;
}
