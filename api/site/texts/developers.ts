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

/** Texts around the reference of the API, which is in English. */
export const docsTexts = defineTexts({
  de: {
    title: 'API-Dokumentation',
    intro:
      'Jede Route mit ihren Parametern, Antworten und Fehlern, auf Englisch. Dasselbe für Programme, etwa um Typen zu erzeugen:',
    tryNote:
      '„Try it out“ schickt die Anfrage von dieser Seite ab. /v2 nimmt von Browsern keine POST-Anfragen an, deshalb gehen sie ' +
      'hier an eine Kopie der Route unter /site/data/try. Der angezeigte curl-Befehl nutzt die echte Adresse.',
    routes: 'Alle Routen',
    noScript: 'Die Referenz braucht JavaScript. Das OpenAPI-Dokument enthält dasselbe.',
    tabs: { guides: 'Anleitungen', reference: 'Referenz' },
  },
  en: {
    title: 'API documentation',
    intro:
      'Every route with its parameters, responses and errors. The same for programs, for example to generate types:',
    tryNote:
      '“Try it out” sends the request from this page. /v2 accepts no POST requests from browsers, so here they go to a ' +
      'copy of the route under /site/data/try. The curl command shows the real address.',
    routes: 'All routes',
    noScript: 'The reference needs JavaScript. The OpenAPI document has the same content.',
    tabs: { guides: 'Guides', reference: 'Reference' },
  },
});

export const departureBoardTexts = defineTexts({
  de: {
    title: 'Eine Abfahrtstafel in 20 Zeilen',
    intro:
      'Erst die Haltestelle nach ihrem Namen suchen, dann ihre Tafel laden: zwei Anfragen, ohne Schlüssel und ohne Paket. ' +
      'Speichern Sie dieses Programm für Node als',
    more: 'Was eine Antwort noch enthält:',
    api: 'die API',
    types: 'Typen für andere Sprachen erzeugen Sie aus dem OpenAPI-Dokument, etwa mit',
    rest:
      'Alle Zeiten sind österreichische Ortszeit mit ihrer Abweichung von UTC. nextPageToken setzt eine Tafel fort, Fehler haben ' +
      'stabile Codes, und mit ETag und If-None-Match laden Sie eine Antwort nur neu, wenn sie sich geändert hat.',
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
