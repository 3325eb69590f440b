import type { CallObservation, ObservationBatch } from '../../../pipeline/model/observation.ts';

/** One finished row without its metadata: `trip.position.event time first-last raw`. */
type NaiveRow = string;

interface OpenObservation {
  readonly observation: CallObservation;
  readonly firstSeenAt: number;
  readonly rawId: string;
  part: string;
}

/**
 * The expected content of the observations table: each answer in turn, a map of open observations, a list of finished
 * ones, without journal and files.
 */
export function naiveObservations() {
  const open = new Map<string, OpenObservation>();
  const lastAnswers = new Map<string, number>();
  const rows: NaiveRow[] = [];
  const tripOf = ({ tripKey, day }: { tripKey: bigint; day: number }) => `${tripKey}/${day}/`;
  const close = (key: string) => {
    const { observation, firstSeenAt, rawId, part } = open.get(key)!;
    const lastSeenAt = Math.max(firstSeenAt, lastAnswers.get(part) ?? 0);
    rows.push(describeRow(observation, firstSeenAt, lastSeenAt, rawId));
    open.delete(key);
  };

  return {
    append({ part, rawId, seenAt, observations, ended }: ObservationBatch): void {
      const endedTrips = new Set(ended.map(tripOf));
      for (const key of [...open.keys()]) {
        if (endedTrips.has(tripOf(open.get(key)!.observation))) close(key);
      }
      const reported = new Map(
        observations.map((one) => [`${tripOf(one)}${one.position}/${one.event}/${one.channel}`, one]),
      );
      for (const [key, observation] of reported) {
        const before = open.get(key);
        if (before && withoutPublication(before.observation) === withoutPublication(observation)) before.part = part;
        else {
          if (before) close(key);
          open.set(key, { observation, firstSeenAt: seenAt, rawId, part });
        }
      }
      lastAnswers.set(part, seenAt);
    },
    /** Closes observations as a flush at this instant does. */
    closeOver(now: number): void {
      for (const [key, { observation, firstSeenAt }] of [...open]) {
        const newest = Math.max(firstSeenAt, observation.scheduledTime ?? 0, observation.time ?? 0);
        if (Math.min(newest + 12 * 3600, firstSeenAt + 14 * 86_400) < now) close(key);
      }
    },
    listOpen: (): string[] =>
      [...open.values()].map(({ observation, firstSeenAt, rawId, part }) =>
        describeRow(observation, firstSeenAt, Math.max(firstSeenAt, lastAnswers.get(part) ?? 0), rawId),
      ),
    rows,
  };
}

/** Everything except the time of publication. */
function withoutPublication({ recordedAt: _, ...observation }: CallObservation): string {
  return JSON.stringify({ ...observation, tripKey: String(observation.tripKey) });
}

export function describeRow(
  { tripKey, day, position, event, time }: CallObservation,
  firstSeenAt: number,
  lastSeenAt: number,
  rawId: string,
): NaiveRow {
  return `${day} ${tripKey}.${position}.${event} ${time} ${firstSeenAt}-${lastSeenAt} ${rawId}`;
}
