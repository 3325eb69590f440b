import type { Instant } from '../../model/service-time.ts';
import type { SharingReport } from '../../model/sharing.ts';

/** The latest report of one kind. */
interface KeptReport {
  /** The part that was requested. */
  readonly part: string;
  readonly report: SharingReport;
  /** Time of publication if the file has one, else the time of the last request. */
  seenAt: Instant;
  /** Whether the file has a time of publication; a confirmation then does not make it newer. */
  readonly isDated: boolean;
}

/** The latest reports of a sharing system. */
export interface SharingMemory {
  readonly id: string;
  readonly maxAgeSeconds: number;
  readonly reports: Map<SharingReport['kind'], KeptReport>;
}

/** @returns `null` if there is none */
export function findReport<Kind extends SharingReport['kind']>(
  { reports }: SharingMemory,
  kind: Kind,
): Extract<SharingReport, { kind: Kind }> | null {
  return (reports.get(kind)?.report as Extract<SharingReport, { kind: Kind }> | undefined) ?? null;
}
