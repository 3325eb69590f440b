import type { Instant } from '../../model/service-time.ts';
import type { SharingReport } from '../../model/sharing.ts';

/** The newest report of a kind. */
interface KeptReport {
  /** Part of its request. */
  readonly part: string;
  readonly report: SharingReport;
  /** When the publisher, or we, saw it last. */
  seenAt: Instant;
  /** Whether the publisher dates it, so that a confirmation makes it no newer. */
  readonly isDated: boolean;
}

/** What a sharing system has reported last. */
export interface SharingMemory {
  readonly id: string;
  readonly maxAgeSeconds: number;
  readonly reports: Map<SharingReport['kind'], KeptReport>;
}

/** @returns null if there is none */
export function findReport<Kind extends SharingReport['kind']>(
  { reports }: SharingMemory,
  kind: Kind,
): Extract<SharingReport, { kind: Kind }> | null {
  return (reports.get(kind)?.report as Extract<SharingReport, { kind: Kind }> | undefined) ?? null;
}
