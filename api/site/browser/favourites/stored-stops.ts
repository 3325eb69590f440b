import type { Stop } from '../../../contract/v2-basics.ts';

/** A stop or place that the browser keeps. It never leaves the browser. */
export type StoredStop = Pick<Stop, 'id' | 'name' | 'kind' | 'coord'>;

/** A list of stops in the storage of the browser, the newest first. */
interface StopStore {
  read(): readonly StoredStop[];
  /** Stores at most as many as the list may have. @returns the list, unchanged if the browser stores nothing */
  write(stops: readonly StoredStop[]): readonly StoredStop[];
}

/** @param key of the list in the storage */
export function openStopStore(key: string, maxCount: number): StopStore {
  const read = () => {
    try {
      const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
      return Array.isArray(stored) ? stored.flatMap(readStop).slice(0, maxCount) : [];
    } catch {
      return [];
    }
  };
  return {
    read,
    write(stops) {
      const kept = stops.slice(0, maxCount);
      try {
        localStorage.setItem(key, JSON.stringify(kept));
        return kept;
      } catch {
        return read();
      }
    },
  };
}

/** The parts that are kept; none of anything else that the storage has. */
function readStop(value: unknown): StoredStop[] {
  const { id, name, kind = 'station', coord } = (value ?? {}) as Partial<StoredStop>;
  if (typeof id !== 'string' || typeof name !== 'string') return [];
  return [{ id, name, kind, ...(coord ? { coord } : {}) }];
}
