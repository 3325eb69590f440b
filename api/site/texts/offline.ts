import { defineTexts } from './languages.ts';

/** Texts of the page that is shown without a network. */
export const offlineTexts = defineTexts({
  de: {
    title: 'Keine Verbindung',
    reason: 'Ohne Internet ist Taktgeber nicht erreichbar. Sobald Sie wieder verbunden sind, geht es hier weiter.',
    board: 'Zur zuletzt geöffneten Abfahrtstafel',
    note: 'Die Tafel zeigt den Stand beim letzten Öffnen.',
    retry: 'Noch einmal versuchen',
  },
  en: {
    title: 'No connection',
    reason:
      'Taktgeber cannot be reached without an internet connection. Once you are back online, you can continue here.',
    board: 'Open the last departure board',
    note: 'The board shows the departures as they were when you last opened it.',
    retry: 'Try again',
  },
});
