import { locationTexts } from '../../texts/location.ts';
import { useLocation } from '../location/use-location.ts';
import { pageLanguage } from '../page/language.ts';

interface HereButtonProps {
  /** Receives the position as `lat,lon`. */
  readonly onLocate: (place: string) => void;
}

/** Fills a field with the user's position; absent if the browser has no geolocation. */
export function HereButton({ onLocate }: HereButtonProps) {
  const location = useLocation(({ lat, lon }) => onLocate(`${lat},${lon}`));
  if (location === null) return null;
  return (
    <>
      <button class="here" type="button" onClick={location.locate}>
        {locationTexts[pageLanguage()].here}
      </button>
      <span class="here-state" role="status">
        {location.message}
      </span>
    </>
  );
}
