import { defineTexts } from './languages.ts';

const tage = (n: number) => (n === 1 ? 'einem Tag' : `${n} Tagen`);
const days = (n: number) => (n === 1 ? 'one day' : `${n} days`);
const minuten = (n: number) => (n === 1 ? 'eine Minute' : `${n.toLocaleString('de')} Minuten`);
const minutes = (n: number) => (n === 1 ? 'one minute' : `${n.toLocaleString('en')} minutes`);

/** Sentences about the past days of one train number. */
export const tripRecordTexts = defineTexts({
  de: {
    title: (number: string) => `Wie pünktlich ist ${number}?`,
    nothing: (number: string) =>
      `Zu ${number} gibt es aus den letzten 30 Tagen keine Aufzeichnungen. Das heißt nicht, dass alles pünktlich war.`,
    unobserved: (number: string) =>
      `Ob ${number} pünktlich war, ist nicht bekannt: Die Fahrt wurde nirgends beobachtet.`,
    onTime: (number: string, onTime: number, known: number) =>
      onTime === known && known > 1
        ? `${number} war an allen ${known} beobachteten Tagen pünktlich.`
        : `${number} war an ${onTime} von ${tage(known)} pünktlich.`,
    late: (delay: number) => `War die Fahrt unpünktlich, betrug die Verspätung im Median ${minuten(delay)}.`,
    cancelled: (n: number) => `An ${tage(n)} fiel sie aus.`,
    unknown: (n: number) => `An ${tage(n)} wurde sie nirgends beobachtet.`,
    rule: (limit: number) =>
      `Es zählt die Verspätung am letzten Halt, an dem die Fahrt beobachtet wurde. Pünktlich heißt: weniger als ${minuten(limit)}.`,
    bars: 'Jeder Tag der Fahrt: pünktlich, verspätet oder ausgefallen',
    barsNote:
      'Ein Balken ist ein Tag. Hoch: pünktlich; halb: verspätet; niedrig: ausgefallen; ein Strich: nicht beobachtet.',
    otherOperators: 'Unter dieser Nummer fahren auch:',
    unknownOperator: 'Betreiber unbekannt',
    daysTitle: 'Tag für Tag',
    status: {
      onTime: 'pünktlich',
      late: (delay: number) => `${minuten(delay)} zu spät`,
      early: (delay: number) => `pünktlich, ${minuten(delay)} früher`,
      onTimeBy: (delay: number) => `pünktlich (+${delay} min)`,
      cancelled: 'ausgefallen',
      unknown: 'nicht beobachtet',
    },
    observed: (observed: number, scheduled: number) => `${observed} von ${scheduled} Halten beobachtet`,
    someCancelled: (n: number) => (n === 1 ? 'ein Halt entfiel' : `${n} Halte entfielen`),
    link: (number: string) => `Pünktlichkeit von ${number}`,
    pictureShare: (onTime: number, known: number) => `an ${onTime} von ${tage(known)} pünktlich`,
  },
  en: {
    title: (number: string) => `How punctual is ${number}?`,
    nothing: (number: string) =>
      `Nothing was recorded for ${number} in the last 30 days. That does not mean that everything was on time.`,
    unobserved: (number: string) => `It is not known whether ${number} was on time: it was not observed anywhere.`,
    onTime: (number: string, onTime: number, known: number) =>
      onTime === known && known > 1
        ? `${number} was on time on all ${known} days on which it was observed.`
        : `${number} was on time on ${onTime} of ${days(known)}.`,
    late: (delay: number) => `When it was not, its median delay was ${minutes(delay)}.`,
    cancelled: (n: number) => `It was cancelled on ${days(n)}.`,
    unknown: (n: number) => `It was not observed on ${days(n)}.`,
    rule: (limit: number) =>
      `What counts is the delay at the last stop where it was observed. On time means less than ${minutes(limit)}.`,
    bars: 'Each day of the journey: on time, late or cancelled',
    barsNote: 'Each bar is a day. High: on time; half: late; low: cancelled; a thin line: not observed.',
    otherOperators: 'Other operators also use this number:',
    unknownOperator: 'operator unknown',
    daysTitle: 'Day by day',
    status: {
      onTime: 'on time',
      late: (delay: number) => `${minutes(delay)} late`,
      early: (delay: number) => `on time, ${minutes(delay)} early`,
      onTimeBy: (delay: number) => `on time (+${delay} min)`,
      cancelled: 'cancelled',
      unknown: 'not observed',
    },
    observed: (observed: number, scheduled: number) => `observed at ${observed} of ${scheduled} stops`,
    someCancelled: (n: number) => (n === 1 ? 'one stop was cancelled' : `${n} stops were cancelled`),
    link: (number: string) => `Punctuality of ${number}`,
    pictureShare: (onTime: number, known: number) => `on time on ${onTime} of ${days(known)}`,
  },
});
