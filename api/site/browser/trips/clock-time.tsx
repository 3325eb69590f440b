import type { TimeInfo } from '../../../contract/v2-basics.ts';
import { texts } from './page-texts.ts';
import { viewTime } from './time-view.ts';

/** A time, and beside it the one of the timetable where realtime says another. */
export function ClockTime({ time }: { readonly time: TimeInfo | undefined }) {
  const view = viewTime(time);
  if (view === null) return null;
  const { clock, scheduledClock, isRealtime, delayMinutes } = view;
  const punctuality = !isRealtime ? undefined : (delayMinutes ?? 0) > 0 ? 'late' : 'on-time';
  return (
    <span class="clock" data-punctuality={punctuality}>
      {scheduledClock !== null && (
        <>
          <s aria-hidden="true">{scheduledClock}</s>{' '}
        </>
      )}
      <b>{clock}</b>
      {isRealtime && (
        <span class="visually-hidden">
          {' '}
          ({delayMinutes ? texts.trip.delayedLong(delayMinutes) : texts.trip.onTime})
        </span>
      )}
    </span>
  );
}
