import { useEffect, useRef, useState } from 'preact/hooks';
import type { FollowedTrip } from '../../../contract/trip-outlook.ts';
import type { Trip } from '../../../contract/v2-trip.ts';
import type { RescueResult } from '../../../contract/v2-watch.ts';
import { planBSearch } from '../../view-model/plan-b.ts';
import { followedTripPath } from '../../view-model/trip-paths.ts';
import { dateOf, expectedAt } from '../../view-model/trip-times.ts';
import { describeTripTitle } from '../../view-model/trip-title.ts';
import { countTripMinutes, findRideLeg, isUnderWay, viewLegs } from '../../view-model/trip-view.ts';
import { describeChanges, describeEnd } from '../../view-model/trip-words.ts';
import type { TripsState } from '../../view-model/trips-state.ts';
import { pageLanguage } from '../page/language.ts';
import { Skeleton } from '../page/skeleton.tsx';
import { Fare } from './fare.tsx';
import { describeDay, describeDuration, describeFailure, texts } from './page-texts.ts';
import { PlanB } from './plan-b.tsx';
import { RescuePanel } from './rescue-panel.tsx';
import { ShareButtons } from './share-buttons.tsx';
import { type GoTo, StateLink } from './state-link.tsx';
import { TripLegs } from './trip-legs.tsx';
import { TripMap } from './trip-map.tsx';
import { TripTimes } from './trip-time.tsx';
import { useFollowed } from './use-followed.ts';
import { ViaLine } from './via-line.tsx';
import { WatchButton } from './watch-button.tsx';

const FOLLOW_SECONDS = 30;

interface ChosenTripProps {
  readonly state: TripsState;
  readonly goTo: GoTo;
}

/** Details of a trip, with live updates while the page is visible. */
export function ChosenTrip({ state, goTo }: ChosenTripProps) {
  const [isPaused, setPaused] = useState(false);
  const path = followedTripPath(state);
  const { answer, error } = useFollowed<FollowedTrip>(path, FOLLOW_SECONDS, isPaused);
  useTitle(answer?.trip ?? null, state);
  const heading = useRef<HTMLHeadingElement>(null);
  const isLoaded = answer !== null;
  useEffect(() => {
    if (isLoaded) heading.current?.focus();
  }, [path, isLoaded]);
  return (
    <section class="chosen" aria-label={texts.trip.label}>
      <StateLink class="back" state={{ ...state, chosen: [] }} goTo={goTo}>
        ← {texts.trip.back}
      </StateLink>
      {error && (
        <p class="failure" role="alert">
          {answer ? texts.follow.stale : describeFailure(error.code)}
        </p>
      )}
      {!answer && !error && (
        <>
          <p role="status">{texts.trip.loading}</p>
          <Skeleton rows={3} height="card" />
        </>
      )}
      {answer && (
        <>
          <h2 ref={heading} tabIndex={-1}>
            {answer.trip.legs[0]!.origin.name} <span aria-hidden="true">→</span>{' '}
            {answer.trip.legs.at(-1)!.destination.name}
          </h2>
          <TripHead trip={answer.trip} via={state.via} />
          <p class="trip-status" role="status">
            <span class="state" data-state={tones[answer.state]}>
              {texts.state[answer.state]}
            </span>
          </p>
          <Follow answer={answer} isPaused={isPaused} onToggle={() => setPaused(!isPaused)} />
          {isUnderWay(answer.trip, answer.generatedAt) && (
            <RescuePanel state={state} goTo={goTo} tripState={answer.state} isPaused={isPaused} />
          )}
          <Legs answer={answer} state={state} goTo={goTo} />
          <TripMap trip={answer.trip} />
          <WatchButton trip={answer.trip} />
          <ShareButtons />
        </>
      )}
    </section>
  );
}

interface LegsProps extends ChosenTripProps {
  readonly answer: FollowedTrip;
}

/** The legs, with a plan B under each tight transfer. */
function Legs({ answer, state, goTo }: LegsProps) {
  const { trip, outlooks } = answer;
  const views = viewLegs(trip, outlooks);
  return (
    <TripLegs
      views={views}
      failing={findFailing(answer)}
      renderPlanB={(i) => {
        const search = planBSearch(views, i, state);
        return search && <PlanB search={search} plannedArrival={expectedAt(trip.arrival)} goTo={goTo} />;
      }}
    />
  );
}

/** Sets the document title to the trip, for printing and sharing, and restores the title of the list afterwards. */
function useTitle(trip: Trip | null, { from, to }: TripsState): void {
  const title = trip && describeTripTitle(trip);
  useEffect(() => {
    if (title === null) return;
    const ends = [from, to].map((end) => describeEnd(end, pageLanguage()));
    document.title = title;
    return () => {
      document.title = ends.join(' → ');
    };
  }, [title]);
}

const tones: Readonly<Record<RescueResult['state'], 'good' | 'warn' | 'bad' | undefined>> = {
  onTrack: 'good',
  atRisk: 'warn',
  missed: 'bad',
  cancelled: 'bad',
  unknown: undefined,
};

function findFailing({
  trip,
  state,
  atLeg,
}: FollowedTrip): { readonly leg: number; readonly tone: 'warn' | 'bad' } | null {
  const tone = tones[state];
  return tone === 'warn' || tone === 'bad' ? { leg: findRideLeg(trip, atLeg), tone } : null;
}

function TripHead({ trip, via }: { readonly trip: Trip; readonly via: TripsState['via'] }) {
  return (
    <div class="trip-head">
      <p class="day">{describeDay(dateOf(trip.departure.scheduled!))}</p>
      <p class="times">
        <TripTimes trip={trip} />
      </p>
      <p class="facts">
        <span>{describeDuration(countTripMinutes(trip))}</span>
        <span>{describeChanges(trip, pageLanguage())}</span>
        <Fare trip={trip} />
      </p>
      <ViaLine trip={trip} via={via} />
    </div>
  );
}

interface FollowProps {
  readonly answer: FollowedTrip;
  readonly isPaused: boolean;
  readonly onToggle: () => void;
}

/** Age of the shown trip, and whether it is being updated. */
function Follow({ answer, isPaused, onToggle }: FollowProps) {
  return (
    <p class="follow">
      <span>{texts.follow.updated(answer.generatedAt.slice(11, 19))}</span>
      <span class="how">{isPaused ? texts.follow.paused : texts.follow.every(FOLLOW_SECONDS)}</span>
      <button type="button" onClick={onToggle}>
        {isPaused ? texts.follow.resume : texts.follow.pause}
      </button>
    </p>
  );
}
