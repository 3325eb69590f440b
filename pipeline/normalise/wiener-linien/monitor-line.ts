import type { RawStop } from '../../formats/wiener-linien/raw-records.ts';
import type { Product } from '../../model/product.ts';
import type { DepartureTimes } from './standstill.ts';

/** A departure that can be used, with what was found out about it. */
export interface MonitorDeparture extends DepartureTimes {
  readonly place: string;
  readonly line: string;
  readonly towards: string | null;
  readonly platform: string | null;
  readonly product: Product | null;
}

/** A line at a platform, read and judged. */
export interface MonitorLine {
  readonly stop: RawStop;
  readonly departures: readonly MonitorDeparture[];
  /** Its times stand still: none of them is of now. */
  readonly isFrozen: boolean;
}
