import type { TripChoice } from '../../../contract/trip-outlook.ts';
import { describePlanB } from '../../view-model/plan-b.ts';
import { tripsPath } from '../../view-model/trip-paths.ts';
import type { TripsState } from '../../view-model/trips-state.ts';
import { useFetch } from '../fetch/use-fetch.ts';
import { pageLanguage } from '../page/language.ts';
import { type GoTo, StateLink } from './state-link.tsx';

interface PlanBProps {
  /** From `planBSearch`. */
  readonly search: TripsState;
  /** Arrival if the transfer is made, seconds since 1970; `null` if unknown. */
  readonly plannedArrival: number | null;
  readonly goTo: GoTo;
}

/** One line under a tight transfer: the trip if it is missed, with a link to the full search. */
export function PlanB({ search, plannedArrival, goTo }: PlanBProps) {
  const [{ answer }] = useFetch<TripChoice>(tripsPath(search), { keepsLast: true });
  if (answer === null) return null;
  return (
    <p class="plan-b">
      <StateLink state={search} goTo={goTo}>
        {describePlanB(answer, plannedArrival, pageLanguage())}
      </StateLink>
    </p>
  );
}
