import { defineTexts } from './languages.ts';

/** Texts of the pages for those who build on the API. */
export const problemsTexts = defineTexts({
  de: {
    title: 'Fehlercodes',
    before: 'Jeder Fehler dieses Dienstes ist ',
    after:
      'Sein code ist beständig und hier aufgelistet, sein detail ist für Menschen und kann sich ändern, und sein parameter ' +
      'nennt, wo es einen gibt, den falschen Parameter der Adresse oder zeigt auf die falsche Stelle des Körpers.',
    columns: ['Code', 'Status', 'Bedeutung'],
  },
  en: {
    title: 'Error codes',
    before: 'Every error of this service is ',
    after:
      'Its code is stable and listed here, its detail is for a person and may change, and its parameter, where there is ' +
      'one, names the query parameter or points into the body at the member that was wrong.',
    columns: ['Code', 'Status', 'Meaning'],
  },
});

export const departureBoardTexts = defineTexts({
  de: {
    title: 'Eine Abfahrtstafel in 20 Zeilen',
    intro:
      'Eine Haltestelle nach ihrem Namen, dann ihre Tafel: zwei Anfragen, kein Schlüssel, kein Paket. Mit Node auszuführen, ' +
      'gespeichert als',
    more: 'Was eine Antwort sonst enthält:',
    api: 'die API',
    types: 'Typen für andere Sprachen entstehen aus dem OpenAPI-Dokument, etwa mit',
    rest:
      'Jede Zeit ist österreichische Ortszeit mit ihrem Abstand zu UTC. nextPageToken setzt eine Tafel fort, Fehler haben ' +
      'beständige Codes, und ETag mit If-None-Match erspart, was sich nicht geändert hat.',
  },
  en: {
    title: 'A departure board in 20 lines',
    intro: 'A stop by its name, then its board: two requests, no key, no package. To be run with Node, saved as',
    more: 'What else an answer holds:',
    api: 'the API',
    types: 'Types for other languages come from the OpenAPI document, such as by',
    rest:
      'Every time is Austrian local time with its offset. nextPageToken continues a board, errors have stable codes, and ' +
      'ETag with If-None-Match saves what has not changed.',
  },
});
