import { defineTexts } from './languages.ts';

export const punctualityTexts = defineTexts({
  de: { menu: 'Pünktlichkeit', title: 'Pünktlichkeit' },
  en: { menu: 'Punctuality', title: 'Punctuality' },
});
