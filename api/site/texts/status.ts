import { defineTexts } from './languages.ts';

/** Words for what `/v1/status` says. */
export const statusTexts = defineTexts({
  de: {
    components: {
      departures: 'Abfahrten',
      routePlanning: 'Verbindungen',
      map: 'Karte',
      disruptions: 'Störungen',
      punctuality: 'Pünktlichkeit',
      vehiclePositions: 'Fahrzeuge',
      livePredictions: 'Prognosen',
    },
    states: {
      operational: 'in Ordnung',
      degraded: 'eingeschränkt',
      outage: 'ausgefallen',
      paused: 'pausiert',
      unknown: 'noch unbekannt',
    },
    sourceStates: { fresh: 'aktuell', stale: 'veraltet', standby: 'pausiert', never: 'noch nie abgefragt' },
    columns: { source: 'Quelle', state: 'Zustand', last: 'Zuletzt', licence: 'Lizenz' },
    never: 'noch nie',
    failed: 'Der Zustand kann gerade nicht geladen werden. Die Seite versucht es weiter.',
    asOf: (age: string) => `Stand: ${age}`,
  },
  en: {
    components: {
      departures: 'Departures',
      routePlanning: 'Trips',
      map: 'Map',
      disruptions: 'Disruptions',
      punctuality: 'Punctuality',
      vehiclePositions: 'Vehicles',
      livePredictions: 'Predictions',
    },
    states: {
      operational: 'operational',
      degraded: 'degraded',
      outage: 'outage',
      paused: 'paused',
      unknown: 'not known yet',
    },
    sourceStates: { fresh: 'up to date', stale: 'stale', standby: 'paused', never: 'never polled' },
    columns: { source: 'Source', state: 'State', last: 'Last response', licence: 'Licence' },
    never: 'never',
    failed: 'The status cannot be loaded right now. The page will keep trying.',
    asOf: (age: string) => `As of ${age}`,
  },
});
