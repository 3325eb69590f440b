import { isLanguage, type Language, languages } from '../../texts/languages.ts';

/** The language that the server has made the page in. */
export function pageLanguage(): Language {
  const { lang } = document.documentElement;
  return isLanguage(lang) ? lang : languages[0];
}
