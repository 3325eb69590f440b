import type { CallSighting, ObservationBatch } from '../../pipeline/model/observation.ts';

/** One finished row, as far as changes go: `trip.position.event time first-last raw`. */
export type NaiveRow = string;

interface Said {
  readonly sighting: CallSighting;
  readonly firstSeenAt: number;
  readonly rawId: string;
  part: string;
}

/**
 * What the observations table must hold, told in the plainest way: every answer in turn, a map of what is open, a list
 * of what is over. Knows neither journal nor files.
 */
export function naiveObservations() {
  const open = new Map<string, Said>();
  const lastAnswers = new Map<string, number>();
  const rows: NaiveRow[] = [];
  const tripOf = ({ tripKey, day }: { tripKey: bigint; day: number }) => `${tripKey}/${day}/`;
  const close = (key: string) => {
    const { sighting, firstSeenAt, rawId, part } = open.get(key)!;
    const lastSeenAt = Math.max(firstSeenAt, lastAnswers.get(part) ?? 0);
    rows.push(describeRow(sighting, firstSeenAt, lastSeenAt, rawId));
    open.delete(key);
  };

  return {
    append({ part, rawId, seenAt, sightings, ended }: ObservationBatch): void {
      const endedTrips = new Set(ended.map(tripOf));
      for (const key of [...open.keys()]) {
        if (endedTrips.has(tripOf(open.get(key)!.sighting))) close(key);
      }
      const said = new Map(sightings.map((one) => [`${tripOf(one)}${one.position}/${one.event}/${one.channel}`, one]));
      for (const [key, sighting] of said) {
        const before = open.get(key);
        if (before && saidIn(before.sighting) === saidIn(sighting)) before.part = part;
        else {
          if (before) close(key);
          open.set(key, { sighting, firstSeenAt: seenAt, rawId, part });
        }
      }
      lastAnswers.set(part, seenAt);
    },
    /** As a flush at this moment does. */
    closeOver(now: number): void {
      for (const [key, { sighting, firstSeenAt }] of [...open]) {
        const newest = Math.max(firstSeenAt, sighting.scheduledTime ?? 0, sighting.time ?? 0);
        if (Math.min(newest + 12 * 3600, firstSeenAt + 14 * 86_400) < now) close(key);
      }
    },
    listOpen: (): string[] =>
      [...open.values()].map(({ sighting, firstSeenAt, rawId, part }) =>
        describeRow(sighting, firstSeenAt, Math.max(firstSeenAt, lastAnswers.get(part) ?? 0), rawId),
      ),
    rows,
  };
}

/** Everything but when it was published. */
function saidIn({ recordedAt: _, ...sighting }: CallSighting): string {
  return JSON.stringify({ ...sighting, tripKey: String(sighting.tripKey) });
}

export function describeRow(
  { tripKey, day, position, event, time }: CallSighting,
  firstSeenAt: number,
  lastSeenAt: number,
  rawId: string,
): NaiveRow {
  return `${day} ${tripKey}.${position}.${event} ${time} ${firstSeenAt}-${lastSeenAt} ${rawId}`;
}
