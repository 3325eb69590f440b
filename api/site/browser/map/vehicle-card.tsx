import type { MapSectionVehicle } from '../../../contract/site-map.ts';
import { mapPageTexts } from '../../texts/map.ts';
import { classifyDelay, describeDelay } from '../../view-model/vehicle-delay.ts';
import { LineBadge } from '../line-badge/line-badge.tsx';
import { nowMilliseconds } from '../live/server-clock.ts';
import { pageLanguage } from '../page/language.ts';
import { formatAge } from '../times/format-age.ts';
import { CardHead } from './card-head.tsx';
import { lineOf } from './vehicle-list.tsx';

interface VehicleCardProps {
  readonly vehicle: MapSectionVehicle;
  readonly onClose: () => void;
}

/** The vehicle that was chosen on the map. */
export function VehicleCard({ vehicle, onClose }: VehicleCardProps) {
  const language = pageLanguage();
  const texts = mapPageTexts[language];
  const { jid, direction, delaySeconds, observedAt } = vehicle;
  const line = lineOf(vehicle);
  const age = formatAge((nowMilliseconds() - Date.parse(observedAt)) / 1000, language);
  return (
    <section class="map-card card" aria-label={direction ?? texts.journey}>
      <CardHead name={direction ?? texts.journey} onClose={onClose}>
        {line && (
          <>
            {' '}
            <LineBadge line={line} />
          </>
        )}
      </CardHead>
      <p role="status">
        <span class="delay-dot" data-delay={classifyDelay(delaySeconds)} aria-hidden="true" />{' '}
        {describeDelay(delaySeconds, language)} <span class="note">{texts.seen(age)}</span>
      </p>
      {jid !== null && (
        <p class="actions">
          <a href={`/journeys/${encodeURIComponent(jid)}`}>{texts.openJourney}</a>
        </p>
      )}
    </section>
  );
}
