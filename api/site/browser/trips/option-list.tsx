import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { listLegRefs } from '../../../contract/leg-refs.ts';
import type { TransferOutlook, TripChoice } from '../../../contract/trip-outlook.ts';
import type { Trip } from '../../../contract/v2-trip.ts';
import { failureTexts } from '../../texts/failures.ts';
import { listLegItems } from '../../view-model/leg-items.ts';
import { markTrips, type TripMark } from '../../view-model/trip-marks.ts';
import { tripsPath } from '../../view-model/trip-paths.ts';
import { dateOf } from '../../view-model/trip-times.ts';
import {
  countTripMinutes,
  findTripPercent,
  hasUnknownAccess,
  isBroken,
  type LegView,
  listTransfers,
  startsDay,
  viewLegs,
} from '../../view-model/trip-view.ts';
import { describeChanges, describeCount } from '../../view-model/trip-words.ts';
import type { TripsState } from '../../view-model/trips-state.ts';
import { useFetch } from '../fetch/use-fetch.ts';
import { pageLanguage } from '../page/language.ts';
import { Skeleton } from '../page/skeleton.tsx';
import { Fare } from './fare.tsx';
import { describeDay, describeDuration, describeFailure, texts } from './page-texts.ts';
import { RideSequence } from './ride-sequence.tsx';
import { type GoTo, StateLink } from './state-link.tsx';
import { TransferLine } from './transfer-line.tsx';
import { TripLegs } from './trip-legs.tsx';
import { TripMap } from './trip-map.tsx';
import { TripTimes } from './trip-time.tsx';
import { ViaLine } from './via-line.tsx';

const language = pageLanguage();

interface OptionListProps {
  readonly state: TripsState;
  readonly goTo: GoTo;
}

/** One page of the trip list, with links to the previous and next page. */
export function OptionList({ state, goTo }: OptionListProps) {
  const [{ answer, error, isLoading }, reload] = useFetch<TripChoice>(tripsPath(state));
  const { trips = [], outlooks = [], earlierRef, laterRef } = answer ?? {};
  const marks = markTrips(trips, outlooks);
  const toPage = (pageToken: string): TripsState => ({ ...state, pageToken, chosen: [] });
  return (
    <section class="options" aria-label={texts.list.label} aria-busy={isLoading}>
      <p class="status-line" role="status">
        {isLoading
          ? texts.list.searching
          : error
            ? describeFailure(error.code)
            : answer && describeCount(answer, language)}
      </p>
      {error && (
        <button type="button" onClick={reload}>
          {failureTexts[language].retry}
        </button>
      )}
      {isLoading && !answer && <Skeleton rows={4} height="card" />}
      {earlierRef && (
        <StateLink class="page-link" state={toPage(earlierRef)} goTo={goTo}>
          ↑ {texts.list.earlier}
        </StateLink>
      )}
      <ol>
        {trips.map((trip, i) => (
          <Fragment key={trip.id}>
            {startsDay(trips, i) && (
              <li class="day">
                <h2>{describeDay(dateOf(trip.departure.scheduled!))}</h2>
              </li>
            )}
            <Option trip={trip} outlooks={outlooks[i] ?? []} marks={marks[i] ?? []} state={state} goTo={goTo} />
          </Fragment>
        ))}
      </ol>
      {laterRef && (
        <StateLink class="page-link" state={toPage(laterRef)} goTo={goTo}>
          ↓ {texts.list.later}
        </StateLink>
      )}
      {answer && !isLoading && (
        <StateLink class="page-link" state={{ ...state, all: !state.all, pageToken: null, chosen: [] }} goTo={goTo}>
          {state.all ? texts.list.fewer : texts.list.all}
        </StateLink>
      )}
      {answer && !isLoading && state.when.kind === 'now' && state.pageToken === null && (
        <button class="page-link" type="button" onClick={reload}>
          ↻ {texts.list.refresh}
        </button>
      )}
    </section>
  );
}

interface OptionProps extends OptionListProps {
  readonly trip: Trip;
  readonly outlooks: readonly TransferOutlook[];
  readonly marks: readonly TripMark[];
}

function Option({ trip, outlooks, marks, state, goTo }: OptionProps) {
  const views = viewLegs(trip, outlooks);
  const chosen = listLegRefs(trip);
  const isChosen = chosen.length > 0 && listLegItems(chosen) === listLegItems(state.chosen);
  const percent = findTripPercent(outlooks);
  const times = <TripTimes trip={trip} />;
  return (
    <li class="option" data-chosen={isChosen || undefined} data-broken={isBroken(trip) || undefined}>
      <p class="times">
        {chosen.length === 0 ? (
          <span>{times}</span>
        ) : (
          <StateLink state={{ ...state, chosen }} goTo={goTo} isCurrent={isChosen}>
            {times}
          </StateLink>
        )}
        <span class="duration">{describeDuration(countTripMinutes(trip))}</span>
      </p>
      <RideSequence views={views} />
      <ViaLine trip={trip} via={state.via} />
      {marks.length > 0 && (
        <p class="marks">
          {marks.map((mark) => (
            <span key={mark} class="state" data-state="good">
              {texts.trip.marks[mark]}
            </span>
          ))}
        </p>
      )}
      <p class="facts">
        <span>{describeChanges(trip, language)}</span>
        <Fare trip={trip} />
      </p>
      {listTransfers(views).map((transfer, i) => (
        <TransferLine key={i} transfer={transfer} />
      ))}
      {percent !== null && !isBroken(trip) && (
        <p class="transfer-line">
          <span class="number">{texts.change.all(percent)}</span>
          <span class="basis">{texts.change.allBasis}</span>
        </p>
      )}
      {hasUnknownAccess(trip) && <p class="hint">{texts.trip.unknownAccess}</p>}
      {isBroken(trip) && <p class="broken">{texts.trip.broken}</p>}
      {chosen.length === 0 && <WholeWay trip={trip} views={views} />}
    </li>
  );
}

/** The legs and the map of a trip without rides, which has no separate address. */
function WholeWay({ trip, views }: { readonly trip: Trip; readonly views: readonly LegView[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="whole" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.trip.whole}</summary>
      {isOpen && (
        <>
          <TripLegs views={views} failing={null} />
          <TripMap trip={trip} />
        </>
      )}
    </details>
  );
}
