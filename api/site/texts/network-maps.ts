import { defineTexts } from './languages.ts';

/** Texts of the network maps. */
export const networkMapTexts = defineTexts({
  de: {
    menu: 'Netzpläne',
    cardSummary: 'Linien, Umstiege und alle Stationen, aus dem Fahrplan gezeichnet.',
    title: 'Netzpläne',
    intro:
      'Aus dem Fahrplan gezeichnet: Linien in ihren Farben, alle Stationen mit Namen. Zum Vergrößern, Herunterladen und Aufhängen.',
    nothing:
      'Es gibt noch keine Netzpläne. Sie werden jede Nacht gezeichnet, auf Wunsch sofort mit taktgeber run build-network-maps.',
    validFrom: (date: string) => `gültig ab ${date}`,
    download: 'Herunterladen',
    downloadAs: (format: string, size: string) => `Herunterladen (${format}, ${size})`,
    data: 'Daten',
    picture: (title: string) => `Netzplan ${title}`,
    all: 'Alle Netzpläne',
    view: 'Ausschnitt des Netzplans; die Pfeiltasten bewegen ihn',
    larger: 'Größer',
    smaller: 'Kleiner',
    whole: 'Ganzer Plan',
    isPdf: 'Dieser Plan liegt als PDF vor.',
    open: 'Öffnen',
    unknown: 'Diesen Netzplan gibt es nicht.',
  },
  en: {
    menu: 'Network maps',
    cardSummary: 'Lines, interchanges and all stations, drawn from the timetable.',
    title: 'Network maps',
    intro:
      'Drawn from the timetable: lines in their colours, all stations with their names. Zoom in, download, or print them as posters.',
    nothing: 'No map has been drawn yet. Maps are drawn every night, or by taktgeber run build-network-maps.',
    validFrom: (date: string) => `valid from ${date}`,
    download: 'Download',
    downloadAs: (format: string, size: string) => `Download (${format}, ${size})`,
    data: 'Data',
    picture: (title: string) => `Network map ${title}`,
    all: 'All network maps',
    view: 'Part of the network map; the arrow keys move it',
    larger: 'Larger',
    smaller: 'Smaller',
    whole: 'Whole map',
    isPdf: 'This map is a PDF.',
    open: 'Open',
    unknown: 'There is no such network map.',
  },
});
