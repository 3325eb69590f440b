import type { TimeInfo } from '../../../contract/v2-basics.ts';
import type { Trip } from '../../../contract/v2-trip.ts';
import { showTime } from '../../view-model/shown-time.ts';
import { daysBetween } from '../../view-model/trip-times.ts';
import { CallTime } from '../times/call-time.tsx';
import { texts } from './page-texts.ts';

/** The time of a departure or arrival; empty if unknown. */
export function TripTime({ time }: { readonly time: TimeInfo | undefined }) {
  const shown = time ? showTime(time) : null;
  return shown && <CallTime time={shown} />;
}

/** Start and end time of a trip. */
export function TripTimes({ trip: { departure, arrival } }: { readonly trip: Trip }) {
  const days = daysBetween(departure.scheduled!, arrival.scheduled!);
  return (
    <>
      <TripTime time={departure} /> <span aria-hidden="true">→</span> <TripTime time={arrival} />
      {days > 0 && <span class="next-day"> {texts.trip.nextDay(days)}</span>}
    </>
  );
}
