import { describe, expect, test } from 'vitest';
import { judgeTripWatch } from '../../../api/watches/judge/judge-watch.ts';
import type { SeenLeg, SeenTrip } from '../../../api/watches/judge/seen.ts';
import { NOTHING_EMITTED, type WatchLanguage } from '../../../api/watches/watch.ts';
import { at, disruptionOf, type Leg, legOf } from './judged-legs.ts';

describe('texts', () => {
  const describeTexts = (
    leg: Leg,
    clock = '07:00',
    disruptions: readonly string[] = [],
    language: WatchLanguage = 'de',
  ) => {
    const now = at(clock);
    const legs = [legOf(0, {}, now), legOf(1, leg, now)];
    const trip: SeenTrip = { state: 'onTrack', polledAt: now, legs, disruptions: disruptions.map(disruptionOf) };
    const verdict = judgeTripWatch({ kind: 'trip', minDelayMinutes: 1, language }, NOTHING_EMITTED, trip, now);
    return verdict.events.map(({ text }) => text);
  };
  const cancelled = (cancellation: SeenLeg['cancellation']): Leg => ({ cancellation });
  const substitute = { label: 'ICE', direction: 'Eiche', departure: '12:05' };

  test.each<[Leg, string, german: string, english: string]>([
    [
      { late: 7 },
      '07:00',
      'S2 nach Ziel fährt 7 Minuten später: ab Halt 1 um 09:07 statt 09:00.',
      'S2 to Ziel leaves 7 minutes late: from Halt 1 at 09:07 instead of 09:00.',
    ],
    [
      { late: 2, lateThere: 9 },
      '07:00',
      'S2 nach Ziel kommt 9 Minuten später an: in Halt 2 um 09:49 statt 09:40.',
      'S2 to Ziel arrives 9 minutes late: at Halt 2 at 09:49 instead of 09:40.',
    ],
    [
      { late: 9, lateThere: 2 },
      '07:00',
      'S2 nach Ziel fährt 9 Minuten später: ab Halt 1 um 09:09 statt 09:00.',
      'S2 to Ziel leaves 9 minutes late: from Halt 1 at 09:09 instead of 09:00.',
    ],
    [
      { late: 1 },
      '09:10',
      'S2 nach Ziel kommt 1 Minute später an: in Halt 2 um 09:41 statt 09:40.',
      'S2 to Ziel arrives 1 minute late: at Halt 2 at 09:41 instead of 09:40.',
    ],
    [
      { late: -3, lateThere: 0 },
      '07:00',
      'S2 nach Ziel fährt 3 Minuten früher: ab Halt 1 schon um 08:57 statt 09:00.',
      'S2 to Ziel leaves 3 minutes early: from Halt 1 at 08:57 instead of 09:00.',
    ],
    [
      { late: -6, leg: 0 },
      '08:55',
      'S2 nach Ziel ist 6 Minuten zu früh abgefahren: ab Halt 1 um 08:54 statt 09:00.',
      'S2 to Ziel has left 6 minutes early: from Halt 1 at 08:54 instead of 09:00.',
    ],
    [
      { platform: '2' },
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 fährt von Gleis 2 statt Gleis 1.',
      'The 09:00 S2 to Ziel from Halt 1 leaves from platform 2 instead of platform 1.',
    ],
    [
      { platform: 'B', isRail: false },
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 fährt von Steig B statt Steig 1.',
      'The 09:00 S2 to Ziel from Halt 1 leaves from stand B instead of stand 1.',
    ],
    [
      { skipped: ['A', 'B'] },
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 hält unterwegs nicht in A und B.',
      'The 09:00 S2 to Ziel from Halt 1 will not stop on the way at A and B.',
    ],
    [
      { skipped: ['A', 'B', 'C', 'D', 'E'] },
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 hält unterwegs nicht in A, B, C und 2 weiteren.',
      'The 09:00 S2 to Ziel from Halt 1 will not stop on the way at A, B, C and 2 more.',
    ],
    [
      cancelled({ kind: 'trip' }),
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 fällt aus.',
      'The 09:00 S2 to Ziel from Halt 1 is cancelled.',
    ],
    [
      cancelled({ kind: 'replaced', substitute }),
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 wird ersetzt: Es fährt ICE nach Eiche um 12:05.',
      'The 09:00 S2 to Ziel from Halt 1 is replaced: the 12:05 ICE to Eiche runs instead.',
    ],
    [
      cancelled({ kind: 'replaced', substitute: null }),
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 wird durch eine andere Fahrt ersetzt, die nicht von Halt 1 nach Halt 2 fährt.',
      'The 09:00 S2 to Ziel from Halt 1 is replaced by another trip, which does not run from Halt 1 to Halt 2.',
    ],
    [
      cancelled({ kind: 'endsEarly', unserved: 'Halt 2', endsAt: 'Mitte' }),
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 hält nicht in Halt 2, endet in Mitte.',
      'The 09:00 S2 to Ziel from Halt 1 will not stop at Halt 2; it terminates at Mitte.',
    ],
    [
      cancelled({ kind: 'endsEarly', unserved: 'Halt 1', endsAt: 'Halt 1' }),
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 endet schon in Halt 1.',
      'The 09:00 S2 to Ziel from Halt 1 terminates at Halt 1.',
    ],
    [
      cancelled({ kind: 'beginsLate', beginsAt: 'Mitte' }),
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 hält nicht in Halt 1, beginnt erst in Mitte.',
      'The 09:00 S2 to Ziel from Halt 1 will not stop at Halt 1; it starts at Mitte.',
    ],
    [
      cancelled({ kind: 'skipsOrigin', next: 'Mitte' }),
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 hält nicht in Halt 1; nächster Halt ist Mitte.',
      'The 09:00 S2 to Ziel from Halt 1 will not stop at Halt 1; its next stop is Mitte.',
    ],
    [
      cancelled({ kind: 'skipsDestination', last: 'Mitte', next: 'Wald' }),
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 hält nicht in Halt 2, aber davor in Mitte und danach in Wald.',
      'The 09:00 S2 to Ziel from Halt 1 will not stop at Halt 2, but before it at Mitte and after it at Wald.',
    ],
    [
      cancelled({ kind: 'noBoarding' }),
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 fährt, doch in Halt 1 kann man nicht einsteigen.',
      'The 09:00 S2 to Ziel from Halt 1 runs, but you cannot board at Halt 1.',
    ],
    [
      cancelled({ kind: 'noAlighting' }),
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 fährt, doch in Halt 2 kann man nicht aussteigen.',
      'The 09:00 S2 to Ziel from Halt 1 runs, but you cannot get off at Halt 2.',
    ],
    [
      cancelled({ kind: 'endsBetween', endsAt: 'Mitte', continuation: { label: 'S7', direction: 'Hof' } }),
      '07:00',
      'S2 nach Ziel um 09:00 ab Halt 1 endet in Mitte und fährt nicht weiter als S7 nach Hof.',
      'The 09:00 S2 to Ziel from Halt 1 terminates at Mitte and does not continue as S7 to Hof.',
    ],
    [
      { change: 'atRisk' },
      '07:00',
      'Der Anschluss in Halt 1 an S2 nach Ziel (09:00) ist gefährdet.',
      'Your connection at Halt 1 to the 09:00 S2 to Ziel is at risk.',
    ],
    [
      { change: 'missed' },
      '07:00',
      'Der Anschluss in Halt 1 an S2 nach Ziel (09:00) wird nicht erreicht.',
      'Your connection at Halt 1 to the 09:00 S2 to Ziel will be missed.',
    ],
  ])('%j at %s', (leg, clock, german, english) => {
    expect(describeTexts(leg, clock)).toEqual([german]);
    expect(describeTexts(leg, clock, [], 'en')).toEqual([english]);
  });

  test('names a disruption', () => {
    expect(describeTexts({}, '07:00', ['x'])).toEqual(['Neue Meldung: Titel x']);
  });
});
