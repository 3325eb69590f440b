import type { RawSituation } from '../../formats/trias/raw-answer.ts';
import type { NoticeKind } from '../../model/notice-kind.ts';

/** Consequences say more clearly than reasons what riders have to expect. */
const byCondition: Readonly<Record<string, NoticeKind>> = {
  cancelled: 'cancellation',
  noService: 'cancellation',
  serviceReplacement: 'replacementService',
  replacementService: 'replacementService',
  replacementTransport: 'replacementService',
  shuttleService: 'replacementService',
};

const byReason: Readonly<Record<string, NoticeKind>> = {
  constructionWork: 'construction',
  maintenanceWork: 'construction',
  repairWork: 'construction',
  roadworks: 'construction',
  roadMaintenance: 'construction',
  emergencyEngineeringWork: 'construction',
  lateFinishToEngineeringWork: 'construction',
  trackCirculation: 'construction',
  fire: 'emergency',
  bombAlert: 'emergency',
  bombExplosion: 'emergency',
  terroristIncident: 'emergency',
  securityIncident: 'emergency',
  policeRequest: 'emergency',
  policeOrder: 'emergency',
  emergencyServicesCall: 'emergency',
  evacuation: 'emergency',
  gasLeak: 'emergency',
  natural: 'emergency',
  avalanches: 'emergency',
  flooding: 'emergency',
  earthquakeDamage: 'emergency',
};

const ACCESS_REASONS = ['liftFailure', 'escalatorFailure', 'accessibility'];

/** @see SIRI-SX 2.0, ServiceConditionEnumeration and the enumerations of reasons */
export function toNoticeKind({ conditions, reason, progress }: RawSituation): NoticeKind {
  if (progress === 'closing') return 'allClear';
  const condition = conditions.find((name) => Object.hasOwn(byCondition, name));
  if (condition !== undefined) return byCondition[condition]!;
  return reason !== null && Object.hasOwn(byReason, reason) ? byReason[reason]! : 'information';
}

export function isAccessReason(reason: string | null): boolean {
  return reason !== null && ACCESS_REASONS.includes(reason);
}

const bySeverity: Readonly<Record<string, number>> = {
  verySevere: 0,
  severe: 20,
  normal: 50,
  slight: 70,
  verySlight: 85,
  noImpact: 95,
};

/** Where neither severity nor priority is told. */
const USUAL_PRIORITY = 50;

/**
 * Severity where it is told, else the publisher's own priority, of which 1 is the highest and 5 the lowest in use.
 * @returns 0 most urgent … 100 least
 */
export function toPriority({ severity, priority }: RawSituation): number {
  if (severity !== null && Object.hasOwn(bySeverity, severity)) return bySeverity[severity]!;
  if (priority === null || !/^\d{1,3}$/.test(priority)) return USUAL_PRIORITY;
  return Math.min(100, Math.max(0, (Number(priority) - 1) * 25));
}
