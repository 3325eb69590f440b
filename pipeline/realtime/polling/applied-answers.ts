import type { SourceId } from '../../model/ids.ts';
import type { CallObservation } from '../../model/observation.ts';
import type { RealtimeTally } from '../../model/realtime-tally.ts';
import type { Instant } from '../../model/service-time.ts';
import type { ObservedName } from '../../predictions/live/prediction-service.ts';
import type { AppliedUpdate } from '../state/apply-update.ts';
import { datedTripKey } from '../state/memory.ts';
import { openVehicleCells, partKey, type VehicleCells } from './describe-source.ts';
import type { PolledAnswer } from './realtime-sink.ts';

/** What the applied answers contained: for the states of the sources, and for the predictions. */
export class AppliedAnswers {
  /** Of the newest answer, by source and part. */
  readonly tallies = new Map<SourceId, Map<string, RealtimeTally>>();
  /** Time of the last answer that may be shown as live, by source and part. */
  readonly successes = new Map<string, Instant>();
  readonly cells: VehicleCells = openVehicleCells();
  /** Dated trips with observed times since the last `takeObserved`, by source and key. */
  #observed = new Map<SourceId, Map<string, ObservedName>>();

  /** Adds an answer, and the earlier ones that were matched again because of it. */
  add(answer: PolledAnswer, applied: AppliedUpdate): void {
    const { sourceId, part } = answer;
    for (const one of [{ part, ...applied }, ...applied.revisited]) {
      this.#setTally(sourceId, one.part, one.tally);
      this.#addObserved(sourceId, one.observations);
    }
    this.cells.note(answer);
    if (!answer.update.isFrozen) this.addSuccess(answer);
  }

  addSuccess({ sourceId, part, fetchedAt }: Pick<PolledAnswer, 'sourceId' | 'part' | 'fetchedAt'>): void {
    this.successes.set(partKey(sourceId, part), fetchedAt);
  }

  /** Returns the dated trips with new observations and starts a new collection. */
  takeObserved(): ReadonlyMap<SourceId, readonly ObservedName[]> {
    const taken = new Map([...this.#observed].map(([source, names]) => [source, [...names.values()]] as const));
    this.#observed = new Map();
    return taken;
  }

  #setTally(source: SourceId, part: string, tally: RealtimeTally): void {
    const parts = this.tallies.get(source) ?? new Map<string, RealtimeTally>();
    parts.set(part, tally);
    this.tallies.set(source, parts);
  }

  #addObserved(source: SourceId, observations: readonly CallObservation[]): void {
    const names = this.#observed.get(source) ?? new Map<string, ObservedName>();
    for (const { evidence, tripKey: key, day } of observations) {
      if (evidence === 'observed_actual') names.set(datedTripKey({ key, day }), { key, day });
    }
    if (names.size > 0) this.#observed.set(source, names);
  }
}
