import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Timetable } from '../../../api/engine/read/timetable.ts';
import type { ObservedTrip } from '../../../pipeline/model/prediction.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { createGtfsRtSource } from '../../../pipeline/sources/gtfs-rt/gtfs-rt-source.ts';
import { readTarEntries } from '../../support/checks/tar.ts';

/** The last forecast of an arrival, and when it was published. */
interface LastForecast {
  readonly time: number;
  readonly seenAt: number;
}

/** As for `is_final_forecast` of the stop events. */
const FINAL_SECONDS = 60;
const DAY = '2026-01-15';

/**
 * Final forecasts of arrivals: published less than a minute before their own time, of trips of which a later call was
 * still ahead after that.
 * @param folder of the recording
 * @returns UTC seconds by position, NaN without one, for each trip
 */
export async function readFinalForecasts(
  folder: string,
  trips: readonly ObservedTrip[],
  timetable: Timetable,
): Promise<Float64Array[]> {
  const last = await readLastForecasts(path.join(folder, 'trip-updates-2026-01-15.tar.gz'));
  const { tables } = timetable;
  const rowOf = new Map<string, number>();
  for (let row = 0; row < tables.trips.tripId.length; row++) rowOf.set(tables.trips.tripId.get(row), row);
  return trips.map(({ tripId, stopIds }) => {
    const first = tables.trips.firstSequence[rowOf.get(tripId)!]!;
    const found = stopIds.map((_, at) => last.get(`${tripId} ${tables.stopSequences.sequence[first + at]}`) ?? null);
    return Float64Array.from(found, (one, at) => {
      const wentOn = Math.max(0, ...found.slice(at + 1).map((later) => later?.seenAt ?? 0));
      const isFinal = at > 0 && one !== null && one.time - one.seenAt < FINAL_SECONDS && wentOn > one.time;
      return isFinal ? one.time : Number.NaN;
    });
  });
}

/** By trip id and stop_sequence. */
async function readLastForecasts(file: string): Promise<Map<string, LastForecast>> {
  const source = createGtfsRtSource({ zone: 'America/Toronto', tripUpdates: 'https://kingston.example.org' });
  const last = new Map<string, LastForecast>();
  for (const { name, bytes } of readTarEntries(gunzipSync(await readFile(file)))) {
    const fetchedAt = Number(/^tripupdates_capture_(\d+)_/.exec(name)![1]) as Instant;
    const { trips, publishedAt } = await source.parse(bytes, source.listRequests(fetchedAt)[0]!, fetchedAt);
    const seenAt = publishedAt ?? fetchedAt;
    for (const { trip, calls } of trips) {
      if (trip.startDate !== DAY) continue;
      for (const { stopSequence, arrival, state } of calls) {
        // An arrival that has passed is no forecast any more.
        if (state !== 'normal' || !arrival?.time || arrival.time < seenAt) continue;
        last.set(`${trip.tripId} ${stopSequence}`, { time: arrival.time, seenAt });
      }
    }
  }
  return last;
}
