import { randomBytes } from 'node:crypto';
import { type Clock, nowInstant } from '../../../pipeline/effects/clock.ts';
import type { Log } from '../../../pipeline/effects/log.ts';
import { openSqlStore, type SqlStoreLocation } from '../../../pipeline/effects/sql-store/open-sql-store.ts';
import type { SqlConnection, SqlDatabase, SqlStoreValue } from '../../../pipeline/effects/sql-store/sql-database.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { WatchEvent } from '../../contract/definitions.ts';
import { MAX_KEPT_EVENTS, NOTHING_EMITTED, type StoredWatch } from '../watch.ts';
import { addToCounter, changeNumbers, readCounter } from './counters.ts';
import { confirmKeys } from './key-rows.ts';
import { claimPushes, settlePush } from './push-rows.ts';
import { numberEvents, pushRow, readWatch, WATCH_COLUMNS } from './watch-rows.ts';
import { watchSchema } from './watch-schema.ts';
import {
  type Judged,
  REMEMBERED_SECONDS,
  type Verdict,
  type WatchLimits,
  type WatchOrder,
  type WatchStore,
} from './watch-store.ts';

/** 128 bits that cannot be guessed. */
const ID_BYTES = 16;
const CLEAN_UP_LIMIT = 1000;
/**
 * A snapshot judged longer ago than this no longer forbids an older one: realtime has stopped, or a clock was wrong.
 */
const MAX_LEAD_MILLISECONDS = 10 * 60_000;

