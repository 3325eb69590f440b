import type { MapSectionVehicle } from '../../../contract/site-map.ts';
import type { Line } from '../../../contract/v2-basics.ts';
import { mapPageTexts } from '../../texts/map.ts';
import { describeDelay } from '../../view-model/vehicle-delay.ts';
import { LineBadge } from '../line-badge/line-badge.tsx';
import { nowMilliseconds } from '../live/server-clock.ts';
import { pageLanguage } from '../page/language.ts';
import { formatAge } from '../times/format-age.ts';

interface VehicleListProps {
  readonly vehicles: readonly MapSectionVehicle[];
  /** Number of all vehicles of the section. */
  readonly count: number;
}

/** The vehicles of the map as a table, for users who cannot see or click the map. */
export function VehicleList({ vehicles, count }: VehicleListProps) {
  const texts = mapPageTexts[pageLanguage()];
  if (vehicles.length === 0) return <p class="note">{texts.noVehicles}</p>;
  return (
    <>
      <p class="note">{texts.counted(vehicles.length, count)}</p>
      <div class="wide">
        <table class="number-table">
          <thead>
            <tr>
              <th scope="col">{texts.columns.line}</th>
              <th scope="col">{texts.columns.direction}</th>
              <th scope="col">{texts.columns.delay}</th>
              <th scope="col">{texts.columns.seen}</th>
            </tr>
          </thead>
          <tbody>
            {vehicles.map((vehicle) => (
              <VehicleRow key={vehicle.id} vehicle={vehicle} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function VehicleRow({ vehicle }: { readonly vehicle: MapSectionVehicle }) {
  const language = pageLanguage();
  const line = lineOf(vehicle);
  return (
    <tr>
      <th scope="row">{line === null ? mapPageTexts[language].unknownLine : <LineBadge line={line} />}</th>
      <td>
        <Direction vehicle={vehicle} />
      </td>
      <td>{describeDelay(vehicle.delaySeconds, language)}</td>
      <td>{formatAge((nowMilliseconds() - Date.parse(vehicle.observedAt)) / 1000, language)}</td>
    </tr>
  );
}

/** The line of a vehicle for its badge; null where it is unknown. */
export function lineOf({ line, product, colorHex }: MapSectionVehicle): Line | null {
  if (line === null) return null;
  return { label: line, name: line, product: product ?? 'other', ...(colorHex !== null && { colorHex }) };
}

function Direction({ vehicle: { jid, direction } }: { readonly vehicle: MapSectionVehicle }) {
  const texts = mapPageTexts[pageLanguage()];
  if (jid === null) return <>{direction ?? ''}</>;
  const label = direction === null ? texts.journey : texts.toJourney(direction);
  return (
    <a href={`/journeys/${encodeURIComponent(jid)}`} aria-label={label}>
      {direction ?? texts.journey}
    </a>
  );
}
