import type { Leg } from '../../../contract/v2-trip.ts';
import { findLegMode } from '../../view-model/leg-ways.ts';
import { isStaying, type LegView, listShownLegs } from '../../view-model/trip-view.ts';
import { LineBadge } from '../line-badge/line-badge.tsx';
import { texts } from './page-texts.ts';
import { WaySign } from './way-sign.tsx';

/** The lines, longer walks, and bicycle and car legs of a trip, in travel order. */
export function RideSequence({ views }: { readonly views: readonly LegView[] }) {
  return (
    <ul class="ride-sequence">
      {listShownLegs(views).map(({ leg, minutes }, i) => (
        <li
          key={i}
          data-cancelled={leg.cancellation.fullyCancelled || undefined}
          data-staying={isStaying(leg) || undefined}
        >
          {leg.line ? <LineBadge line={leg.line} /> : <ShortWay leg={leg} minutes={minutes} />}
          {leg.cancellation.fullyCancelled && <span class="visually-hidden"> {texts.trip.cancelled}</span>}
        </li>
      ))}
    </ul>
  );
}

function ShortWay({ leg, minutes }: { readonly leg: Leg; readonly minutes: number }) {
  const mode = findLegMode(leg) ?? 'walk';
  return (
    <span class="walked">
      <span class="visually-hidden">{texts.trip.ways[mode].name} </span>
      <WaySign mode={mode} /> {minutes}′
    </span>
  );
}