/** Opens the store and brings its tables up to date. @throws ExternalError `watch_store_failed`, `watch_store_too_new` */
export async function openWatchStore(
  place: SqlStoreLocation,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<WatchStore> {
  return createStore(await openSqlStore(watchSchema, place, log), clock);
}

function createStore(database: SqlDatabase, clock: Clock): WatchStore {
  return {
    put: (order, limits, now, judge) =>
      database.transaction((connection) => putWatch(connection, order, limits, now, judge)),
    remove: (id, kind, owner, now) =>
      database.transaction(async (connection) => {
        const change = await changeNumbers(connection, 1);
        const known = await findOwn(connection, { id, kind, owner }, now);
        if (known) await removeWatch(connection, id, change, now);
        return known !== null;
      }),
    async listChanged(after, limit) {
      const sql = `select ${WATCH_COLUMNS} from watches where change > ? order by change limit ?`;
      return (await database.query(sql, [after, limit])).map(readWatch);
    },
    commit: (judged, judgedAt, now) =>
      database.transaction((connection) => commitAll(connection, judged, judgedAt, now)),
    async beginJudging(judgedAt) {
      const newest = await readCounter(database, 'judged');
      if (!isToBeRecorded(judgedAt, newest, clock)) return newest;
      return database.transaction((connection) => beginJudging(connection, judgedAt, clock));
    },
    async cleanUp(now) {
      const sql = 'select id from watches where (removed_at is null and expires_at <= ?) or removed_at <= ? limit 1';
      const [found] = await database.query(sql, [now, now - REMEMBERED_SECONDS]);
      return found ? database.transaction((connection) => cleanUp(connection, now)) : 0;
    },
    async claim(now, limit) {
      const sql = 'select id from watch_pushes where due_at <= ? limit 1';
      const [due] = await database.query(sql, [now]);
      return due ? database.transaction((connection) => claimPushes(connection, now, limit)) : [];
    },
    settle: (settlements) =>
      database.transaction(async (connection) => {
        const last = await changeNumbers(connection, settlements.length);
        for (const [i, settlement] of settlements.entries()) {
          const endedWatch = await settlePush(connection, settlement);
          if (endedWatch !== null) await removeWatch(connection, endedWatch, last - i, nowInstant(clock));
        }
      }),
    confirmKeys: (keys) => confirmKeys(database, keys),
    close: () => database.close(),
  };
}

// ---- A request ---------------------------------------------------------------------------------

async function putWatch(
  connection: SqlConnection,
  order: WatchOrder,
  limits: WatchLimits,
  now: Instant,
  judge: (known: StoredWatch | null) => Verdict,
) {
  const change = await changeNumbers(connection, 1);
  const { spec, owner, target } = order;
  const known = order.id === null ? null : await findOwn(connection, { id: order.id, kind: spec.kind, owner }, now);
  if (!known && (await isLimitReached(connection, order, limits))) return null;
  const verdict = judge(known);
  const before: StoredWatch = known ?? {
    id: randomBytes(ID_BYTES).toString('base64url'),
    owner,
    spec,
    target,
    memory: NOTHING_EMITTED,
    eventCount: 0,
    expiresAt: now,
    change: 0,
    isRemoved: false,
  };
  // What is found while the answer is made is in the answer, so it is not pushed.
  await addEvents(connection, { ...before, target: null }, verdict, now);
  const watch = { ...apply(before, verdict, change), spec, target };
  await (known ? updateOrdered(connection, watch) : insertWatch(connection, watch, order));
  return { watch, events: await listEvents(connection, watch.id) };
}

async function findOwn(
  connection: SqlConnection,
  { id, kind, owner }: { readonly id: string; readonly kind: string; readonly owner: string },
  now: Instant,
): Promise<StoredWatch | null> {
  const sql = `select ${WATCH_COLUMNS} from watches
    where id = ? and kind = ? and owner = ? and removed_at is null and expires_at > ?`;
  const [row] = await connection.query(sql, [id, kind, owner, now]);
  return row ? readWatch(row) : null;
}

async function isLimitReached(
  connection: SqlConnection,
  { owner, address }: WatchOrder,
  { maxTotal, maxPerAddress, maxPerToken }: WatchLimits,
): Promise<boolean> {
  if ((await readCounter(connection, 'total')) >= maxTotal) return true;
  if (owner !== '' && (await countBy(connection, 'owner', owner)) >= maxPerToken) return true;
  return (await countBy(connection, 'address', address)) >= maxPerAddress;
}

async function countBy(connection: SqlConnection, column: 'owner' | 'address', value: string): Promise<number> {
  const sql = `select count(*) as held from watches where ${column} = ? and removed_at is null`;
  const [row] = await connection.query(sql, [value]);
  return row!.held as number;
}

async function insertWatch(connection: SqlConnection, watch: StoredWatch, { address }: WatchOrder): Promise<void> {
  await connection.query(
    `insert into watches
      (id, kind, owner, address, spec, target, memory, event_count, expires_at, change, removed_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null)`,
    [watch.id, watch.spec.kind, watch.owner, address, ...contentOf(watch), watch.change],
  );
  await addToCounter(connection, 'total', 1);
}

async function updateOrdered(connection: SqlConnection, watch: StoredWatch): Promise<void> {
  await connection.query(
    `update watches set spec = ?, target = ?, memory = ?, event_count = ?, expires_at = ?, change = ? where id = ?`,
    [...contentOf(watch), watch.change, watch.id],
  );
  // A subscription that was given up receives nothing more.
  if (!watch.target) await connection.query('delete from watch_pushes where watch_id = ?', [watch.id]);
}

function contentOf({ spec, target, memory, eventCount, expiresAt }: StoredWatch): SqlStoreValue[] {
  return [JSON.stringify(spec), target && JSON.stringify(target), JSON.stringify(memory), eventCount, expiresAt];
}

async function listEvents(connection: SqlConnection, watchId: string): Promise<WatchEvent[]> {
  const sql = 'select body from watch_events where watch_id = ? order by number';
  return (await connection.query(sql, [watchId])).map(({ body }) => JSON.parse(body as string) as WatchEvent);
}

// ---- Judgements --------------------------------------------------------------------------------

/** Mostly it has been recorded before. One that was judged long ago no longer counts. */
function isToBeRecorded(judgedAt: number, newest: number, clock: Clock): boolean {
  if (judgedAt === newest) return false;
  return judgedAt > newest || Math.abs(clock.nowMilliseconds() - newest) > MAX_LEAD_MILLISECONDS;
}

async function beginJudging(connection: SqlConnection, judgedAt: number, clock: Clock): Promise<number> {
  await changeNumbers(connection, 1);
  const newest = await readCounter(connection, 'judged');
  if (!isToBeRecorded(judgedAt, newest, clock)) return newest;
  await connection.query(`update watch_counters set value = ? where name = 'judged'`, [judgedAt]);
  return judgedAt;
}

async function commitAll(connection: SqlConnection, judged: readonly Judged[], judgedAt: number, now: Instant) {
  const last = await changeNumbers(connection, judged.length);
  if ((await readCounter(connection, 'judged')) > judgedAt) return null;
  const stored: (StoredWatch | null)[] = [];
  for (const [i, { watch, verdict }] of judged.entries()) {
    const next = apply(watch, verdict, last - judged.length + 1 + i);
    const isCurrent = await updateJudged(connection, watch, next);
    if (isCurrent) await addEvents(connection, watch, verdict, now);
    stored.push(isCurrent ? next : null);
  }
  return stored;
}

/** @returns false when the watch has changed since it was read */
async function updateJudged(connection: SqlConnection, before: StoredWatch, next: StoredWatch): Promise<boolean> {
  const updated = await connection.query(
    `update watches set memory = ?, event_count = ?, expires_at = ?, change = ?
      where id = ? and change = ? and removed_at is null returning id`,
    [JSON.stringify(next.memory), next.eventCount, next.expiresAt, next.change, before.id, before.change],
  );
  return updated.length === 1;
}

function apply(watch: StoredWatch, { memory, events, expiresAt }: Verdict, change: number): StoredWatch {
  const eventCount = watch.eventCount + events.length;
  return { ...watch, memory, eventCount, expiresAt: expiresAt ?? watch.expiresAt, change };
}

async function addEvents(
  connection: SqlConnection,
  watch: StoredWatch,
  { events }: Verdict,
  now: Instant,
): Promise<void> {
  if (events.length === 0) return;
  for (const [i, event] of numberEvents(watch, events, now).entries()) {
    const number = watch.eventCount + i;
    const row = [watch.id, number, JSON.stringify(event)];
    await connection.query('insert into watch_events (watch_id, number, body) values (?, ?, ?)', row);
    if (!watch.target) continue;
    await connection.query(
      `insert into watch_pushes
        (id, watch_id, number, payload, urgency, useful_until, attempts, due_at) values (?, ?, ?, ?, ?, ?, ?, ?)`,
      pushRow(watch.id, number, event, now),
    );
  }
  const firstKept = watch.eventCount + events.length - MAX_KEPT_EVENTS;
  await connection.query('delete from watch_events where watch_id = ? and number < ?', [watch.id, firstKept]);
}

// ---- Ends --------------------------------------------------------------------------------------

async function cleanUp(connection: SqlConnection, now: Instant): Promise<number> {
  const last = await changeNumbers(connection, CLEAN_UP_LIMIT);
  const ended = await connection.query(
    'select id from watches where expires_at <= ? and removed_at is null order by expires_at limit ?',
    [now, CLEAN_UP_LIMIT],
  );
  for (const [i, { id }] of ended.entries()) await removeWatch(connection, id as string, last - i, now);
  await connection.query('delete from watches where removed_at <= ?', [now - REMEMBERED_SECONDS]);
  return ended.length;
}

/** Its row stays for a while, without personal data. */
async function removeWatch(connection: SqlConnection, id: string, change: number, now: number): Promise<void> {
  await connection.query(
    `update watches set removed_at = ?, change = ?, target = null, memory = ?, owner = '', address = '' where id = ?`,
    [now, change, JSON.stringify(NOTHING_EMITTED), id],
  );
  await connection.query('delete from watch_events where watch_id = ?', [id]);
  await connection.query('delete from watch_pushes where watch_id = ?', [id]);
  await addToCounter(connection, 'total', -1);
}
