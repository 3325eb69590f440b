import type { SqlStoreLocation } from '../../../pipeline/effects/sql-store/open-sql-store.ts';
import type { RealtimeManifest } from '../../../pipeline/snapshots/realtime-contract.ts';
import type { TimetableManifest } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { PlainTables } from '../../plugins/plain-tables.ts';
import type { WatchLimits } from '../store/watch-store.ts';
import type { WatchService } from './watch-service.ts';

/** Input of the thread of the watches. */
export interface WatchThreadStart {
  readonly store: SqlStoreLocation;
  readonly limits: WatchLimits;
  /** Key of the journey references in events. */
  readonly referenceKey: Uint8Array;
}

/** Methods of the service that take and return plain data. */
export type WatchCall = Exclude<keyof WatchService, 'follow' | 'close'>;

/** A message to the thread of the watches. */
export type WatchQuestion =
  | {
      readonly kind: 'pair';
      /** Absent: that of the previous pair. */
      readonly timetable?: { readonly manifest: TimetableManifest; readonly tables: PlainTables };
      readonly realtime: { readonly manifest: RealtimeManifest; readonly tables: PlainTables } | null;
    }
  | { readonly kind: 'call'; readonly method: WatchCall; readonly values: readonly unknown[] };
