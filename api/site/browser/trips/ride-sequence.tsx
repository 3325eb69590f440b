import { isStaying, type LegView, listShownLegs } from '../../view-model/trip-view.ts';
import { LineBadge } from '../line-badge/line-badge.tsx';
import { texts } from './page-texts.ts';

/** The lines and longer walks of a trip, in travel order. */
export function RideSequence({ views }: { readonly views: readonly LegView[] }) {
  return (
    <ul class="ride-sequence">
      {listShownLegs(views).map(({ leg, minutes }, i) => (
        <li
          key={i}
          data-cancelled={leg.cancellation.fullyCancelled || undefined}
          data-staying={isStaying(leg) || undefined}
        >
          {leg.line ? <LineBadge line={leg.line} /> : <Walked minutes={minutes} />}
          {leg.cancellation.fullyCancelled && <span class="visually-hidden"> {texts.trip.cancelled}</span>}
        </li>
      ))}
    </ul>
  );
}

function Walked({ minutes }: { readonly minutes: number }) {
  return (
    <span class="walked">
      <span class="visually-hidden">{texts.trip.onFoot} </span>
      <WalkSign /> {minutes}′
    </span>
  );
}

/** Icon of a pedestrian. */
export function WalkSign() {
  return (
    <svg class="sign" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
      <circle cx="13" cy="3.6" r="2.1" />
      <path d="M10 9l3-2 2 3 3 1.4M13 7l-1 6 3 3 1 6M12 13l-3 4-3 4" />
    </svg>
  );
}
