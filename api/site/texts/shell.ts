import { defineTexts } from './languages.ts';

/** Texts around every page. */
export const shellTexts = defineTexts({
  de: {
    menu: 'Hauptmenü',
    skip: 'Zum Inhalt',
    theme: { auto: 'Darstellung: wie im System', light: 'Darstellung: hell', dark: 'Darstellung: dunkel' },
    announcements: 'Mitteilungen',
    more: 'Mehr dazu',
    madeUp:
      'Dies ist eine Demo. Fahrplan, Verspätungen, Störungen, Fahrzeuge und Statistik sind erfunden: von Taktgeber ' +
      'simuliert, von keinem Verkehrsunternehmen gemeldet. Es ist keine echte Quelle eingerichtet.',
    madeUpShort: 'Demo: Alle Daten hier sind erfunden.',
    closeNotice: 'Hinweis schließen',
    morePages: 'Mehr',
    credits: 'Daten und Lizenzen',
    licence: 'Lizenz',
    developers: 'Für Entwicklerinnen und Entwickler',
    guides: 'Anleitungen',
    api: 'API-Referenz',
    twentyLines: 'Abfahrtstafel in 20 Zeilen',
    problems: 'Fehlercodes',
    status: 'Status (JSON)',
    licences: 'Lizenzen der Skripte',
  },
  en: {
    menu: 'Main',
    skip: 'Skip to content',
    theme: { auto: 'Theme: same as system', light: 'Theme: light', dark: 'Theme: dark' },
    announcements: 'Announcements',
    more: 'More on this',
    madeUp:
      'This is a demo. Timetable, delays, disruptions, vehicles and history are made up: simulated by Taktgeber, ' +
      'reported by no operator. No real feed is configured.',
    madeUpShort: 'Demo: all data here is made up.',
    closeNotice: 'Close this notice',
    morePages: 'More',
    credits: 'Data and licences',
    licence: 'licence',
    developers: 'For developers',
    guides: 'Guides',
    api: 'API reference',
    twentyLines: 'A departure board in 20 lines',
    problems: 'Error codes',
    status: 'Status (JSON)',
    licences: 'Licences of the scripts',
  },
});
