import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { SeenCancellation, SeenLeg } from './seen.ts';

/** The end of a ride whose time a text names. */
export type NamedEvent = 'departure' | 'arrival';

/** One sentence for each event, as the traveller reads it on a locked screen. */
export interface EventTexts {
  /** @param event the text names its times, and the minutes are its delay */
  late(leg: SeenLeg, event: NamedEvent, minutes: number): string;
  early(leg: SeenLeg, minutes: number): string;
  leftEarly(leg: SeenLeg, minutes: number): string;
  /** It was to leave early and does not any more. */
  notEarly(leg: SeenLeg): string;
  /** @param minutes what remains of the delay, 0 or less for none */
  punctual(leg: SeenLeg, minutes: number): string;
  platform(leg: SeenLeg, now: string, before: string): string;
  cancelled(leg: SeenLeg, cancellation: SeenCancellation): string;
  notCancelled(leg: SeenLeg): string;
  /** @param stops one at least */
  skipped(leg: SeenLeg, stops: readonly string[]): string;
  notSkipped(leg: SeenLeg): string;
  transferAtRisk(leg: SeenLeg): string;
  transferMissed(leg: SeenLeg): string;
  transferSafe(leg: SeenLeg): string;
  disruption(title: string): string;
  disruptionEnded(title: string): string;
  /** The planned trip is the best option. */
  keepPlan(arrival: Instant): string;
  options(count: number, arrival: Instant): string;
  ended(): string;
}
