import type { SharingStationStock } from '../../../contract/site-sharing.ts';
import { legNoteTexts } from '../../texts/leg-notes.ts';
import { mapPageTexts } from '../../texts/map.ts';
import { emptyState, tripsAddress } from '../../view-model/trips-state.ts';
import { pageLanguage } from '../page/language.ts';
import { CardHead } from './card-head.tsx';
import { stationKey } from './map-state.ts';

/** Bicycles and free docks of a station, in words. */
function describeStock({ bikes, docks }: SharingStationStock): string {
  const texts = mapPageTexts[pageLanguage()];
  return [texts.bikes(bikes), ...(docks === null ? [] : [texts.docks(docks)])].join(' · ');
}

interface SharingListProps {
  /** Nearest first; null: none are shown at this zoom. */
  readonly stations: readonly SharingStationStock[] | null;
}

/** The sharing stations of the map as a list, for users who cannot see or click the map. */
export function SharingList({ stations }: SharingListProps) {
  const texts = mapPageTexts[pageLanguage()];
  const { rent } = legNoteTexts[pageLanguage()];
  if (stations === null) return <p class="note">{texts.sharingNearer}</p>;
  if (stations.length === 0) return <p class="note">{texts.noSharing}</p>;
  return (
    <ul class="map-stops">
      {stations.map((station) => (
        <li key={stationKey(station)}>
          {station.url === null ? (
            <bdi>{station.name}</bdi>
          ) : (
            <a href={station.url} rel="noopener noreferrer" aria-label={`${station.name}: ${rent(station.system)}`}>
              <bdi>{station.name}</bdi>
            </a>
          )}{' '}
          <span class="note">{describeStock(station)}</span>
        </li>
      ))}
    </ul>
  );
}

interface SharingCardProps {
  readonly station: SharingStationStock;
  readonly onClose: () => void;
}

/** The sharing station that was chosen on the map. */
export function SharingCard({ station, onClose }: SharingCardProps) {
  const texts = mapPageTexts[pageLanguage()];
  const { rent } = legNoteTexts[pageLanguage()];
  const { name, system, lat, lon, url } = station;
  const from = { place: `${lat.toFixed(5)},${lon.toFixed(5)}`, name };
  const trip = tripsAddress({ ...emptyState, from, mode: 'sharedBike' }, new URLSearchParams());
  return (
    <div class="map-card card" role="status">
      <CardHead name={name} onClose={onClose}>
        {' '}
        <span class="note">{system}</span>
      </CardHead>
      <p>{describeStock(station)}</p>
      <p class="actions">
        {url !== null && (
          <a href={url} rel="noopener noreferrer">
            {rent(system)}
          </a>
        )}{' '}
        <a href={trip}>{texts.tripFrom}</a>
      </p>
    </div>
  );
}
