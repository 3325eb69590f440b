import { defineTexts } from './languages.ts';

/** Texts of the pages for those who build on the API. */
export const problemsTexts = defineTexts({
  de: {
    title: 'Fehlercodes',
    before: 'Jeder Fehler dieses Dienstes ist ',
    after:
      'Das Feld code ist stabil und hier aufgelistet, detail ist für Menschen und kann sich ändern, und parameter nennt, ' +
      'falls vorhanden, den fehlerhaften Query-Parameter oder zeigt auf die fehlerhafte Stelle im Body.',
    columns: ['Code', 'Status', 'Bedeutung'],
  },
  en: {
    title: 'Error codes',
    before: 'Every error of this service is ',
    after:
      'The code is stable and listed here, the detail is for people and may change, and the parameter, if present, names ' +
      'the invalid query parameter or points to the invalid member of the body.',
    columns: ['Code', 'Status', 'Meaning'],
  },
});

export const departureBoardTexts = defineTexts({
  de: {
    title: 'Eine Abfahrtstafel in 20 Zeilen',
    intro:
      'Eine Haltestelle nach ihrem Namen, dann ihre Tafel: zwei Anfragen, kein Schlüssel, kein Paket. Mit Node auszuführen, ' +
      'gespeichert als',
    more: 'Was eine Antwort noch enthält:',
    api: 'die API',
    types: 'Typen für andere Sprachen entstehen aus dem OpenAPI-Dokument, etwa mit',
    rest:
      'Jede Zeit ist österreichische Ortszeit mit ihrem Abstand zu UTC. nextPageToken setzt eine Tafel fort, Fehler haben ' +
      'beständige Codes, und ETag mit If-None-Match erspart, was sich nicht geändert hat.',
  },
  en: {
    title: 'A departure board in 20 lines',
    intro: 'Find a stop by name, then load its board: two requests, no API key, no package. Run it with Node, saved as',
    more: 'What else a response contains:',
    api: 'the API',
    types: 'Generate types for other languages from the OpenAPI document, for example with',
    rest:
      'Every time is Austrian local time with its offset. nextPageToken continues a board, errors have stable codes, and ' +
      'ETag with If-None-Match avoids repeated downloads.',
  },
});
