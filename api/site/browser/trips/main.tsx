import { useState } from 'preact/hooks';
import { readTripMode } from '../../view-model/trip-modes.ts';
import { readState, type TripsState, writeState } from '../../view-model/trips-state.ts';
import { findPlace, mount } from '../page/mount.ts';
import { useQuery } from '../page/use-query.ts';
import { ChosenTrip } from './chosen-trip.tsx';
import { OptionList } from './option-list.tsx';
import { SearchForm } from './search-form.tsx';
import './trips.css';

/** Modes that the service can plan. */
const modes = (findPlace('trips').dataset.modes ?? '').split(' ').map(readTripMode);

mount('trips', <TripsPage />);

function TripsPage() {
  const [query, change] = useQuery();
  const state = readState(query);
  const [searches, setSearches] = useState(0);
  const goTo = (next: TripsState) => change(writeState(next));
  const isRequested = state.from !== null && state.to !== null;
  const isChosen = isRequested && state.chosen.length > 0;
  return (
    <div class="trips" data-chosen={isChosen || undefined}>
      <SearchForm
        state={state}
        modes={modes}
        onSearch={(next) => {
          goTo(next);
          // Submitting the same search again also fetches again.
          setSearches(searches + 1);
        }}
      />
      {isRequested && (
        <div class="found">
          <OptionList key={searches} state={state} goTo={goTo} />
          {isChosen && <ChosenTrip state={state} goTo={goTo} />}
        </div>
      )}
    </div>
  );
}
