import type { StationPunctuality } from '../../../contract/site-stations.ts';
import { stationTexts } from '../../texts/stations.ts';
import { classifyStation, describeStation, percentOnTime } from '../../view-model/station-punctuality.ts';
import { CardHead } from '../map/card-head.tsx';
import { pageLanguage } from '../page/language.ts';

const language = pageLanguage();
const texts = stationTexts[language];
/** Maximum number of rows in the table. */
const MAX_LISTED = 40;

const detailsPath = (id: string) => `/punctuality/stops/${encodeURIComponent(id)}`;

interface StationCardProps {
  readonly station: StationPunctuality;
  readonly onClose: () => void;
}

/** The station that was chosen on the map. */
export function StationCard({ station, onClose }: StationCardProps) {
  const [share, coverage] = describeStation(station, language);
  return (
    <section class="map-card card" aria-label={station.name}>
      <CardHead name={station.name} onClose={onClose} />
      <p>
        <span class="station-dot" data-class={classifyStation(station)} aria-hidden="true" /> {share}
      </p>
      <p class="note">{coverage}</p>
      <p class="actions">
        <a href={detailsPath(station.id)}>{texts.details}</a>
      </p>
    </section>
  );
}

interface StationTableProps {
  /** Those in view, with the most observed calls first. */
  readonly stations: readonly StationPunctuality[];
}

/** The stations in view as a table, for users who cannot see or click the map. */
export function StationTable({ stations }: StationTableProps) {
  const listed = stations.slice(0, MAX_LISTED);
  const { stop, share, observed, expected } = texts.columns;
  const format = new Intl.NumberFormat(language);
  return (
    <section aria-labelledby="stations-title">
      <h2 id="stations-title">{texts.inView}</h2>
      <p class="note">{stations.length === 0 ? texts.noneInView : texts.counted(listed.length, stations.length)}</p>
      <div class="wide">
        <table class="number-table station-table">
          <thead>
            <tr>
              <th scope="col">{stop}</th>
              <th scope="col">{share}</th>
              <th scope="col">{observed}</th>
              <th scope="col">{expected}</th>
            </tr>
          </thead>
          <tbody>
            {listed.map((station) => (
              <tr key={station.id}>
                <th scope="row">
                  <a href={detailsPath(station.id)}>
                    <bdi>{station.name}</bdi>
                  </a>
                </th>
                <td>
                  <span class="station-dot" data-class={classifyStation(station)} aria-hidden="true" />
                  {texts.percent(percentOnTime(station))}
                </td>
                <td>{format.format(station.observed)}</td>
                <td>{format.format(station.expected)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
