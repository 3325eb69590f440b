import { isLanguage, type Language, languages } from '../../texts/languages.ts';

/** The language in which the server rendered the page. */
export function pageLanguage(): Language {
  const { lang } = document.documentElement;
  return isLanguage(lang) ? lang : languages[0];
}
