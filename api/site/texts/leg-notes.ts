import { defineTexts } from './languages.ts';

/** A ride on a shared bicycle. */
interface Rental {
  readonly system: string;
  /** Where it is rented and returned; `null` outside of stations. */
  readonly station: string | null;
  readonly returnStation: string | null;
  /** Bicycles at the station at the time of the request. */
  readonly available: number;
}

/** Sentences about the legs of a trip. */
export const legNoteTexts = defineTexts({
  de: {
    /** By attribute. */
    fixed: {
      'parking:parkAndRide':
        'Das Auto bleibt auf dem Park-&-Ride-Parkplatz. Von dort sind es wenige Schritte zur Haltestelle.',
      'parking:station': 'Dort abstellen.',
      'bike:onBoard': 'Sie nehmen das Rad mit.',
      'car:dropOff': 'Sie lassen sich hinbringen oder nehmen ein Taxi.',
      'car:pickUp': 'Sie lassen sich abholen oder nehmen ein Taxi.',
      'bikes:unknown': 'Ob Sie Ihr Rad mitnehmen dürfen, ist nicht bekannt.',
      'lift:outOfService': 'Ein Aufzug auf diesem Weg ist außer Betrieb.',
      'onDemand:yes': 'Fährt nur, wenn Sie vorher bestellen.',
      'booking:closed': 'Die Bestellfrist ist abgelaufen.',
      'occupancy:empty': 'Fast leer',
      'occupancy:manySeatsAvailable': 'Viele freie Plätze',
      'occupancy:fewSeatsAvailable': 'Wenige freie Plätze',
      'occupancy:standingRoomOnly': 'Nur noch Stehplätze',
      'occupancy:crushedStandingRoomOnly': 'Kaum noch Stehplätze',
      'occupancy:full': 'Voll',
      'occupancy:notAcceptingPassengers': 'Nimmt niemanden mehr mit',
      'occupancy:notBoardable': 'Einsteigen nicht möglich',
    },
    rental: ({ system, station, returnStation, available }: Rental) => {
      const bikes = available === 1 ? '1 Rad' : `${available} Räder`;
      const taken = station === null ? 'steht hier' : `bei „${station}“ ausleihen (gerade ${bikes} da)`;
      const left = returnStation === null ? 'am Ziel abstellen' : `bei „${returnStation}“ zurückgeben`;
      return `Leihrad von ${system}: ${taken}, ${left}. Die Leihgebühr ist im Preis nicht enthalten.`;
    },
    rent: (system: string) => `Bei ${system} ausleihen`,
    bookBy: (clock: string) => `Bis ${clock} bestellen.`,
    phone: (number: string) => `Telefon: ${number}`,
    book: 'Online bestellen',
    rentedAt: (station: string) => `Leihrad ${station}`,
  },
  en: {
    fixed: {
      'parking:parkAndRide': 'Leave the car at the park and ride, a few steps from the stop.',
      'parking:station': 'Park it there.',
      'bike:onBoard': 'Take the bicycle on board.',
      'car:dropOff': 'Someone drops you off, or take a taxi.',
      'car:pickUp': 'Someone picks you up, or take a taxi.',
      'bikes:unknown': 'It is unknown whether bicycles are allowed on board.',
      'lift:outOfService': 'A lift on this route is out of service.',
      'onDemand:yes': 'Runs only if you book it in advance.',
      'booking:closed': 'It can no longer be booked.',
      'occupancy:empty': 'Almost empty',
      'occupancy:manySeatsAvailable': 'Many seats available',
      'occupancy:fewSeatsAvailable': 'Few seats available',
      'occupancy:standingRoomOnly': 'Standing room only',
      'occupancy:crushedStandingRoomOnly': 'Hardly any standing room',
      'occupancy:full': 'Full',
      'occupancy:notAcceptingPassengers': 'Not taking passengers',
      'occupancy:notBoardable': 'You cannot board',
    },
    rental: ({ system, station, returnStation, available }: Rental) => {
      const bikes = available === 1 ? '1 bicycle' : `${available} bicycles`;
      const taken = station === null ? 'it is parked here' : `rent it at “${station}” (${bikes} there now)`;
      const left = returnStation === null ? 'park it at your destination' : `return it at “${returnStation}”`;
      return `Shared bicycle by ${system}: ${taken}, ${left}. The price does not include the rental.`;
    },
    rent: (system: string) => `Rent from ${system}`,
    bookBy: (clock: string) => `Book by ${clock}.`,
    phone: (number: string) => `Telephone: ${number}`,
    book: 'Book online',
    rentedAt: (station: string) => `Shared bicycle ${station}`,
  },
});
