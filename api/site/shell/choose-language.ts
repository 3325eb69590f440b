import { isLanguage, type Language, languages } from '../texts/languages.ts';

/** Language preferences in a request. */
interface LanguagePreferences {
  /** Query of the URL, without the question mark. */
  readonly query: string;
  readonly cookie: string | undefined;
  readonly acceptLanguage: string | undefined;
}

/** Chooses the language by `?lang`, then the cookie of the language switch, then `Accept-Language`; default: German. */
export function chooseLanguage({ query, cookie, acceptLanguage }: LanguagePreferences): Language {
  const requested = new URLSearchParams(query).get('lang');
  if (isLanguage(requested)) return requested;
  const [, kept] = /(?:^|;\s*)lang=([a-z]+)(?:;|$)/.exec(cookie ?? '') ?? [];
  return isLanguage(kept) ? kept : findPreferred(acceptLanguage ?? '');
}

/** @see RFC 9110, section 12.5.4 */
function findPreferred(header: string): Language {
  const ranges = header.split(',').map((text) => {
    const [range = '', ...parameters] = text
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return { language: range.split('-')[0], quality: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
  });
  // The sort is stable: languages of equal quality stay in order.
  const wanted = ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  return wanted.map(({ language }) => language).find(isLanguage) ?? languages[0];
}
