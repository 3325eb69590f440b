import { defineTexts } from './languages.ts';

/** `1 Minute`, `2 Minuten`. */
const minuten = (n: number) => (n === 1 ? '1 Minute' : `${n} Minuten`);
const minutes = (n: number) => (n === 1 ? '1 minute' : `${n} minutes`);

/** Time to spare, in minutes if it is short. */
const reserve = (n: number) =>
  n === 0
    ? 'weniger als 1 Minute'
    : n < 60
      ? minuten(n)
      : n < 120
        ? 'mehr als 1 Stunde'
        : `${Math.floor(n / 60)} Stunden`;
const spare = (n: number) =>
  n === 0 ? 'less than 1 minute' : n < 60 ? minutes(n) : n < 120 ? 'more than 1 hour' : `${Math.floor(n / 60)} hours`;

/** Whole percent of an estimate, which is never certain. */
const estimate = (percent: number, above: string, below: string) =>
  percent > 99 ? `${above} 99` : percent < 1 ? `${below} 1` : `${percent}`;
const anteil = (percent: number) => `${estimate(percent, 'über', 'unter')} %`;
const share = (percent: number) => `${estimate(percent, 'more than', 'less than')}%`;

/** Distance of a leg; from 1 km on in kilometres. */
const distance = (meters: number, locale: string) =>
  meters < 1000
    ? `${meters} m`
    : `${(meters / 1000).toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} km`;
const strecke = (meters: number) => distance(meters, 'de-AT');
const length = (meters: number) => distance(meters, 'en');

/** The trip after a missed transfer; `later` is in minutes, `null` if unknown. */
interface PlanB {
  readonly line: string | null;
  readonly departure: string;
  readonly arrival: string;
  readonly later: number | null;
}

