import { openRealtime, type Realtime } from '../../../api/engine/read/realtime.ts';
import { TextColumn } from '../../../pipeline/model/column.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { SharingReport } from '../../../pipeline/model/sharing.ts';
import { createSharingState } from '../../../pipeline/realtime/sharing/sharing-state.ts';
import {
  REALTIME_FORMAT_VERSION,
  type RealtimeTables,
  realtimeTables,
} from '../../../pipeline/snapshots/realtime-contract.ts';

const noRows = {
  u8: new Uint8Array(),
  i16: new Int16Array(),
  u16: new Uint16Array(),
  i32: new Int32Array(),
  u32: new Uint32Array(),
  u64: new BigUint64Array(),
  f64: new Float64Array(),
  text: TextColumn.from([]),
};

function emptyTables(): RealtimeTables {
  const empty = (shape: Readonly<Record<string, keyof typeof noRows>>) =>
    Object.fromEntries(Object.entries(shape).map(([column, type]) => [column, noRows[type]]));
  const tables = Object.entries(realtimeTables).map(([name, shape]) => [name, empty(shape)]);
  return Object.fromEntries(tables) as unknown as RealtimeTables;
}

/** Age at which the stock is too old. */
export const STOCK_SECONDS = 600;

/**
 * A realtime snapshot that has only sharing systems, by id, all of which reported at an instant.
 * @param ageSeconds of the reports of some systems at that instant
 */
export function openSharedStock(
  systems: Readonly<Record<string, readonly SharingReport[]>>,
  at: Instant,
  ageSeconds: Readonly<Record<string, number>> = {},
): Realtime {
  const state = createSharingState(Object.keys(systems).map((id) => ({ id, maxAgeSeconds: STOCK_SECONDS })));
  for (const [id, reports] of Object.entries(systems)) {
    const reportedAt = (at - (ageSeconds[id] ?? 0)) as Instant;
    for (const sharing of reports) {
      const update = { sharing, publishedAt: reportedAt, isFrozen: false };
      state.apply(id, { part: sharing.kind, fetchedAt: reportedAt, update });
    }
  }
  const manifest = {
    kind: 'realtime' as const,
    formatVersion: REALTIME_FORMAT_VERSION,
    id: 'shared',
    timetableId: 'any',
    createdAt: new Date(at * 1000).toISOString(),
    sources: [],
    models: [],
  };
  return openRealtime({ manifest, tables: { ...emptyTables(), ...state.build() } }, null);
}
