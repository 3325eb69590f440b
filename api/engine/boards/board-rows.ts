import type { Arrival, Departure } from '../../contract/definitions.ts';
import { placeRun } from '../news/notices.ts';
import { openTrip } from '../read/dated-trip.ts';
import { findNotices } from '../read/news.ts';
import { listCallAttributes, presentCallTime, presentPlatform, presentServiceKind } from '../read/present.ts';
import { type BoardCall, type BoardContext, eventOf } from './board-calls.ts';
import type { BoardKind } from './calls-at-stop.ts';

/** A departure in words, its members in the order of the contract. @param id unique on the board */
export function presentDeparture(context: BoardContext, call: BoardCall, id: string): Departure {
  const { named, end, stopName, time, rest } = describeCall(context, call, 'departures');
  return { id, ...named, direction: end, stopName, departure: time, ...rest };
}

/** An arrival in words. @param id unique on the board */
export function presentArrival(context: BoardContext, call: BoardCall, id: string): Arrival {
  const { named, end, stopName, time, rest } = describeCall(context, call, 'arrivals');
  return { id, ...named, origin: end, stopName, arrival: time, ...rest };
}

/** What departures and arrivals tell alike. */
function describeCall(context: BoardContext, { run, live, scheduled, shown }: BoardCall, kind: BoardKind) {
  const { published, references, moment } = context;
  const { timetable, realtime } = published;
  const { day, position } = run;
  const trip = openTrip(published, run);
  const { stop, stopName, platform, announcedPlatform } = trip.call(position);
  const journeyRef = references.sealJourney({ tripKey: trip.tripKey, day });
  return {
    named: { journeyRef, line: trip.line() },
    end: kind === 'departures' ? trip.direction(position) : trip.origin(),
    stopName,
    time: presentCallTime(scheduled, live, eventOf(kind), moment),
    rest: {
      platform: presentPlatform(platform, announcedPlatform),
      cancelled: live?.isCancelled ?? false,
      ...presentServiceKind(trip.flags),
      notices: realtime ? findNotices(realtime.news, placeRun(published, run, [stop]), shown, shown) : [],
      attributes:
        run.trip < 0
          ? []
          : listCallAttributes(timetable, timetable.tables.trips.pattern[run.trip]!, position, run.trip),
    },
  };
}
