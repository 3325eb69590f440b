import type { Alert, TranslatedImage, TranslatedString } from '../../formats/gtfs-rt/feed-message.ts';
import type { NoticeKind } from '../../model/notice-kind.ts';
import { toPlainLine, toPlainText } from '../../model/plain-text.ts';

/** GTFS-Realtime has no word for buses in place of trains; publishers say it in their own. */
const REPLACEMENT_SERVICE = /ersatzverkehr|\breplacement (bus|service)/i;

/**
 * Kind of an alert, by its cause and effect; works come before what they lead to. There is no counterpart of loading
 * times and of the end of a disturbance.
 */
export function kindOf({ cause, effect, effectDetail }: Pick<Alert, 'cause' | 'effect' | 'effectDetail'>): NoticeKind {
  if (REPLACEMENT_SERVICE.test(pickLine(effectDetail) ?? '')) return 'replacementService';
  if (cause === 'CONSTRUCTION' || cause === 'MAINTENANCE') return 'construction';
  if (effect === 'NO_SERVICE') return 'cancellation';
  if (cause === 'ACCIDENT' || cause === 'POLICE_ACTIVITY' || cause === 'MEDICAL_EMERGENCY') return 'emergency';
  if (effect === 'NO_EFFECT') return 'announcement';
  return isTelling(effect) || isTelling(cause) ? 'information' : 'other';
}

/** The publisher's own word for the kind: cause before effect, a name of the reference before words of its own. */
export function categoryOf({ cause, causeDetail, effect, effectDetail }: Alert): string | null {
  if (isTelling(cause)) return cause;
  return pickLine(causeDetail) ?? (isTelling(effect) ? effect : pickLine(effectDetail));
}

const WORDS_FOR_NOTHING = ['UNKNOWN_CAUSE', 'OTHER_CAUSE', 'UNKNOWN_EFFECT', 'OTHER_EFFECT'];

function isTelling(word: string | number | undefined): word is string {
  return typeof word === 'string' && !WORDS_FOR_NOTHING.includes(word);
}

/** From SEVERE = 10 to INFO = 70; what is of unknown severity lies between WARNING and INFO. */
export function priorityOf({ severityLevel }: Pick<Alert, 'severityLevel'>): number {
  switch (severityLevel) {
    case 'SEVERE':
      return 10;
    case 'WARNING':
      return 30;
    case 'INFO':
      return 70;
    default:
      return 50;
  }
}

/** The German text, else the one without a language, else the English one, else the first; null without any. */
export function pickText(text: TranslatedString | undefined): string | null {
  return pick(text, toPlainText);
}

/** As `pickText`, in one line. */
export function pickLine(text: TranslatedString | undefined): string | null {
  return pick(text, toPlainLine);
}

/** As `pickText`, with nothing done to it but trimming: an ampersand of an address begins no entity. */
export function pickAddress(text: TranslatedString | undefined): string | null {
  return pick(text, (address) => address.trim());
}

/** Address of the picture, in the language that texts are taken from. */
export function pickImage(image: TranslatedImage | undefined): string | null {
  return pickLanguage(image?.localizedImage ?? [])?.url ?? null;
}

function pick(text: TranslatedString | undefined, clean: (text: string) => string): string | null {
  const translations = (text?.translation ?? []).map((one) => ({ ...one, text: clean(one.text) }));
  return pickLanguage(translations.filter((one) => one.text !== ''))?.text ?? null;
}

function pickLanguage<Item extends { readonly language?: string }>(items: readonly Item[]): Item | undefined {
  const speaks = (pattern: RegExp) => items.find(({ language }) => pattern.test(language ?? ''));
  return speaks(/^de(-|$)/i) ?? speaks(/^$/) ?? speaks(/^en(-|$)/i) ?? items[0];
}
