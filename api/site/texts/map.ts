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
    nearer: 'Fahrzeuge sind zu sehen, wenn die Karte näher ist.',
    noVehicles: 'Hier ist gerade kein Fahrzeug zu sehen.',
    noStops: 'Haltestellen sind zu sehen, wenn die Karte näher ist.',
    counted: (shown: number, all: number) =>
      shown === all ? `${all} Fahrzeuge` : `${shown} von ${all} Fahrzeugen, die nächsten an der Mitte`,
    unavailable: 'Die Positionen der Fahrzeuge sind gerade nicht zu haben.',
    failed: 'Die Karte konnte nicht geladen werden.',
    columns: { line: 'Linie', direction: 'Richtung', seen: 'Gesehen' },
    unknownLine: 'ohne Linie',
    toJourney: (direction: string) => `Fahrt nach ${direction}`,
    journey: 'Fahrt',
    tiles: 'Kartenbild',
    partial: 'Nicht alles in diesem Ausschnitt ist gezeichnet.',
  },
  en: {
    menu: 'Map',
    cardSummary: 'Lines, stops, and vehicles that move.',
    title: 'Map',
    intro: 'Lines from the timetable in their colours, stops, and vehicles where they were last seen.',
    noScript: 'The map needs JavaScript; /v1/vehicles has the same vehicles.',
    label:
      'Map of lines, stops and vehicles; arrow keys move it, plus and minus zoom. All that is on it is in the lists below.',
    vehicles: 'Vehicles in view',
    stops: 'Stops in view',
    nearer: 'Vehicles are seen when the map is nearer.',
    noVehicles: 'No vehicle is seen here at present.',
    noStops: 'Stops are seen when the map is nearer.',
    counted: (shown: number, all: number) =>
      shown === all ? `${all} vehicles` : `${shown} of ${all} vehicles, those nearest to the middle`,
    unavailable: 'The positions of vehicles cannot be had at the moment.',
    failed: 'The map could not be loaded.',
    columns: { line: 'Line', direction: 'Direction', seen: 'Seen' },
    unknownLine: 'without a line',
    toJourney: (direction: string) => `Journey to ${direction}`,
    journey: 'Journey',
    tiles: 'Map picture',
    partial: 'Not everything in this section is drawn.',
  },
});