/** Texts of the page on which trips are planned and followed. */
export const tripsTexts = defineTexts({
  de: {
    menu: 'Verbindungen',
    card: 'Von Tür zu Tür: wie sicher jeder Umstieg klappt und was Sie tun können, wenn nicht.',
    title: 'Verbindungen',
    form: {
      label: 'Verbindung suchen',
      from: 'Von',
      to: 'Nach',
      swap: 'Start und Ziel tauschen',
      via: 'Über',
      via2: 'Danach über',
      addVia: 'Zwischenhalt hinzufügen',
      addViaShort: 'Zwischenhalt',
      pick: {
        open: 'Auf der Karte wählen',
        close: 'Karte schließen',
        label: 'Karte zum Auswählen',
        hint: 'Tippen Sie auf eine Haltestelle oder eine andere Stelle der Karte. Haltestellen erscheinen, wenn Sie die Karte vergrößern.',
        failed: 'Die Karte konnte nicht geladen werden. Die Felder oben funktionieren auch ohne sie.',
      },
      removeVia: (name: string) => `Zwischenhalt ${name} entfernen`,
      when: 'Wann',
      now: 'Jetzt',
      departure: 'Abfahrt ab',
      arrival: 'Ankunft bis',
      time: 'Datum und Uhrzeit',
      wheelchair: 'Mit Rollstuhl',
      mode: 'Zur Haltestelle',
      modes: {
        walk: 'zu Fuß',
        bike: 'mit dem Rad (dort abstellen)',
        bikeOnBoard: 'mit dem Rad (mitnehmen)',
        sharedBike: 'mit dem Leihrad',
        parkAndRide: 'mit dem Auto (Park & Ride)',
        kissAndRide: 'mit dem Auto (hinbringen lassen)',
      },
      point: (place: string) => `Standort ${place}`,
      submit: 'Suchen',
      edit: 'Ändern',
      missing: 'Wählen Sie Start und Ziel aus den Vorschlägen.',
      missingVia: 'Wählen Sie auch den Zwischenhalt aus den Vorschlägen, oder lassen Sie das Feld leer.',
      notFound: (name: string) => `Zu „${name}“ haben wir nichts gefunden. Ist der Name richtig geschrieben?`,
    },
    list: {
      label: 'Mögliche Verbindungen',
      searching: 'Verbindungen werden gesucht …',
      found: (n: number) => (n === 1 ? '1 Verbindung gefunden' : `${n} Verbindungen gefunden`),
      none: 'In diesem Zeitraum fährt nichts. Versuchen Sie es mit einer anderen Zeit oder einem Ort in der Nähe.',
      earlier: 'Früher',
      later: 'Später',
      all: 'Alle Verbindungen anzeigen',
      fewer: 'Weniger Verbindungen anzeigen',
      refresh: 'Neu suchen',
    },
    trip: {
      label: 'Gewählte Verbindung',
      loading: 'Verbindung wird geladen …',
      back: 'Alle Verbindungen',
      hoursMinutes: (hours: number, rest: number) => (hours === 0 ? `${rest} min` : `${hours} h ${rest} min`),
      changes: (n: number) => (n === 0 ? 'ohne Umstieg' : n === 1 ? '1 Umstieg' : `${n} Umstiege`),
      arrival: 'Ankunft',
      nextDay: (n: number) => (n === 1 ? 'am nächsten Tag' : `${n} Tage später`),
      direction: (headsign: string) => `Richtung ${headsign}`,
      calls: (n: number) => (n === 1 ? '1 Halt dazwischen' : `${n} Halte dazwischen`),
      cancelled: 'fällt aus',
      callCancelled: 'kein Halt',
      stay: (name: string) => `In ${name} sitzen bleiben: Das Fahrzeug fährt weiter als`,
      ways: {
        walk: { name: 'Zu Fuß', along: (min: number, meters: number) => `${min} min zu Fuß, ${strecke(meters)}` },
        bike: {
          name: 'Mit dem Rad',
          along: (min: number, meters: number) => `${min} min mit dem Rad, ${strecke(meters)}`,
        },
        car: {
          name: 'Mit dem Auto',
          along: (min: number, meters: number) => `${min} min mit dem Auto, ${strecke(meters)}`,
        },
      },
      via: (stops: string) => `über ${stops}`,
      whole: 'Der ganze Weg',
      carPark: 'P+R',
      walkTo: (name: string) => `nach ${name}`,
      transfer: 'Umsteigen',
      wait: (min: number) => `${minuten(min)} warten`,
      steps: 'Wegbeschreibung',
      straight: 'Luftlinie',
      fareNote: 'günstigste Fahrkarten ohne Ermäßigung',
      fareUnknown: 'Preis unbekannt',
      marks: {
        fastest: 'Schnellste',
        safest: 'Sicherste',
        fewestTransfers: 'Wenigste Umstiege',
        cheapest: 'Günstigste',
      },
      watch: {
        start: 'Verbindung beobachten',
        stop: 'Nicht mehr beobachten',
        on: 'Sie bekommen eine Nachricht, wenn sich etwas ändert.',
        denied:
          'Benachrichtigungen sind für diese Seite blockiert. Erlauben Sie sie bitte in den Einstellungen des Browsers.',
        failed:
          'Ihr Browser konnte die Benachrichtigungen nicht einschalten. Versuchen Sie es bitte später noch einmal.',
      },
      print: 'Drucken',
      share: 'Link teilen',
      copied: 'Link kopiert',
      notCopied: 'Der Link steht in der Adresszeile.',
      broken: 'So nicht mehr möglich',
      map: 'Karte der Verbindung',
      journey: (label: string) => `Alle Halte der Fahrt ${label}`,
      unknownAccess: 'Für Teile der Strecke ist nicht bekannt, ob sie barrierefrei sind.',
    },
    change: {
      at: (name: string) => `Umstieg ${name}`,
      time: (min: number, recommended: number) => `${min} min zum Umsteigen, ${recommended} empfohlen`,
      verdict: {
        ok: (min: number) => `${reserve(min)} Reserve`,
        tight: (min: number) => `knapp: ${reserve(min)} Reserve`,
        missed: (min: number) => `Anschluss verpasst: ${minuten(min)} zu spät`,
        guaranteed: () => 'Anschluss wartet',
      },
      probability: (percent: number) => `Chance ${anteil(percent)}`,
      all: (percent: number) => `Alle Umstiege: Chance ${anteil(percent)}`,
      allBasis: 'aus den Chancen der einzelnen Umstiege berechnet, als hingen sie nicht voneinander ab',
      fromPast: (n: number) => `aus ${n.toLocaleString('de-AT')} früheren Umstiegen berechnet`,
      fromForecasts: 'aus den Prognosen beider Fahrzeuge',
      planB: {
        next: ({ line, departure, arrival, later }: PlanB) =>
          `Falls es nicht klappt: ${line === null ? 'weiter' : `mit ${line}`} um ${departure}, Ankunft ${arrival}` +
          (later === null || later === 0
            ? ''
            : later > 0
              ? `, ${minuten(later)} später`
              : `, ${minuten(-later)} früher`),
        none: 'Falls es nicht klappt, kommen Sie in absehbarer Zeit nicht mehr ans Ziel.',
      },
    },
    follow: {
      updated: (clock: string) => `Stand ${clock}`,
      every: (seconds: number) => `Aktualisiert sich alle ${seconds} Sekunden, solange die Seite sichtbar ist.`,
      paused: 'Angehalten.',
      pause: 'Anhalten',
      resume: 'Fortsetzen',
      stale: 'Neuere Daten konnten nicht geladen werden.',
    },
    state: {
      onTrack: 'Alles nach Plan',
      atRisk: 'Ein Umstieg ist unsicher',
      missed: 'Ein Anschluss wird verpasst',
      cancelled: 'Eine Fahrt fällt aus',
      unknown: 'Noch keine Echtzeitdaten',
    },
    rescue: {
      label: 'Was Sie jetzt tun können',
      searching: 'Alternativen werden gesucht …',
      none: 'Von hier führt in absehbarer Zeit nichts mehr ans Ziel.',
      kind: {
        wait: 'Weiter wie geplant',
        next: 'Die nächste Fahrt nehmen',
        exitEarlier: 'An einem anderen Halt aussteigen',
        reroute: 'Einen anderen Weg nehmen',
        walk: 'Zu Fuß gehen',
      },
      delta: (n: number) => (n === 0 ? 'wie geplant' : n > 0 ? `${minuten(n)} später` : `${minuten(-n)} früher`),
      probability: (percent: number) => `Chance ${anteil(percent)}`,
      certain: 'kein Umstieg mehr, der scheitern kann',
      unknown: 'Chance unbekannt',
      fromPast: (n: number) => `aus ${n.toLocaleString('de-AT')} früheren Umstiegen berechnet`,
      decideBy: (clock: string) => `Entscheiden bis ${clock}`,
      choose: 'Diese Möglichkeit nehmen',
      offer: 'Andere Möglichkeiten suchen',
    },
  },
  en: {
    menu: 'Trips',
    card: 'From door to door: how safe each change is, and what you can do if you miss one.',
    title: 'Trips',
    form: {
      label: 'Plan a trip',
      from: 'From',
      to: 'To',
      swap: 'Swap origin and destination',
      via: 'Via',
      via2: 'Then via',
      addVia: 'Add a stop on the way',
      addViaShort: 'stop on the way',
      pick: {
        open: 'Choose on the map',
        close: 'Close the map',
        label: 'Map to choose from',
        hint: 'Tap a stop or any other place on the map. Stops appear as you zoom in.',
        failed: 'The map could not be loaded. The fields above work without it.',
      },
      removeVia: (name: string) => `Remove stop ${name}`,
      when: 'When',
      now: 'Now',
      departure: 'Depart at',
      arrival: 'Arrive by',
      time: 'Date and time',
      wheelchair: 'With a wheelchair',
      mode: 'To the stop',
      modes: {
        walk: 'on foot',
        bike: 'by bicycle (park it there)',
        bikeOnBoard: 'by bicycle (take it on board)',
        sharedBike: 'by shared bicycle',
        parkAndRide: 'by car (park and ride)',
        kissAndRide: 'dropped off by car',
      },
      point: (place: string) => `Location ${place}`,
      submit: 'Search',
      edit: 'Edit',
      missing: 'Choose origin and destination from the suggestions.',
      missingVia: 'Choose the stop on the way from the suggestions too, or leave the field empty.',
      notFound: (name: string) => `We found nothing for “${name}”. Is the name spelt correctly?`,
    },
    list: {
      label: 'Possible trips',
      searching: 'Looking for trips …',
      found: (n: number) => (n === 1 ? '1 trip found' : `${n} trips found`),
      none: 'Nothing runs in this period. Try another time, or a place nearby.',
      earlier: 'Earlier',
      later: 'Later',
      all: 'Show all trips',
      fewer: 'Show fewer trips',
      refresh: 'Search again',
    },
    trip: {
      label: 'Chosen trip',
      loading: 'Loading the trip …',
      back: 'All trips',
      hoursMinutes: (hours: number, rest: number) => (hours === 0 ? `${rest} min` : `${hours} h ${rest} min`),
      changes: (n: number) => (n === 0 ? 'no change' : n === 1 ? '1 change' : `${n} changes`),
      arrival: 'Arrival',
      nextDay: (n: number) => (n === 1 ? 'the next day' : `${n} days later`),
      direction: (headsign: string) => `towards ${headsign}`,
      calls: (n: number) => (n === 1 ? '1 stop in between' : `${n} stops in between`),
      cancelled: 'cancelled',
      callCancelled: 'does not stop',
      stay: (name: string) => `Stay on board at ${name}: the vehicle continues as`,
      ways: {
        walk: { name: 'On foot', along: (min: number, meters: number) => `${min} min on foot, ${length(meters)}` },
        bike: {
          name: 'By bicycle',
          along: (min: number, meters: number) => `${min} min by bicycle, ${length(meters)}`,
        },
        car: { name: 'By car', along: (min: number, meters: number) => `${min} min by car, ${length(meters)}` },
      },
      via: (stops: string) => `via ${stops}`,
      whole: 'The whole way',
      carPark: 'P+R',
      walkTo: (name: string) => `to ${name}`,
      transfer: 'Change',
      wait: (min: number) => `wait for ${minutes(min)}`,
      steps: 'Directions',
      straight: 'straight line',
      fareNote: 'cheapest tickets without discounts',
      fareUnknown: 'Price unknown',
      marks: { fastest: 'Fastest', safest: 'Safest', fewestTransfers: 'Fewest changes', cheapest: 'Cheapest' },
      watch: {
        start: 'Watch this trip',
        stop: 'Stop watching',
        on: 'You will be notified when something changes.',
        denied: 'Notifications are blocked for this page. Please allow them in your browser settings.',
        failed: 'Your browser could not turn on notifications. Please try again later.',
      },
      print: 'Print',
      share: 'Share link',
      copied: 'Link copied',
      notCopied: 'The link is in the address bar.',
      broken: 'No longer possible as planned',
      map: 'Map of the trip',
      journey: (label: string) => `All stops of journey ${label}`,
      unknownAccess: 'Accessibility is unknown for parts of the route.',
    },
    change: {
      at: (name: string) => `Change at ${name}`,
      time: (min: number, recommended: number) => `${min} min to change, ${recommended} recommended`,
      verdict: {
        ok: (min: number) => `${spare(min)} to spare`,
        tight: (min: number) => `tight: ${spare(min)} to spare`,
        missed: (min: number) => `connection missed: ${minutes(min)} too late`,
        guaranteed: () => 'the connection waits',
      },
      probability: (percent: number) => `${share(percent)} chance`,
      all: (percent: number) => `All changes: ${share(percent)} chance`,
      allBasis: 'from the chances of the individual changes, as if they were independent',
      fromPast: (n: number) => `based on ${n.toLocaleString('en')} past changes`,
      fromForecasts: 'from the forecasts of both vehicles',
      planB: {
        next: ({ line, departure, arrival, later }: PlanB) =>
          `If you miss it: ${line === null ? 'continue' : line} at ${departure}, arriving at ${arrival}` +
          (later === null || later === 0
            ? ''
            : later > 0
              ? `, ${minutes(later)} later`
              : `, ${minutes(-later)} earlier`),
        none: 'If you miss it, there is no later trip to your destination any time soon.',
      },
    },
    follow: {
      updated: (clock: string) => `As of ${clock}`,
      every: (seconds: number) => `Updates every ${seconds} seconds while the page is visible.`,
      paused: 'Paused.',
      pause: 'Pause',
      resume: 'Resume',
      stale: 'Newer data could not be loaded.',
    },
    state: {
      onTrack: 'Everything as planned',
      atRisk: 'A change is at risk',
      missed: 'A connection is missed',
      cancelled: 'Part of the trip is cancelled',
      unknown: 'No realtime data yet',
    },
    rescue: {
      label: 'What you can do now',
      searching: 'Looking for alternatives …',
      none: 'Nothing will get you to your destination from here any time soon.',
      kind: {
        wait: 'Carry on as planned',
        next: 'Take the next one',
        exitEarlier: 'Get off at another stop',
        reroute: 'Take another route',
        walk: 'Walk',
      },
      delta: (n: number) => (n === 0 ? 'as planned' : n > 0 ? `${minutes(n)} later` : `${minutes(-n)} earlier`),
      probability: (percent: number) => `${share(percent)} chance`,
      certain: 'no change left that could fail',
      unknown: 'chance not known',
      fromPast: (n: number) => `based on ${n.toLocaleString('en')} past changes`,
      decideBy: (clock: string) => `Decide by ${clock}`,
      choose: 'Take this one',
      offer: 'Look for alternatives',
    },
  },
});
