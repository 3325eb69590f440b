import { fromEpochDay, type Instant, serviceDayStart, toEpochDay } from '../../pipeline/model/service-time.ts';
import { presentTimestamp } from '../engine/present.ts';
import { listBusiestStops } from '../engine/stops.ts';
import { AUSTRIA, type Timetable } from '../engine/timetable.ts';
import type { Desk } from './desk.ts';
import type { PlanningTask } from './planning.ts';

const STOPS = 6;
const HOUR = 3600;
/** A large timetable fills it; there a few questions suffice, because each does a lot. */
const MILLISECONDS = 1000;

/**
 * Asks between the stops with the most traffic before anybody waits: code that has never run is ten times as slow. What
 * is made ready for that is what travellers ask for now.
 * @param onStep called after each question
 */
export async function warmUpDesk(
  desk: Desk,
  timetable: Timetable,
  now: Instant,
  onStep: () => void = () => {},
): Promise<void> {
  const stops = listBusiestStops(timetable, STOPS).map(({ id }) => id);
  const time = timetable.begin <= now && now < timetable.end ? now : findUsualMorning(timetable);
  const end = performance.now() + MILLISECONDS;
  const isSpent = () => performance.now() >= end;
  for (const from of stops) {
    for (const to of stops) {
      if (from === to || isSpent()) continue;
      const question = { task: askTrips(from, to, time), realtime: null, moment: time, isSpent };
      // What cannot be answered is told to the traveller who asks it.
      await desk.answer(question).catch(() => null);
      onStep();
    }
  }
}

/** Eight o'clock in the middle of the timetable's period. */
function findUsualMorning({ manifest }: Timetable): Instant {
  const middle = Math.floor((toEpochDay(manifest.beginDate) + toEpochDay(manifest.endDate)) / 2);
  return (serviceDayStart(fromEpochDay(middle), AUSTRIA) + 8 * HOUR) as Instant;
}

function askTrips(from: string, to: string, time: Instant): PlanningTask {
  return {
    kind: 'trips',
    body: {
      from: { stopId: from },
      to: { stopId: to },
      time: presentTimestamp(time),
      timeMode: 'departure',
      limit: 4,
      walkSpeedKmh: 4.7,
      maxWalkMeters: 1500,
      wheelchair: false,
    },
  };
}
