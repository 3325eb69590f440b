import type { TimetableTables } from './contract.ts';

export type ServiceTables = Pick<TimetableTables, 'services' | 'serviceBits'>;

/** Service dates as bits: a few dozen bytes for a service of a year. */
export function buildServiceTables(
  serviceCount: number,
  dates: { readonly service: Int32Array; readonly day: Int32Array },
): ServiceTables {
  const firstDay = new Int32Array(serviceCount).fill(0);
  const lastDay = new Int32Array(serviceCount).fill(-1);
  for (let i = 0; i < dates.service.length; i++) {
    const service = dates.service[i]!;
    // Dates are sorted, so the first one read is the first day.
    if (lastDay[service]! < firstDay[service]!) firstDay[service] = dates.day[i]!;
    lastDay[service] = dates.day[i]!;
  }
  const firstByte = new Int32Array(serviceCount);
  let bytes = 0;
  for (let service = 0; service < serviceCount; service++) {
    firstByte[service] = bytes;
    bytes += countBytes(firstDay[service]!, lastDay[service]!);
  }
  const bits = new Uint8Array(bytes);
  for (let i = 0; i < dates.service.length; i++) {
    const service = dates.service[i]!;
    const day = dates.day[i]! - firstDay[service]!;
    bits[firstByte[service]! + (day >> 3)]! |= 1 << (day & 7);
  }
  return { services: { firstDay, lastDay, firstByte }, serviceBits: { bits } };
}

/** Services of the feeds, extended by services for days that no feed has a service of. */
export interface ServiceBook {
  /**
   * @param days at least one, ascending
   * @returns row of the service that runs on exactly these days: of a feed where there is one
   */
  readonly getService: (days: readonly number[]) => number;
  /** All services so far: those of the feeds, then the added ones. */
  readonly listServices: () => ServiceTables;
}

export function openServiceBook(feeds: ServiceTables): ServiceBook {
  const rowByName = new Map<string, number>();
  const count = feeds.services.firstDay.length;
  for (let row = 0; row < count; row++) {
    const name = nameDays(feeds.services.firstDay[row]!, bitsOf(feeds, row));
    if (!rowByName.has(name)) rowByName.set(name, row);
  }
  const further: { readonly firstDay: number; readonly lastDay: number; readonly bits: Uint8Array }[] = [];
  const getService = (days: readonly number[]) => {
    const [firstDay, lastDay] = [days[0]!, days.at(-1)!];
    const bits = new Uint8Array(countBytes(firstDay, lastDay));
    for (const day of days) bits[(day - firstDay) >> 3]! |= 1 << ((day - firstDay) & 7);
    const name = nameDays(firstDay, bits);
    const known = rowByName.get(name);
    if (known !== undefined) return known;
    const row = count + further.push({ firstDay, lastDay, bits }) - 1;
    rowByName.set(name, row);
    return row;
  };
  const listServices = () => {
    const { firstDay, lastDay, firstByte } = feeds.services;
    const ends = [feeds.serviceBits.bits.length];
    for (const { bits } of further) ends.push(ends.at(-1)! + bits.length);
    const bits = new Uint8Array(ends.at(-1)!);
    bits.set(feeds.serviceBits.bits);
    for (const [i, each] of further.entries()) bits.set(each.bits, ends[i]!);
    return {
      services: {
        firstDay: Int32Array.from([...firstDay, ...further.map((each) => each.firstDay)]),
        lastDay: Int32Array.from([...lastDay, ...further.map((each) => each.lastDay)]),
        firstByte: Int32Array.from([...firstByte, ...ends.slice(0, -1)]),
      },
      serviceBits: { bits },
    };
  };
  return { getService, listServices };
}

function bitsOf({ services, serviceBits }: ServiceTables, row: number): Uint8Array {
  const from = services.firstByte[row]!;
  return serviceBits.bits.subarray(from, from + countBytes(services.firstDay[row]!, services.lastDay[row]!));
}

function countBytes(firstDay: number, lastDay: number): number {
  return Math.ceil((lastDay - firstDay + 1) / 8);
}

function nameDays(firstDay: number, bits: Uint8Array): string {
  return `${firstDay} ${Buffer.from(bits).toString('latin1')}`;
}

/** Number of days on which each service runs. */
export function countServiceDays(serviceCount: number, dates: { readonly service: Int32Array }): Int32Array {
  const days = new Int32Array(serviceCount);
  for (const service of dates.service) days[service]!++;
  return days;
}
