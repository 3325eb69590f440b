/** Languages of the pages, the default first. */
export const languages = ['de', 'en'] as const;
export type Language = (typeof languages)[number];

/** The same in each language. */
export type Translations<Texts> = Readonly<Record<Language, Texts>>;

/** Texts of a page: those of the second language have the shape of the first, so none can be missing. */
export function defineTexts<Texts>(texts: { readonly de: Texts; readonly en: NoInfer<Texts> }): Translations<Texts> {
  return texts;
}

export function isLanguage(text: string | null | undefined): text is Language {
  return languages.some((language) => language === text);
}
