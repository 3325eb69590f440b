import { defineTexts } from './languages.ts';

const zahl = (n: number) => n.toLocaleString('de');
const number = (n: number) => n.toLocaleString('en');

/** Texts of the map of stations by punctuality. */
export const stationTexts = defineTexts({
  de: {
    title: 'Pünktlichkeit der Haltestellen',
    link: 'Alle Haltestellen auf der Karte',
    intro:
      'Jeder Kreis ist eine Haltestelle: je größer, desto mehr Halte wurden beobachtet. Die Farbe zeigt, wie viele davon pünktlich waren.',
    noScript: 'Die Karte braucht JavaScript. Die Pünktlichkeit einer einzelnen Haltestelle gibt es auch ohne.',
    label:
      'Karte der Haltestellen nach Pünktlichkeit; Pfeiltasten verschieben sie, Plus und Minus vergrößern. Alles darauf steht in der Tabelle.',
    loading: 'Zahlen werden geladen …',
    legend: 'Anteil pünktlicher Halte',
    classes: { good: 'ab 90 %', warn: '75 bis 89 %', bad: 'unter 75 %', few: 'unter 30 Halte' },
    inView: 'Haltestellen im Ausschnitt',
    noneInView: 'In diesem Ausschnitt wurde kein Halt beobachtet.',
    counted: (shown: number, all: number) =>
      shown === all
        ? all === 1
          ? '1 Haltestelle'
          : `${zahl(all)} Haltestellen`
        : `Die ${zahl(shown)} mit den meisten Halten, von ${zahl(all)}`,
    columns: { stop: 'Haltestelle', share: 'Pünktlich', observed: 'Beobachtet', expected: 'Geplant' },
    percent: (percent: number) => `${percent} %`,
    share: (percent: number, onTime: number, observed: number) =>
      `${percent} % pünktlich: ${zahl(onTime)} von ${zahl(observed)} beobachteten Halten.`,
    few: (onTime: number, observed: number) =>
      `${zahl(onTime)} von ${zahl(observed)} beobachteten Halten pünktlich: zu wenige für eine Aussage.`,
    coverage: (observed: number, expected: number) =>
      `Beobachtet wurden ${zahl(observed)} von ${zahl(expected)} geplanten Halten.`,
    details: 'Mehr zu dieser Haltestelle',
    period: (from: string, to: string, minutes: number) =>
      `${from} bis ${to}. Pünktlich ist ein Halt mit weniger als ${zahl(minutes)} min Verspätung.`,
    left: (listed: number, all: number) =>
      `Von ${zahl(all)} Haltestellen sind die ${zahl(listed)} mit den meisten beobachteten Halten auf der Karte.`,
  },
  en: {
    title: 'Punctuality of stops',
    link: 'All stops on the map',
    intro:
      'Each circle is a stop: the larger, the more calls were observed. Its colour shows how many of them were on time.',
    noScript: 'The map needs JavaScript. The punctuality of a single stop is shown without it.',
    label:
      'Map of stops by punctuality; arrow keys move it, plus and minus zoom. Everything on it is also in the table.',
    loading: 'Loading the numbers …',
    legend: 'Share of calls on time',
    classes: { good: '90% or more', warn: '75 to 89%', bad: 'below 75%', few: 'fewer than 30 calls' },
    inView: 'Stops in view',
    noneInView: 'No call was observed in this area.',
    counted: (shown: number, all: number) =>
      shown === all
        ? all === 1
          ? '1 stop'
          : `${number(all)} stops`
        : `The ${number(shown)} with the most calls, of ${number(all)}`,
    columns: { stop: 'Stop', share: 'On time', observed: 'Observed', expected: 'Scheduled' },
    percent: (percent: number) => `${percent}%`,
    share: (percent: number, onTime: number, observed: number) =>
      `${percent}% on time: ${number(onTime)} of ${number(observed)} observed calls.`,
    few: (onTime: number, observed: number) =>
      `${number(onTime)} of ${number(observed)} observed calls on time: too few to say anything.`,
    coverage: (observed: number, expected: number) =>
      `${number(observed)} of ${number(expected)} scheduled calls were observed.`,
    details: 'More about this stop',
    period: (from: string, to: string, minutes: number) =>
      `${from} to ${to}. A call is on time if its delay is below ${number(minutes)} min.`,
    left: (listed: number, all: number) =>
      `Of ${number(all)} stops, the ${number(listed)} with the most observed calls are on the map.`,
  },
});
