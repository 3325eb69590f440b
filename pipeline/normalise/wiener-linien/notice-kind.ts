import type { NoticeKind } from '../../model/notice-kind.ts';

interface Category {
  /** 0 most urgent … 100 least. */
  readonly priority: number;
  /** What it is about, where that is a way to the platform; begins its title. */
  readonly facility: 'Aufzug' | 'Fahrtreppe' | null;
}

/** What the publisher's categories weigh: what stops vehicles first, then ways to them, then what is to come. */
const categories: ReadonlyMap<string, Category> = new Map([
  // Said by the control centre, for whole lines.
  ['stoerunglang', { priority: 20, facility: null }],
  // Shown at single platforms.
  ['stoerungkurz', { priority: 30, facility: null }],
  ['aufzugsinfo', { priority: 50, facility: 'Aufzug' }],
  ['fahrtreppeninfo', { priority: 55, facility: 'Fahrtreppe' }],
  ['information', { priority: 60, facility: null }],
  ['news', { priority: 70, facility: null }],
  ['aktuelles', { priority: 70, facility: null }],
  ['aufzugsservice', { priority: 75, facility: 'Aufzug' }],
]);

const unknownCategory: Category = { priority: 60, facility: null };
const PRIORITY_OF_THE_RESOLVED = 90;

/** What headlines say, the first that fits: categories tell how long something lasts, not what it is. */
const wordsOfKinds: readonly (readonly [RegExp, NoticeKind])[] = [
  [/ersatzverkehr|ersatzbus|ersatzlinie|ersatzhaltestelle/i, 'replacementService'],
  [/bauarbeit|baustelle|gleisbau|sanierung|erneuerung|umbau/i, 'construction'],
  [/kein betrieb|eingestellt|entfällt/i, 'cancellation'],
  [/rettungseinsatz|feuerwehreinsatz|polizeieinsatz|evakuierung/i, 'emergency'],
];

export function isKnownCategory(name: string): boolean {
  return categories.has(name);
}

export function getCategory(name: string | null): Category {
  return categories.get(name ?? '') ?? unknownCategory;
}

/** @param headline the title as people read it */
export function findNoticeKind(headline: string, isResolved: boolean): NoticeKind {
  if (isResolved) return 'allClear';
  return wordsOfKinds.find(([words]) => words.test(headline))?.[1] ?? 'information';
}

/**
 * The priority of a category, raised within it by what the publisher tells (1 is its most urgent); what is over comes
 * after everything else.
 */
export function findPriority(category: Category, told: string | undefined, isResolved: boolean): number {
  if (isResolved) return PRIORITY_OF_THE_RESOLVED;
  const rank = told !== undefined && /^[1-4]$/.test(told) ? Number(told) - 1 : 0;
  return category.priority + rank;
}
