import type { NoticeKind } from '../../model/notice-kind.ts';

type Rule = readonly [RegExp, NoticeKind];

/** Endpoints number their categories each in its own way, so the words tell; the first rule that fits counts. */
const rules: readonly Rule[] = [
  [/ersatzverkehr|ersatzbus|\bSEV\b|replacement (?:bus|service)/i, 'replacementService'],
  [/bauarbeit|baustelle|baubedingt|baumaßnahme|gleisbau|brückenbau|weicheneinbau|construction/i, 'construction'],
  [/fällt aus|fallen aus|entfällt|entfallen|eingestellt|cancelled|canceled|suspended/i, 'cancellation'],
];

/** Words that in a long text may well be said of something else: "possible cancellations", "has been resumed". */
const titleRules: readonly Rule[] = [
  ...rules,
  [/behoben|beendet|wieder aufgenommen|resumed/i, 'allClear'],
  [/ausfall|ausfälle/i, 'cancellation'],
];

export function toAlertKind(title: string, text: string): NoticeKind {
  const byTitle = titleRules.find(([pattern]) => pattern.test(title));
  const found = byTitle ?? rules.find(([pattern]) => pattern.test(text));
  return found?.[1] ?? 'information';
}
