import type { Line } from '../../../contract/v2-basics.ts';
import { mapPageTexts } from '../../texts/map.ts';
import { LineBadge } from '../line-badge/line-badge.tsx';
import { nowMilliseconds } from '../live/server-clock.ts';
import { pageLanguage } from '../page/language.ts';
import { formatAge } from '../times/format-age.ts';
import type { MapVehicle } from './moving-vehicles.ts';

interface VehicleListProps {
  readonly vehicles: readonly MapVehicle[];
  /** Number of all drawn vehicles. */
  readonly count: number;
  readonly lineOf: (vehicle: MapVehicle) => Line;
}

/** The vehicles of the map as a table, for users who cannot see or click the map. */
export function VehicleList({ vehicles, count, lineOf }: VehicleListProps) {
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
              <th scope="col">{texts.columns.seen}</th>
            </tr>
          </thead>
          <tbody>
            {vehicles.map((vehicle) => (
              <tr key={vehicle.id}>
                <th scope="row">{vehicle.line === null ? texts.unknownLine : <LineBadge line={lineOf(vehicle)} />}</th>
                <td>
                  <Direction vehicle={vehicle} />
                </td>
                <td>{formatAge((nowMilliseconds() - Date.parse(vehicle.observedAt)) / 1000, pageLanguage())}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Direction({ vehicle: { jid, direction } }: { readonly vehicle: MapVehicle }) {
  const texts = mapPageTexts[pageLanguage()];
  if (jid === null) return <>{direction ?? ''}</>;
  const label = direction === null ? texts.journey : texts.toJourney(direction);
  return (
    <a href={`/journeys/${encodeURIComponent(jid)}`} aria-label={label}>
      {direction ?? texts.journey}
    </a>
  );
}
