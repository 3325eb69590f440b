import { defineTexts } from './languages.ts';

/** Texts of the map. */
export const mapPageTexts = defineTexts({
  de: {
    menu: 'Karte',
    cardSummary: 'Linien, Haltestellen und Fahrzeuge, die sich bewegen.',
    title: 'Karte',
    intro: 'Linien aus dem Fahrplan in ihren Farben, Haltestellen, und Fahrzeuge, wo sie zuletzt gesehen wurden.',
    noScript: 'Die Karte braucht JavaScript; dieselben Fahrzeuge gibt /v1/vehicles.',
    label:
      'Karte der Linien, Haltestellen und Fahrzeuge; Pfeiltasten bewegen sie, Plus und Minus vergrößern. Alles darauf steht in den Listen darunter.',
    vehicles: 'Fahrzeuge im Ausschnitt',
    stops: 'Haltestellen im Ausschnitt',
    nearer: 'Zum Anzeigen von Fahrzeugen die Karte vergrößern.',
    noVehicles: 'Hier ist gerade kein Fahrzeug zu sehen.',
    noStops: 'Zum Anzeigen von Haltestellen die Karte vergrößern.',
    counted: (shown: number, all: number) =>
      shown === all ? `${all} Fahrzeuge` : `${shown} von ${all} Fahrzeugen, die nächsten an der Mitte`,
    unavailable: 'Fahrzeugpositionen sind gerade nicht verfügbar.',
    failed: 'Die Karte konnte nicht geladen werden. Laden Sie die Seite bitte neu; unten steht, was sie zeigt.',
    columns: { line: 'Linie', direction: 'Richtung', seen: 'Gesehen' },
    unknownLine: 'ohne Linie',
    toJourney: (direction: string) => `Fahrt nach ${direction}`,
    journey: 'Fahrt',
    tiles: 'Kartenbild',
    partial: 'Nicht alles in diesem Ausschnitt wird angezeigt.',
  },
  en: {
    menu: 'Map',
    cardSummary: 'Lines, stops and moving vehicles.',
    title: 'Map',
    intro: 'Lines from the timetable in their colours, stops, and vehicles where they were last seen.',
    noScript: 'The map needs JavaScript; /v1/vehicles has the same vehicles.',
    label:
      'Map of lines, stops and vehicles; arrow keys move it, plus and minus zoom. Everything on it is also in the lists below.',
    vehicles: 'Vehicles in view',
    stops: 'Stops in view',
    nearer: 'Zoom in to see vehicles.',
    noVehicles: 'No vehicles here right now.',
    noStops: 'Zoom in to see stops.',
    counted: (shown: number, all: number) =>
      shown === all ? `${all} vehicles` : `${shown} of ${all} vehicles, those nearest to the middle`,
    unavailable: 'Vehicle positions are unavailable right now.',
    failed: 'The map could not be loaded. Please reload the page; the lists below have its content.',
    columns: { line: 'Line', direction: 'Direction', seen: 'Seen' },
    unknownLine: 'without a line',
    toJourney: (direction: string) => `Journey to ${direction}`,
    journey: 'Journey',
    tiles: 'Map picture',
    partial: 'Not everything in this area is shown.',
  },
});
