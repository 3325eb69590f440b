import { type Static, Type } from './json-schema.ts';
import { closed, define, described, text } from './schema-builders.ts';

export const LegRef = define(
  'LegRef',
  closed(
    {
      journeyRef: described('Journey of the ride.', Type.String({ minLength: 1 })),
      originId: described('LegStop.id of the boarding stop.', text(500)),
      destinationId: described('LegStop.id of the alighting stop.', text(500)),
    },
    { description: 'One ride: the journey, and the LegStop ids where it is boarded and left.' },
  ),
);
export type LegRef = Static<typeof LegRef.schema>;

/** The rides of a trip. */
export const legRefs = () => described('In travel order.', Type.Array(LegRef.ref, { minItems: 1, maxItems: 8 }));
