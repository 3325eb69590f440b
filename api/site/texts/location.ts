import { defineTexts } from './languages.ts';

/** Texts about the position of the user. */
export const locationTexts = defineTexts({
  de: {
    here: 'Mein Standort',
    locating: 'Ihr Standort wird ermittelt …',
    notLocated:
      'Ihr Standort lässt sich nicht ermitteln. Erlauben Sie im Browser den Zugriff darauf, oder suchen Sie nach einem Namen.',
  },
  en: {
    here: 'My location',
    locating: 'Finding your location …',
    notLocated: 'Your location could not be determined. Allow access to it in the browser, or search for a name.',
  },
});
