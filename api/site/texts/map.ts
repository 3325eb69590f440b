import { defineTexts } from './languages.ts';

/** Texts of the map. */
export const mapPageTexts = defineTexts({
  de: {
    menu: 'Karte',
    cardSummary: 'Linien, Haltestellen und Fahrzeuge in Bewegung.',
    title: 'Karte',
    intro:
      'Linien in ihren Farben, Haltestellen und Fahrzeuge dort, wo sie zuletzt gemeldet wurden; ihre Farbe zeigt die Verspätung.',
    search: 'Auf der Karte suchen',
    filter: 'Verkehrsmittel auf der Karte',
    groups: {
      rail: 'Bahn',
      metro: 'U-Bahn',
      tram: 'Straßenbahn',
      bus: 'Bus',
      ship: 'Schiff',
      cableway: 'Seilbahn',
      other: 'Sonstige',
      sharing: 'Leihräder',
    },
    legend: 'Verspätung der Fahrzeuge',
    delays: {
      onTime: 'pünktlich',
      late: '2–4 min zu spät',
      veryLate: 'ab 5 min',
      early: 'zu früh',
      unknown: 'Verspätung unbekannt',
    },
    seen: (age: string) => `Gesehen: ${age}`,
    noScript: 'Die Karte braucht JavaScript; dieselben Fahrzeuge liefert /v1/vehicles.',
    label:
      'Karte der Linien, Haltestellen und Fahrzeuge; Pfeiltasten verschieben sie, Plus und Minus vergrößern. Alles darauf steht in den Listen darunter.',
    vehicles: 'Fahrzeuge im Ausschnitt',
    stops: 'Haltestellen im Ausschnitt',
    sharing: 'Leihräder im Ausschnitt',
    noSharing: 'Hier gibt es keine Leihstation.',
    sharingNearer: 'Vergrößern Sie die Karte, um Leihräder zu sehen.',
    bikes: (n: number) => (n === 0 ? 'keine Räder' : n === 1 ? '1 Rad' : `${n} Räder`),
    docks: (n: number) => (n === 0 ? 'kein freier Platz' : n === 1 ? '1 freier Platz' : `${n} freie Plätze`),
    tripFrom: 'Verbindung von hier',
    tripTo: 'Verbindung hierher',
    openJourney: 'Zur Fahrt',
    allDepartures: 'Alle Abfahrten',
    loadingDepartures: 'Abfahrten werden geladen …',
    close: 'Schließen',
    noVehicles: 'Hier ist gerade kein Fahrzeug zu sehen.',
    noStops: 'Vergrößern Sie die Karte, um Haltestellen zu sehen.',
    counted: (shown: number, all: number) =>
      shown === all
        ? all === 1
          ? '1 Fahrzeug'
          : `${all} Fahrzeuge`
        : `${shown} von ${all} Fahrzeugen, der Mitte am nächsten`,
    unavailable: 'Fahrzeugpositionen sind gerade nicht verfügbar.',
    failed:
      'Die Karte konnte nicht geladen werden. Laden Sie die Seite bitte neu. Was sie zeigt, steht auch in den Listen unten.',
    columns: { line: 'Linie', direction: 'Richtung', delay: 'Verspätung', seen: 'Gesehen' },
    unknownLine: 'ohne Linie',
    toJourney: (direction: string) => `Fahrt nach ${direction}`,
    journey: 'Fahrt',
    tiles: 'Hintergrundkarte',
    partial: 'Nicht alles in diesem Ausschnitt wird angezeigt.',
  },
  en: {
    menu: 'Map',
    cardSummary: 'Lines, stops and moving vehicles.',
    title: 'Map',
    intro: 'Lines in their colours, stops, and vehicles where they were last seen, coloured by their delay.',
    search: 'Search the map',
    filter: 'Modes of transport on the map',
    groups: {
      rail: 'Rail',
      metro: 'Metro',
      tram: 'Tram',
      bus: 'Bus',
      ship: 'Boat',
      cableway: 'Cable car',
      other: 'Other',
      sharing: 'Shared bicycles',
    },
    legend: 'Delay of the vehicles',
    delays: {
      onTime: 'on time',
      late: '2–4 min late',
      veryLate: '5 min or more',
      early: 'early',
      unknown: 'delay unknown',
    },
    seen: (age: string) => `Seen ${age}`,
    noScript: 'The map needs JavaScript; /v1/vehicles has the same vehicles.',
    label:
      'Map of lines, stops and vehicles; arrow keys move it, plus and minus zoom. Everything on it is also in the lists below.',
    vehicles: 'Vehicles in view',
    stops: 'Stops in view',
    sharing: 'Shared bicycles in view',
    noSharing: 'There is no sharing station here.',
    sharingNearer: 'Zoom in to see shared bicycles.',
    bikes: (n: number) => (n === 0 ? 'no bicycles' : n === 1 ? '1 bicycle' : `${n} bicycles`),
    docks: (n: number) => (n === 0 ? 'no free dock' : n === 1 ? '1 free dock' : `${n} free docks`),
    tripFrom: 'Trip from here',
    tripTo: 'Trip to here',
    openJourney: 'Open the journey',
    allDepartures: 'All departures',
    loadingDepartures: 'Loading departures …',
    close: 'Close',
    noVehicles: 'No vehicles here right now.',
    noStops: 'Zoom in to see stops.',
    counted: (shown: number, all: number) =>
      shown === all
        ? all === 1
          ? '1 vehicle'
          : `${all} vehicles`
        : `${shown} of ${all} vehicles, those nearest the centre`,
    unavailable: 'Vehicle positions are unavailable right now.',
    failed: 'The map could not be loaded. Please reload the page. The lists below show the same content.',
    columns: { line: 'Line', direction: 'Direction', delay: 'Delay', seen: 'Seen' },
    unknownLine: 'no line',
    toJourney: (direction: string) => `Journey to ${direction}`,
    journey: 'Journey',
    tiles: 'Background map',
    partial: 'Not everything in this area is shown.',
  },
});
