import { defineTexts } from './languages.ts';

/** Texts of the page that is shown without a network. */
export const offlineTexts = defineTexts({
  de: {
    title: 'Keine Verbindung',
    reason: 'Ohne Internet erreichen wir Taktgeber nicht. Sobald Sie wieder verbunden sind, geht es hier weiter.',
    board: 'Zur zuletzt geöffneten Abfahrtstafel',
    note: 'Die Tafel zeigt den Stand, den sie beim letzten Öffnen hatte.',
    retry: 'Noch einmal versuchen',
  },
  en: {
    title: 'No connection',
    reason: 'Taktgeber cannot be reached without the internet. Once you are back online, you can carry on here.',
    board: 'To the board that you opened last',
    note: 'The board shows what it knew when it was opened.',
    retry: 'Try again',
  },
});
