import type { WatchLanguage, WatchSpec } from '../watch.ts';
import { englishTexts } from './english-texts.ts';
import type { EventTexts } from './event-texts.ts';
import { germanTexts } from './german-texts.ts';

const byLanguage: Readonly<Record<WatchLanguage, EventTexts>> = { de: germanTexts, en: englishTexts };

/** The texts of the events of a watch. */
export function textsOf({ language = 'de' }: Pick<WatchSpec, 'language'>): EventTexts {
  return byLanguage[language];
}
