import type { TripRecord, TripRecordDay } from '../../contract/site-trip-record.ts';
import type { Language } from '../texts/languages.ts';
import { plainPunctualityTexts } from '../texts/plain-punctuality.ts';
import { tripRecordTexts } from '../texts/trip-record.ts';
import type { DayBar } from './plain-punctuality.ts';

const bars: Readonly<Record<TripRecordDay['status'], DayBar>> = {
  onTime: { height: 1, kind: 'good' },
  late: { height: 0.5, kind: 'warn' },
  cancelled: { height: 0.25, kind: 'bad' },
  unknown: { height: null, kind: 'unknown' },
};

export const listTripBars = ({ days }: TripRecord): readonly DayBar[] => days.map(({ status }) => bars[status]);

/** Describes in sentences on how many days a trip was on time, and how late it was otherwise. */
export function describeTripRecord(record: TripRecord, language: Language): readonly string[] {
  const texts = tripRecordTexts[language];
  const { number, days, counts, lateMedianSeconds } = record;
  if (days.length === 0) return [texts.nothing(number)];
  const known = counts.onTime + counts.late;
  return [
    known === 0 ? texts.unobserved(number) : texts.onTime(number, counts.onTime, known),
    ...(lateMedianSeconds === null ? [] : [texts.late(Math.round(lateMedianSeconds / 60))]),
    ...(counts.cancelled === 0 ? [] : [texts.cancelled(counts.cancelled)]),
    ...(counts.unknown === 0 || known === 0 ? [] : [texts.unknown(counts.unknown)]),
  ];
}

/** Describes how a day of the trip ended. */
export function describeTripDay({ status, finalDelaySeconds }: TripRecordDay, language: Language): string {
  const { status: texts } = tripRecordTexts[language];
  const minutes = Math.round((finalDelaySeconds ?? 0) / 60);
  if (status === 'late') return texts.late(minutes);
  if (status !== 'onTime') return texts[status];
  if (minutes === 0) return texts.onTime;
  return minutes < 0 ? texts.early(-minutes) : texts.onTimeBy(minutes);
}

/** Page of the record of a trip number. */
export function tripRecordAddress(number: string): string {
  return `/punctuality/trips/${encodeURIComponent(number)}`;
}

/** The verdict of the picture for other sites. */
export function summariseTripRecord({ counts }: TripRecord, language: Language): string {
  const known = counts.onTime + counts.late;
  if (known === 0) return plainPunctualityTexts[language].pictureNothing;
  return tripRecordTexts[language].pictureShare(counts.onTime, known);
}
