import type { NoticeKind } from './realtime.ts';

type Rule = readonly [RegExp, NoticeKind];

/** Words with one meaning wherever they occur. The first matching rule applies. */
const rules: readonly Rule[] = [
  [
    /ersatzverkehr|ersatzbus|ersatzlinie|ersatzhaltestelle|\bSEV\b|replacement (?:bus|service)|rail replacement/i,
    'replacementService',
  ],
  [
    /bauarbeit|baustelle|baubedingt|baumaßnahme|gleisbau|brückenbau|weicheneinbau|construction|engineering works?/i,
    'construction',
  ],
  [/fällt aus|fallen aus|entfällt|entfallen|eingestellt|kein betrieb|cancelled|canceled|suspended/i, 'cancellation'],
  [
    /(?:rettungs|notarzt|feuerwehr|polizei)einsatz|evakuierung|bombendrohung|medical emergency|police (?:operation|activity)|evacuation|fire brigade/i,
    'emergency',
  ],
  [/ladezeit|verladezeit|loading times?/i, 'loadingTime'],
];

/** Matched in titles only: long texts use them in other senses, "possible cancellations", "in an emergency". */
const titleRules: readonly Rule[] = [
  [/behoben|beendet|wieder aufgenommen|wieder normalbetrieb|entwarnung|resumed|all clear|resolved/i, 'allClear'],
  ...rules,
  [/ausfall|ausfälle/i, 'cancellation'],
  [/sanierung|erneuerung|umbau/i, 'construction'],
  [/notfall|\bemergency\b/i, 'emergency'],
  [/ankündigung|fahrplanwechsel|neuer fahrplan|announcement|new timetable/i, 'announcement'],
];

/**
 * The kind of a notice by its German or English words: those of the title before those of the text.
 * @returns null without such a word
 */
export function findKindByWords(title: string, text: string): NoticeKind | null {
  const found = titleRules.find(([words]) => words.test(title)) ?? rules.find(([words]) => words.test(text));
  return found?.[1] ?? null;
}

const SPECIAL_SERVICE = /\bsonder(?:zug|züge|fahrt|bus|straßenbahn|verkehr)\b|\bspecial (?:train|service|bus)\b/i;

/** Whether a text shown on a vehicle, or about it, marks it as a special service. */
export function isSpecialService(text: string | null): boolean {
  return text !== null && SPECIAL_SERVICE.test(text);
}
