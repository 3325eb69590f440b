import type { Language } from '../../texts/languages.ts';

const steps = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats an age in the largest unit that fits: "12 sec. ago". */
export function formatAge(seconds: number, language: Language): string {
  const age = Math.max(0, Math.round(seconds));
  const [unit, size] = steps.find(([, length]) => age >= length) ?? steps[3];
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'always', style: 'short' });
  return format.format(-Math.floor(age / size), unit);
}
