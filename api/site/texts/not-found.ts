import { defineTexts } from './languages.ts';

/** Texts of the page for unknown paths. */
export const notFoundTexts = defineTexts({
  de: {
    title: 'Hier hält nichts',
    reason:
      'Diese Adresse gibt es bei uns nicht. Vielleicht fehlt ein Zeichen, oder die Seite ist umgezogen. ' +
      'Von hier kommen Sie weiter:',
    next: 'Weiterfahren nach',
    start: 'Startseite',
  },
  en: {
    title: 'Nothing stops here',
    reason:
      'There is no page at this address. A character may be missing, or the page may have moved. Carry on from here:',
    next: 'Continue to',
    start: 'Start page',
  },
});
