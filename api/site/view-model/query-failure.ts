import { exploreTexts } from '../texts/explore.ts';
import type { Language } from '../texts/languages.ts';
import { EXPLORE_SECONDS } from './explore-limits.ts';

type QueryFailure = keyof (typeof exploreTexts)['en']['failures'];

/** Kinds of failure by the engine's message, the first match wins. */
const messages: readonly (readonly [RegExp, QueryFailure])[] = [
  [/disabled by configuration|is not allowed here|^Permission Error/, 'forbidden'],
  [/^there is no statement/, 'empty'],
  [/^there is no table|^Catalog Error/, 'name'],
  [/^Parser Error|syntax error/, 'syntax'],
  [/^Binder Error/, 'column'],
  [/^(Conversion|Invalid Input|Out of Range|Type Mismatch) Error/, 'value'],
  [/^INTERRUPT/i, 'time'],
  [/^Out of Memory Error/, 'memory'],
];

/** Says what is wrong with a query, and what to do next. @param message of the engine */
export function describeQueryFailure(message: string, language: Language): string {
  const kind = messages.find(([pattern]) => pattern.test(message))?.[1] ?? 'other';
  const text = exploreTexts[language].failures[kind];
  return typeof text === 'string' ? text : text(EXPLORE_SECONDS);
}
