import { useState } from 'preact/hooks';
import { listLegRefs } from '../../../contract/leg-refs.ts';
import type { RescueOption, RescueResult } from '../../../contract/v2-watch.ts';
import { listLegItems } from '../../view-model/leg-items.ts';
import { clockOf } from '../../view-model/shown-time.ts';
import { rescuePath } from '../../view-model/trip-paths.ts';
import { viewLegs } from '../../view-model/trip-view.ts';
import type { TripsState } from '../../view-model/trips-state.ts';
import { describeFailure, texts } from './page-texts.ts';
import { describeChance } from './rescue-words.ts';
import { RideSequence } from './ride-sequence.tsx';
import { type GoTo, StateLink } from './state-link.tsx';
import { TripTime } from './trip-time.tsx';
import { useFollowed } from './use-followed.ts';

const RESCUE_SECONDS = 60;
/** For a transfer at risk the plan B is shown instead. */
const failing: readonly RescueResult['state'][] = ['missed', 'cancelled'];

interface RescuePanelProps {
  readonly state: TripsState;
  readonly goTo: GoTo;
  readonly tripState: RescueResult['state'];
  readonly isPaused: boolean;
}

/** Rescue options: opened automatically if the trip fails, otherwise on request. */
export function RescuePanel({ state, goTo, tripState, isPaused }: RescuePanelProps) {
  const [wantedFor, setWantedFor] = useState('');
  const trip = listLegItems(state.chosen);
  if (!failing.includes(tripState) && wantedFor !== trip) {
    return (
      <p class="rescue-offer">
        <button type="button" onClick={() => setWantedFor(trip)}>
          {texts.rescue.offer}
        </button>
      </p>
    );
  }
  return <RescueOptions state={state} goTo={goTo} isPaused={isPaused} />;
}

function RescueOptions({ state, goTo, isPaused }: Omit<RescuePanelProps, 'tripState'>) {
  const { answer, error } = useFollowed<RescueResult>(rescuePath(state), RESCUE_SECONDS, isPaused);
  return (
    <section class="rescue" aria-labelledby="rescue-heading">
      <h3 id="rescue-heading">{texts.rescue.label}</h3>
      <p role="status" class="status-line">
        {answer ? describeNone(answer) : error ? describeFailure(error.code) : texts.rescue.searching}
      </p>
      <ol>
        {answer?.options.map((option) => (
          <Option key={`${option.kind} ${option.trip.id}`} option={option} state={state} goTo={goTo} />
        ))}
      </ol>
    </section>
  );
}

function describeNone({ options }: RescueResult): string {
  return options.length === 0 ? texts.rescue.none : '';
}

/** Explains that options start at the current position of the traveller. */
function continueBy(state: TripsState, { trip }: RescueOption): TripsState {
  const { id, name } = trip.legs[0]!.origin;
  const from = { place: id, name };
  return { ...state, from, when: { kind: 'now' }, pageToken: null, chosen: listLegRefs(trip) };
}

interface OptionProps {
  readonly option: RescueOption;
  readonly state: TripsState;
  readonly goTo: GoTo;
}

function Option({ option, state, goTo }: OptionProps) {
  const { kind, trip, arrivalDeltaMinutes, decideBy } = option;
  const chosen = listLegRefs(trip);
  const chance = describeChance(option, texts.rescue);
  return (
    <li data-tone={chance.tone}>
      <h4>{texts.rescue.kind[kind]}</h4>
      <p class="arrival">
        {texts.trip.arrival} <TripTime time={trip.arrival} />{' '}
        <span class="delta">{texts.rescue.delta(arrivalDeltaMinutes)}</span>
      </p>
      <RideSequence views={viewLegs(trip, [])} />
      <p class="chance">
        <span class="number">{chance.text}</span>
        {chance.basis && <span class="basis">{chance.basis}</span>}
      </p>
      <p class="decide">{texts.rescue.decideBy(clockOf(decideBy))}</p>
      {chosen.length > 0 && listLegItems(chosen) !== listLegItems(state.chosen) && (
        <StateLink class="button choose" state={continueBy(state, option)} goTo={goTo}>
          {texts.rescue.choose}
        </StateLink>
      )}
    </li>
  );
}
