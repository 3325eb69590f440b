import { defineTexts } from './languages.ts';

const wochentage = ['montags', 'dienstags', 'mittwochs', 'donnerstags', 'freitags', 'samstags', 'sonntags'];
const weekdays = ['Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays'];

const zahl = (n: number) => n.toLocaleString('de');
const number = (n: number) => n.toLocaleString('en');

/** Sentences about the punctuality of a line or a stop. */
export const plainPunctualityTexts = defineTexts({
  de: {
    question: 'Kommt meine Linie?',
    link: 'Wie pünktlich war das bisher?',
    lineField: 'Linie',
    submit: 'Nachsehen',
    heading: 'Pünktlichkeit',
    lineTitle: (name: string) => `Wie pünktlich ist ${name}?`,
    stopTitle: (name: string) => `Wie pünktlich ist ${name}?`,
    all: 'Pünktlichkeit aller Linien',
    charts: 'Alle Diagramme',
    days: 'Anteil pünktlicher Halte je Tag',
    period: (from: string, to: string) =>
      `${from} bis ${to}. Ein Balken ist ein Tag: je höher, desto mehr Halte waren pünktlich; ein Strich heißt keine Daten.`,
    nothing: 'Für diese Zeit ist nichts aufgezeichnet. Das heißt nicht, dass alles pünktlich war.',
    unobserved: 'Wie pünktlich die Fahrten waren, hat niemand gemeldet.',
    few: (n: number) =>
      `Erst ${n === 1 ? 'ein Halt wurde' : `${zahl(n)} Halte wurden`} beobachtet: zu wenig für eine Aussage.`,
    came: (cancelled: number, expected: number) =>
      cancelled === 0
        ? `Von ${zahl(expected)} Halten im Fahrplan ist keiner als Ausfall gemeldet.`
        : `Von ${zahl(expected)} Halten im Fahrplan ${cancelled === 1 ? 'fiel einer' : `fielen ${zahl(cancelled)}`} aus.`,
    onTime: (percent: number, minutes: number) =>
      `${percent} von 100 beobachteten Halten waren pünktlich; im Mittel ${
        minutes === 0
          ? 'genau nach Plan'
          : `${zahl(Math.abs(minutes))} Minuten ${minutes > 0 ? 'später' : 'früher'} als geplant`
      }.`,
    goodDays: (good: number, days: number) =>
      `An ${good} von ${days} Tagen waren mindestens neun von zehn Halten pünktlich.`,
    worst: (dow: number, hour: number, minutes: number) =>
      `Am meisten Geduld braucht man ${wochentage[dow - 1]} um ${hour} Uhr: im Mittel ${minutes === 1 ? 'eine Minute' : `${minutes} Minuten`} Verspätung.`,
    coverage: (percent: number) =>
      percent >= 99
        ? 'Fast jeder Halt wurde beobachtet.'
        : `Beobachtet wurden ${percent} von 100 Halten; über die übrigen ist nichts bekannt.`,
    lines: 'Linien',
    ofCalls: (n: number) => `von ${zahl(n)} Halten`,
    embed: 'Auf der eigenen Seite zeigen',
    embedNote: 'Dieses Bild hält sich selbst aktuell. Es braucht weder Skripte noch Cookies.',
    picture: (name: string) => `Bild: Pünktlichkeit ${name} in den letzten 30 Tagen`,
    pictureSource: 'Taktgeber, die letzten 30 Tage',
    pictureShare: (percent: number) => `${percent} von 100 Halten pünktlich`,
    pictureNothing: 'noch keine Daten',
  },
  en: {
    question: 'Will my train come?',
    link: 'How punctual has this been?',
    lineField: 'Line',
    submit: 'Look it up',
    heading: 'Punctuality of',
    lineTitle: (name: string) => `How punctual is ${name}?`,
    stopTitle: (name: string) => `How punctual is ${name}?`,
    all: 'Punctuality of all lines',
    charts: 'All charts',
    days: 'Share of punctual stops by day',
    period: (from: string, to: string) =>
      `${from} to ${to}. Each bar is a day: the higher, the more stops were on time; a dash means no data.`,
    nothing: 'Nothing is recorded for this time. That does not mean that everything was on time.',
    unobserved: 'How punctual the trips were was not reported.',
    few: (n: number) =>
      `Only ${n === 1 ? 'one stop was' : `${number(n)} stops were`} observed so far: too few to say anything.`,
    came: (cancelled: number, expected: number) =>
      cancelled === 0
        ? `Of ${number(expected)} scheduled stops, none was reported as cancelled.`
        : `Of ${number(expected)} scheduled stops, ${number(cancelled)} ${cancelled === 1 ? 'was' : 'were'} cancelled.`,
    onTime: (percent: number, minutes: number) =>
      `${percent} out of 100 observed stops were on time; on average ${
        minutes === 0
          ? 'exactly as planned'
          : `${number(Math.abs(minutes))} minutes ${minutes > 0 ? 'later' : 'earlier'} than planned`
      }.`,
    goodDays: (good: number, days: number) =>
      `On ${good} of ${days} days, at least nine out of ten stops were on time.`,
    worst: (dow: number, hour: number, minutes: number) =>
      `Expect the longest wait on ${weekdays[dow - 1]} around ${hour}:00: ${minutes === 1 ? 'one minute' : `${minutes} minutes`} late on average.`,
    coverage: (percent: number) =>
      percent >= 99
        ? 'Almost every stop was observed.'
        : `${percent} out of 100 stops were observed; nothing is known about the others.`,
    lines: 'Lines',
    ofCalls: (n: number) => `of ${number(n)} stops`,
    embed: 'Show it on your own page',
    embedNote: 'This picture keeps itself up to date. It needs neither scripts nor cookies.',
    picture: (name: string) => `Picture: punctuality of ${name} in the last 30 days`,
    pictureSource: 'Taktgeber, the last 30 days',
    pictureShare: (percent: number) => `${percent} out of 100 stops on time`,
    pictureNothing: 'no data yet',
  },
});
