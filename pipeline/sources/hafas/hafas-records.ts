import type { Problem } from '../../model/problem.ts';
import type { HafasHint, HafasLine, HafasPlace, HafasStopover, HafasWarning } from './load-profile.ts';
import type { JsonObject, MgatePosition } from './mgate-answer.ts';

/** What an answer holds: hafas-client's records, and beside each the raw one with what the library leaves out. */
export interface HafasRecords {
  readonly runs: readonly HafasRun[];
  readonly movements: readonly HafasMovement[];
  readonly messages: readonly HafasMessage[];
  /** When the publisher's realtime was last updated, seconds since 1970; else its clock as ISO 8601. */
  readonly updatedAt: { readonly realtimeSeconds: number | null; readonly serverTime: string | null };
  /** `YYYYMMDD`; which timetable it answers from. */
  readonly timetable: { readonly begin: string; readonly end: string } | null;
  /** Entries of boards, trips, vehicles and messages, refused ones included. */
  readonly recordCount: number;
  readonly problems: readonly Omit<Problem, 'source'>[];
}

/** One trip of one day, as far as the answer tells it. */
export interface HafasRun {
  /** Where it stands in the answer. */
  readonly place: string;
  /** The endpoint's reference of the dated trip. */
  readonly jid: string | null;
  /** `YYYYMMDD`, the day that the trip belongs to. */
  readonly startDate: string | null;
  /** Its calls begin with the trip's first. */
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
  readonly raw: JsonObject;
  readonly remarks: readonly HafasRemark[];
}

/** A pointer from a trip or a call to news about it. */
export type HafasRemark =
  | { readonly kind: 'message'; readonly id: string; readonly isGlobal: boolean }
  | { readonly kind: 'hint'; readonly hint: HafasHint };

export interface HafasMovement extends MgatePosition {
  readonly run: HafasRun;
  /** 32nds of a circle counter-clockwise from east. */
  readonly direction: number | null;
  /** ISO 8601; the moment that the map shows. */
  readonly at: string | null;
}

/** A message of HIM, the "HAFAS information manager". */
export interface HafasMessage {
  readonly place: string;
  readonly warning: HafasWarning & { readonly id: string };
  /** As published, with its HTML. */
  readonly title: string | null;
  readonly text: string | null;
  /** Validity in parts, where told; else the warning's own. ISO 8601. */
  readonly windows: readonly { readonly from: string | null; readonly to: string | null }[];
  readonly lines: readonly HafasLine[];
  readonly stops: readonly HafasPlace[];
  readonly pin: MgatePosition | null;
}
