import type { Occupancy } from '../../model/occupancy.ts';
import type { RecordProblem } from '../../model/problem.ts';
import type { HafasHint, HafasLine, HafasPlace, HafasStopover, HafasWarning } from './load-profile.ts';
import type { MgateObject, MgatePosition } from './mgate-answer.ts';

/** Records of an answer as hafas-client parses them, each with its raw record for members that the library drops. */
export interface HafasRecords {
  readonly datedTrips: readonly HafasDatedTrip[];
  readonly movements: readonly HafasMovement[];
  readonly messages: readonly HafasMessage[];
  /** When the publisher's realtime was last updated, seconds since 1970; else its clock as ISO 8601. */
  readonly updatedAt: { readonly realtimeSeconds: number | null; readonly serverTime: string | null };
  /** `YYYYMMDD`; validity of the endpoint's timetable. */
  readonly timetable: { readonly begin: string; readonly end: string } | null;
  /** Number of board entries, trips, vehicles and messages, including refused ones. */
  readonly recordCount: number;
  readonly problems: readonly Omit<RecordProblem, 'source'>[];
}

/** One dated trip, as far as it is in the answer. */
export interface HafasDatedTrip {
  /** Position in the answer, for problems. */
  readonly place: string;
  /** The endpoint's reference of the dated trip. */
  readonly jid: string | null;
  /** `YYYYMMDD`, the day that the trip belongs to. */
  readonly startDate: string | null;
  /** Whether the first call is the trip's first. */
  readonly isFromStart: boolean;
  readonly line: HafasLine | null;
  readonly direction: string | null;
  readonly originName: string | null;
  /** `P` planned, `A` additional, `S` special, `R` in place of another. */
  readonly status: string | null;
  readonly isCancelled: boolean;
  /** In travel order. */
  readonly calls: readonly HafasCall[];
  readonly remarks: readonly HafasRemark[];
}

export interface HafasCall {
  readonly stop: HafasPlace | null;
  readonly stopover: HafasStopover;
  /** `aProgType`, `dCncl`, `isAdd`, platforms and the like. */
  readonly raw: MgateObject;
  readonly remarks: readonly HafasRemark[];
  /** Forecast of the occupancy at departure; `null` if unknown. */
  readonly occupancy: Occupancy | null;
}

/** A reference from a trip or a call to a message about it. */
export type HafasRemark =
  | { readonly kind: 'message'; readonly id: string; readonly isGlobal: boolean }
  | { readonly kind: 'hint'; readonly hint: HafasHint };

export interface HafasMovement extends MgatePosition {
  readonly datedTrip: HafasDatedTrip;
  /** 32nds of a circle counter-clockwise from east. */
  readonly direction: number | null;
  /** ISO 8601; the time that the position is computed for. */
  readonly at: string | null;
}

/** A message of HIM, the "HAFAS information manager". */
export interface HafasMessage {
  readonly place: string;
  readonly warning: HafasWarning & { readonly id: string };
  /** As published, with its HTML. */
  readonly title: string | null;
  readonly text: string | null;
  /** Validity periods, where given; else the message's own. ISO 8601. */
  readonly windows: readonly { readonly from: string | null; readonly to: string | null }[];
  readonly lines: readonly HafasLine[];
  readonly stops: readonly HafasPlace[];
  readonly pin: MgatePosition | null;
}
