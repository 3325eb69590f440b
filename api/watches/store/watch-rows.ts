import { createHash } from 'node:crypto';
import type { SqlStoreRow, SqlStoreValue } from '../../../pipeline/effects/sql-store/sql-database.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { WatchEvent } from '../../contract/definitions.ts';
import { presentTimestamp } from '../../engine/read/present.ts';
import { MAX_PAYLOAD_BYTES, type PendingPush, type PushTarget } from '../outbox.ts';
import type { NewEvent, StoredWatch, WatchMemory, WatchSpec } from '../watch.ts';

export const WATCH_COLUMNS = 'id, owner, spec, target, memory, event_count, expires_at, change, removed_at' as const;

export function readWatch(row: SqlStoreRow): StoredWatch {
  return {
    id: row.id as string,
    owner: row.owner as string,
    spec: JSON.parse(row.spec as string) as WatchSpec,
    target: row.target === null ? null : readTarget(row.target!),
    memory: JSON.parse(row.memory as string) as WatchMemory,
    eventCount: row.event_count as number,
    expiresAt: row.expires_at as Instant,
    change: row.change as number,
    isRemoved: row.removed_at !== null,
  };
}

export function readTarget(text: SqlStoreValue): PushTarget {
  return JSON.parse(text as string) as PushTarget;
}

/** Numbers a watch's next events, from 0. The id follows from watch and number, so it is the same in every attempt. */
export function numberEvents(watch: StoredWatch, events: readonly NewEvent[], now: Instant): WatchEvent[] {
  return events.map((event, i) => ({
    id: nameEvent(watch.id, watch.eventCount + i),
    at: presentTimestamp(now),
    ...event,
  }));
}

function nameEvent(watchId: string, number: number): string {
  return createHash('sha256').update(`event ${watchId} ${number}`).digest('base64url').slice(0, 22);
}

/** How long an event is of use: after it, the traveller has seen it or it is history. */
const USEFUL_SECONDS: Readonly<Record<NewEvent['kind'], number>> = {
  delay: 3600,
  recovered: 3600,
  platform: 3600,
  cancelled: 4 * 3600,
  transferAtRisk: 3600,
  transferMissed: 2 * 3600,
  options: 1800,
  disruption: 12 * 3600,
  disruptionEnded: 12 * 3600,
  ended: 3600,
};

const PATIENT_KINDS: readonly string[] = ['recovered', 'disruption', 'disruptionEnded', 'ended'];

/** @returns the values of a row of `watch_pushes` */
export function pushRow(watchId: string, number: number, event: WatchEvent, now: Instant): SqlStoreValue[] {
  const urgency = PATIENT_KINDS.includes(event.kind) ? 'normal' : 'high';
  const usefulUntil = now + USEFUL_SECONDS[event.kind];
  return [event.id, watchId, number, writePayload(watchId, event), urgency, usefulUntil, 0, now];
}

/** Options may be larger than a push: then the app fetches them by watching again. */
function writePayload(watchId: string, event: WatchEvent): string {
  const whole = JSON.stringify({ watchId, event });
  if (Buffer.byteLength(whole) <= MAX_PAYLOAD_BYTES) return whole;
  const { options: _, ...rest } = event;
  const small = JSON.stringify({ watchId, event: rest });
  if (Buffer.byteLength(small) <= MAX_PAYLOAD_BYTES) return small;
  return JSON.stringify({ watchId, event: { ...rest, text: `${rest.text.slice(0, 500)}…` } });
}

/** @param row of `watch_pushes` with the `target` of its watch */
export function readPush(row: SqlStoreRow): PendingPush {
  return {
    id: row.id as string,
    watchId: row.watch_id as string,
    target: readTarget(row.target!),
    payload: row.payload as string,
    urgency: row.urgency as PendingPush['urgency'],
    usefulUntil: row.useful_until as Instant,
    attempts: row.attempts as number,
    claimedUntil: row.due_at as Instant,
  };
}
