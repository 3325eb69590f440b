import type { IdSpace } from './realtime.ts';

/** An id that a stop may have in a timetable. */
interface IdForm {
  readonly stopId: string;
  /** It is the id of the stop's station. */
  readonly isStation: boolean;
  /** Numbers of different registers may coincide: name or location must agree. */
  readonly needsConfirmation: boolean;
}

/** Stations in and around Vienna are numbered 602NNNNN by the city, and at:49:N or at:43:N in Austria's ids. */
const DIVA = /^(?:602)?(\d{1,5})$/;
const DIVA_STATES = ['49', '43'];

/**
 * Stops of Austria in HAFAS: state (two digits), number (five), platform (two, 00 for the station). An answer of the
 * national journey planner of 2023 contains both: L=470118721 beside at:47:1187:0:21.
 */
const AUSTRIAN_HAFAS = /^(4[1-9])(\d{5})(\d{2})$/;

/** The ids that a publisher's stop may have in a timetable, most certain first. */
export function listIdForms(idSpace: IdSpace, id: string): readonly IdForm[] {
  switch (idSpace) {
    case 'gtfs':
      return [{ stopId: id, isStation: false, needsConfirmation: false }];
    case 'ifopt':
      return ifoptForms(id, false);
    case 'diva':
      return divaForms(id);
    case 'hafas':
      return hafasForms(id);
    case 'rbl':
      return [{ stopId: id, isStation: false, needsConfirmation: true }];
  }
}

/** The id itself, with and without leading zeros, then its prefixes: `at:49:1349:0:3`, `…:0`, `at:49:1349`. */
function ifoptForms(id: string, needsConfirmation: boolean): IdForm[] {
  const parts = id.split(':');
  const forms: IdForm[] = [];
  for (let length = parts.length; length >= Math.min(3, parts.length); length--) {
    const isStation = length < parts.length;
    const written = parts.slice(0, length);
    const short = written.map((part) => part.replace(/^0+(?=\d)/, ''));
    const padded = written.map((part, i) => (i === 2 && /^\d+$/.test(part) ? part.padStart(5, '0') : part));
    for (const stopId of new Set([written, short, padded].map((form) => form.join(':')))) {
      forms.push({ stopId, isStation, needsConfirmation });
    }
  }
  return forms;
}

function divaForms(id: string): IdForm[] {
  const number = DIVA.exec(id)?.[1];
  const same = { stopId: id, isStation: false, needsConfirmation: true };
  if (number === undefined) return [same];
  return [...DIVA_STATES.flatMap((state) => ifoptForms(`at:${state}:${Number(number)}`, false)), same];
}

function hafasForms(id: string): IdForm[] {
  const short = id.replace(/^0+(?=\d)/, '');
  const same = [...new Set([id, short])].map((stopId) => ({ stopId, isStation: false, needsConfirmation: true }));
  const [, state, number, platform] = AUSTRIAN_HAFAS.exec(short) ?? [];
  if (state === undefined) return same;
  const station = `at:${state}:${Number(number)}`;
  return [...ifoptForms(platform === '00' ? station : `${station}:0:${Number(platform)}`, false), ...same];
}
