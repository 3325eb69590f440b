import { defineTexts } from './languages.ts';

const wochentage = ['montags', 'dienstags', 'mittwochs', 'donnerstags', 'freitags', 'samstags', 'sonntags'];
const weekdays = ['Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays'];

const zahl = (n: number) => n.toLocaleString('de');
const minuten = (n: number) => (n === 1 ? 'eine Minute' : `${zahl(n)} Minuten`);
const number = (n: number) => n.toLocaleString('en');
const minuteCount = (n: number) => (n === 1 ? 'one minute' : `${number(n)} minutes`);

/** Sentences about the punctuality of a line or a stop. */
export const plainPunctualityTexts = defineTexts({
  de: {
    question: 'Wie pünktlich ist meine Linie?',
    link: 'Pünktlichkeit der letzten 30 Tage',
    lineField: 'Linie',
    submit: 'Nachsehen',
    heading: 'Pünktlichkeit',
    lineTitle: (name: string) => `Wie pünktlich ist die Linie ${name}?`,
    stopTitle: (name: string) => `Wie pünktlich sind die Fahrten an der Haltestelle ${name}?`,
    all: 'Pünktlichkeit aller Linien',
    charts: 'Alle Diagramme',
    days: 'Anteil pünktlicher Halte je Tag',
    period: (from: string, to: string) =>
      `${from} bis ${to}. Ein Balken ist ein Tag: je höher, desto mehr Halte waren pünktlich; ein Strich bedeutet, dass Daten fehlen.`,
    nothing: 'Für diesen Zeitraum ist nichts aufgezeichnet. Das heißt nicht, dass alles pünktlich war.',
    unobserved: 'Zur Pünktlichkeit der Fahrten liegen keine Meldungen vor.',
    few: (n: number) =>
      `Erst ${n === 1 ? 'ein Halt wurde' : `${zahl(n)} Halte wurden`} beobachtet. Das reicht nicht für eine Aussage.`,
    came: (cancelled: number, expected: number) =>
      cancelled === 0
        ? `Von ${zahl(expected)} geplanten Halten wurde keiner als ausgefallen gemeldet.`
        : `Von ${zahl(expected)} geplanten Halten ${cancelled === 1 ? 'fiel einer' : `fielen ${zahl(cancelled)}`} aus.`,
    onTime: (percent: number, minutes: number) =>
      `${percent} von 100 beobachteten Halten waren pünktlich. Im Durchschnitt kamen die Fahrzeuge ${
        minutes === 0
          ? 'genau nach Plan'
          : `${minuten(Math.abs(minutes))} ${minutes > 0 ? 'später' : 'früher'} als geplant`
      }.`,
    goodDays: (good: number, days: number) =>
      `An ${good} von ${days} Tagen waren mindestens neun von zehn Halten pünktlich.`,
    worst: (dow: number, hour: number, minutes: number) =>
      `Am größten sind die Verspätungen ${wochentage[dow - 1]} zwischen ${hour} und ${hour + 1} Uhr: im Durchschnitt ${minuten(minutes)}.`,
    coverage: (percent: number) =>
      percent >= 99
        ? 'Fast jeder Halt wurde beobachtet.'
        : `Beobachtet wurden ${percent} von 100 Halten; über die übrigen ist nichts bekannt.`,
    lines: 'Linien',
    ofCalls: (n: number) => `von ${zahl(n)} Halten`,
    embed: 'In Ihre Website einbinden',
    embedNote: 'Dieses Bild aktualisiert sich selbst. Es braucht weder Skripte noch Cookies.',
    picture: (name: string) => `Pünktlichkeit ${name} in den letzten 30 Tagen`,
    pictureSource: 'Taktgeber, die letzten 30 Tage',
    pictureShare: (percent: number) => `${percent} von 100 Halten pünktlich`,
    pictureNothing: 'noch keine Daten',
  },
  en: {
    question: 'How punctual is my line?',
    link: 'Punctuality over the last 30 days',
    lineField: 'Line',
    submit: 'Look it up',
    heading: 'Punctuality of',
    lineTitle: (name: string) => `How punctual is line ${name}?`,
    stopTitle: (name: string) => `How punctual are services at ${name}?`,
    all: 'Punctuality of all lines',
    charts: 'All charts',
    days: 'Share of stops on time, per day',
    period: (from: string, to: string) =>
      `${from} to ${to}. Each bar is a day: the higher, the more stops were on time; a thin line means no data.`,
    nothing: 'Nothing is recorded for this period. That does not mean that everything was on time.',
    unobserved: 'No times were reported, so nothing can be said about punctuality.',
    few: (n: number) =>
      `Only ${n === 1 ? 'one stop was' : `${number(n)} stops were`} observed so far: too few to say anything.`,
    came: (cancelled: number, expected: number) =>
      cancelled === 0
        ? `Of ${number(expected)} scheduled stops, none was reported as cancelled.`
        : `Of ${number(expected)} scheduled stops, ${number(cancelled)} ${cancelled === 1 ? 'was' : 'were'} cancelled.`,
    onTime: (percent: number, minutes: number) =>
      `${percent} out of 100 observed stops were on time. On average, vehicles came ${
        minutes === 0
          ? 'exactly on schedule'
          : `${minuteCount(Math.abs(minutes))} ${minutes > 0 ? 'later' : 'earlier'} than scheduled`
      }.`,
    goodDays: (good: number, days: number) =>
      `On ${good} of ${days} days, at least nine out of ten stops were on time.`,
    worst: (dow: number, hour: number, minutes: number) =>
      `Delays are longest on ${weekdays[dow - 1]} between ${hour}:00 and ${hour + 1}:00: ${minuteCount(minutes)} on average.`,
    coverage: (percent: number) =>
      percent >= 99
        ? 'Almost every stop was observed.'
        : `${percent} out of 100 stops were observed; nothing is known about the others.`,
    lines: 'Lines',
    ofCalls: (n: number) => `of ${number(n)} stops`,
    embed: 'Embed in your website',
    embedNote: 'This picture keeps itself up to date. It needs neither scripts nor cookies.',
    picture: (name: string) => `Punctuality of ${name} in the last 30 days`,
    pictureSource: 'Taktgeber, the last 30 days',
    pictureShare: (percent: number) => `${percent} out of 100 stops on time`,
    pictureNothing: 'no data yet',
  },
});
