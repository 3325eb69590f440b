import { defineTexts } from './languages.ts';

/** What counts as observed. */
type Evidence = 'observed_actual' | 'last_forecast' | 'forecast';

/** Texts of the page of punctuality. A call is one visit of a trip to a stop. */
export const punctualityTexts = defineTexts({
  de: {
    menu: 'Pünktlichkeit',
    card: 'Was geplant war, was geschah und wie viel davon pünktlich war.',
    title: 'Pünktlichkeit',
    intro:
      'Was im Fahrplan stand, was beobachtet wurde und wie viel davon pünktlich war. Neben jedem Anteil steht, worauf er sich bezieht.',
    noScript: 'Diagramme und Filter brauchen JavaScript; dieselben Zahlen liefert /v1/history.',
    summary: (from: string, to: string, share: string, observed: string) =>
      `Von ${from} bis ${to} waren ${share} von ${observed} beobachteten Halten pünktlich.`,
    nothing:
      'Noch ist nichts aufgezeichnet. Die Aufzeichnung beginnt, sobald eine Echtzeitquelle einen ganzen Tag lang abgefragt wurde; Archive lädt import-history.',
    nothingInPeriod: 'In diesem Zeitraum ist nichts aufgezeichnet. Das heißt nicht, dass alles pünktlich war.',
    filters: {
      label: 'Auswahl',
      period: 'Zeitraum',
      lastDays: (days: number) => (days === 365 ? '1 Jahr' : `${days} Tage`),
      from: 'Von',
      to: 'Bis',
      line: 'Linie',
      lineHint: 'z. B. U1; leer: alle',
      operator: (name: string) => `nur ${name}`,
      stop: 'Haltestelle',
      source: 'Quelle',
      allSources: 'alle Quellen, jeder Halt einmal',
      definition: 'Pünktlich heißt',
      compare: 'Vergleichen',
      with: { none: 'nichts', period: 'zwei Zeiträume', line: 'zwei Linien' },
      otherFrom: 'Zweiter Zeitraum von',
      otherTo: 'Zweiter Zeitraum bis',
      otherLine: 'Zweite Linie',
      reset: 'Auswahl aufheben',
      remove: (what: string) => `${what} aufheben`,
    },
    definition: (limit: string, evidence: Evidence) =>
      ({
        observed_actual: `unter ${limit}`,
        last_forecast: `unter ${limit}, auch nach letzter Prognose`,
        forecast: `unter ${limit}, auch nach jeder Prognose`,
      })[evidence],
    definitionNote: (limit: string) =>
      `Pünktlich ist ein Halt mit weniger als ${limit} Verspätung; zu früh zählt als pünktlich und wird auch getrennt ausgewiesen. Nur tatsächliche Zeiten zählen, gemeldete und aus Positionen von Fahrzeugen abgeleitete: Eine Prognose wird nie zur Beobachtung, und ein Halt ohne Meldung fehlt, gilt aber nicht als Ausfall.`,
    lastForecastNote: (limit: string) =>
      `Pünktlich ist ein Halt mit weniger als ${limit} Verspätung. Wo nichts beobachtet wurde, gilt in dieser Zählung eine Prognose, die zuletzt weniger als eine Minute vor der prognostizierten Zeit gemeldet wurde, sofern die Fahrt danach weiterging.`,
    forecastNote: (limit: string) =>
      `Pünktlich ist ein Halt mit weniger als ${limit} Verspätung. Wo nichts beobachtet wurde, gilt in dieser Zählung die letzte Prognose der Quelle.`,
    totals: {
      label: 'Insgesamt',
      onTime: 'pünktlich',
      ofObserved: (observed: string) => `von ${observed} beobachteten Halten`,
      interval: (interval: string) => `95-%-Intervall ${interval}`,
      coverage: 'beobachtet',
      ofExpected: (expected: string) => `von ${expected} Halten im Fahrplan`,
      derived: (share: string) => `${share} davon aus Positionen`,
      forecasts: (share: string) => `${share} davon nach Prognose`,
      cancelled: 'Ausfälle',
      cancelledNote: 'ausdrücklich gemeldet',
      replaced: (replaced: string) => `${replaced} davon durch eine andere Fahrt ersetzt`,
      late: (limit: string) => `mindestens ${limit} zu spät`,
      early: 'zu früh',
      meanDelay: 'mittlere Verspätung',
      few: 'wenige Halte: vor allem Zufall',
    },
    days: {
      title: 'Pünktlichkeit nach Tagen',
      drawing: 'Anteil pünktlicher Halte je Tag, darunter der Anteil beobachteter Halte',
      note: (floor: string) =>
        `Die Linie ist der Anteil pünktlicher an den beobachteten Halten, das Band sein 95-%-Intervall; die Achse beginnt bei ${floor}. Darunter: beobachtete von allen Halten im Fahrplan. Grau hinterlegt und ohne Linie sind Tage ohne Daten. Hohle Punkte: unter der Hälfte, oder weniger als 30 Halte, beobachtet.`,
      independence:
        'Das Intervall behandelt alle Halte als unabhängig voneinander. Die Halte einer Fahrt sind es nicht, daher ist die Unsicherheit größer als das Band.',
      share: 'pünktlich',
      coverage: 'beobachtet',
      day: 'Tag',
      dayNumber: 'Tag des Zeitraums',
    },
    hours: {
      title: 'Verspätung nach Wochentag und Stunde',
      drawing: 'Mittlere Verspätung nach Wochentag und Stunde',
      note: 'Nach planmäßiger Ortszeit; je kräftiger, desto später im Mittel. Leer: nichts beobachtet. Blass mit Rand: weniger als 30 Halte, also vor allem Zufall.',
      below: (limit: number) => `unter ${limit} min`,
      from: (limit: number) => `ab ${limit} min`,
      weekday: 'Wochentag',
      hour: 'Stunde',
      cell: (weekday: string, hour: number, delay: string, observed: string) =>
        `${weekday} ${hour} Uhr: ${delay} im Mittel, ${observed} Halte`,
    },
    lines: {
      worst: 'Am wenigsten pünktlich',
      best: 'Am pünktlichsten',
      title: 'Linien',
      note: (count: string) =>
        `Von ${count} Linien mit Beobachtungen, gereiht nach dem, was sich sicher sagen lässt: die schlechtesten nach dem oberen Ende des Intervalls, die besten nach dem unteren. So steht keine Linie nur deshalb an der Spitze, weil sie wenige Halte hat. Alle Linien stehen in den Dateien.`,
      none: 'Keine Linie mit Beobachtungen.',
      line: 'Linie',
      few: 'wenige',
      show: (line: string) => `Nur Linie ${line} zeigen`,
    },
    delays: {
      title: 'Verteilung der Verspätung',
      drawing: 'Anteil der beobachteten Halte je Minute Verspätung',
      note: (limit: string) =>
        `Beobachtete Halte nach ganzen Minuten, abgerundet; die äußersten Balken fassen alles darüber hinaus zusammen. Blass ist pünktlich (unter ${limit}), kräftig nicht.`,
      noteOther:
        'Beobachtete Halte nach ganzen Minuten, abgerundet; die äußersten Balken fassen alles darüber hinaus zusammen.',
      ofStop:
        'Für Haltestellen wird die Verteilung nicht gespeichert, nur die Zahlen oben: zu früh, pünktlich und spät.',
      minutes: 'Minuten',
      share: 'Anteil',
    },
    columns: {
      expected: 'im Fahrplan',
      observed: 'beobachtet',
      cancelled: 'Ausfälle',
      coverage: 'Abdeckung',
      onTime: 'pünktlich',
      meanDelay: 'mittl. Verspätung',
    },
  },
  en: {
    menu: 'Punctuality',
    card: 'What was scheduled, what happened, and how much of it was on time.',
    title: 'Punctuality',
    intro:
      'What was scheduled, what was observed, and how much of it was on time. Each share shows what it is a share of.',
    noScript: 'Charts and filters need JavaScript; /v1/history has the same numbers.',
    summary: (from: string, to: string, share: string, observed: string) =>
      `From ${from} to ${to}, ${share} of ${observed} observed calls were on time.`,
    nothing:
      'Nothing is recorded yet. Recording begins once a realtime source has been polled for a whole day; import-history loads archives.',
    nothingInPeriod: 'Nothing is recorded in this period. That does not mean that everything was on time.',
    filters: {
      label: 'Selection',
      period: 'Period',
      lastDays: (days: number) => (days === 365 ? '1 year' : `${days} days`),
      from: 'From',
      to: 'To',
      line: 'Line',
      lineHint: 'such as U1; empty: all',
      operator: (name: string) => `${name} only`,
      stop: 'Stop',
      source: 'Source',
      allSources: 'all sources, each call once',
      definition: 'On time means',
      compare: 'Compare',
      with: { none: 'nothing', period: 'two periods', line: 'two lines' },
      otherFrom: 'Second period from',
      otherTo: 'Second period to',
      otherLine: 'Second line',
      reset: 'Clear the selection',
      remove: (what: string) => `Remove ${what}`,
    },
    definition: (limit: string, evidence: Evidence) =>
      ({
        observed_actual: `below ${limit}`,
        last_forecast: `below ${limit}, by last forecast too`,
        forecast: `below ${limit}, by any forecast too`,
      })[evidence],
    definitionNote: (limit: string) =>
      `A call is on time with a delay of less than ${limit}; early calls count as on time and are also shown separately. Only actual times count, reported ones and those derived from positions of vehicles: a forecast never becomes an observation, and a call without a report is missing, not cancelled.`,
    lastForecastNote: (limit: string) =>
      `A call is on time with a delay of less than ${limit}. Where nothing was observed, this count uses a forecast that was last reported less than a minute before its own time, if the trip went on after it.`,
    forecastNote: (limit: string) =>
      `A call is on time with a delay of less than ${limit}. This count uses the last forecast of the source where nothing was observed.`,
    totals: {
      label: 'In total',
      onTime: 'on time',
      ofObserved: (observed: string) => `of ${observed} observed calls`,
      interval: (interval: string) => `95% interval ${interval}`,
      coverage: 'observed',
      ofExpected: (expected: string) => `of ${expected} scheduled calls`,
      derived: (share: string) => `${share} of them from positions`,
      forecasts: (share: string) => `${share} of them by forecast`,
      cancelled: 'cancelled',
      cancelledNote: 'explicitly reported',
      replaced: (replaced: string) => `${replaced} of them replaced by another trip`,
      late: (limit: string) => `at least ${limit} late`,
      early: 'early',
      meanDelay: 'mean delay',
      few: 'few calls: mostly chance',
    },
    days: {
      title: 'Punctuality by day',
      drawing: 'Share of calls on time by day, and below it the share of calls that were observed',
      note: (floor: string) =>
        `The line is the share of observed calls that were on time, the band its 95% interval; the axis begins at ${floor}. Below: observed of all scheduled calls. Days without data have a grey background and no line. Hollow points: less than half, or fewer than 30 calls, observed.`,
      independence:
        'The interval treats calls as independent. The calls of one trip are not, so the uncertainty is greater than the band.',
      share: 'on time',
      coverage: 'observed',
      day: 'Day',
      dayNumber: 'Day of the period',
    },
    hours: {
      title: 'Delay by weekday and hour',
      drawing: 'Mean delay by weekday and hour',
      note: 'By scheduled local time; darker means later on average. Blank: nothing observed. Pale and outlined: fewer than 30 calls, so mostly chance.',
      below: (limit: number) => `below ${limit} min`,
      from: (limit: number) => `from ${limit} min`,
      weekday: 'Weekday',
      hour: 'Hour',
      cell: (weekday: string, hour: number, delay: string, observed: string) =>
        `${weekday} ${hour}:00: ${delay} on average, ${observed} calls`,
    },
    lines: {
      worst: 'Least punctual',
      best: 'Most punctual',
      title: 'Lines',
      note: (count: string) =>
        `Of ${count} lines with observations, ranked by what can be said for sure: the worst by the upper end of their interval, the best by the lower. So no line tops a list merely because it has few calls. All lines are in the files.`,
      none: 'No line with observations.',
      line: 'Line',
      few: 'few',
      show: (line: string) => `Show line ${line} only`,
    },
    delays: {
      title: 'Distribution of delay',
      drawing: 'Share of observed calls by minute of delay',
      note: (limit: string) =>
        `Observed calls by whole minutes, rounded down; the outermost bars include everything beyond. Pale is on time (below ${limit}), dark is not.`,
      noteOther: 'Observed calls by whole minutes, rounded down; the outermost bars include everything beyond.',
      ofStop: 'For stops, the distribution is not stored, only the numbers above: early, on time and late.',
      minutes: 'Minutes',
      share: 'Share',
    },
    columns: {
      expected: 'scheduled',
      observed: 'observed',
      cancelled: 'cancelled',
      coverage: 'coverage',
      onTime: 'on time',
      meanDelay: 'mean delay',
    },
  },
});
