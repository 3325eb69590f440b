import type { TimetableTables } from '../../snapshots/timetable-contract.ts';

type ServiceTables = Pick<TimetableTables, 'services' | 'serviceBits'>;

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

/** Services of the feeds, extended by services for other sets of days. */
export class ServiceBook {
  readonly #rows: ServiceDays[] = [];
  readonly #rowByName = new Map<string, number>();

  constructor(feeds: ServiceTables) {
    const { firstDay, lastDay } = feeds.services;
    for (let row = 0; row < firstDay.length; row++) {
      this.#add({ firstDay: firstDay[row]!, lastDay: lastDay[row]!, bits: bitsOf(feeds, row) });
    }
  }

  #add(days: ServiceDays): number {
    const row = this.#rows.push(days) - 1;
    const name = nameDays(days);
    if (!this.#rowByName.has(name)) this.#rowByName.set(name, row);
    return row;
  }

  /**
   * @param days ascending; none for a trip that never runs
   * @returns row of the service that runs on exactly these days, of a feed if there is one
   */
  getService(days: readonly number[]): number {
    const [firstDay, lastDay] = [days[0] ?? 0, days.at(-1) ?? -1];
    const bits = new Uint8Array(countBytes(firstDay, lastDay));
    for (const day of days) bits[(day - firstDay) >> 3]! |= 1 << ((day - firstDay) & 7);
    const made = { firstDay, lastDay, bits };
    return this.#rowByName.get(nameDays(made)) ?? this.#add(made);
  }

  get count(): number {
    return this.#rows.length;
  }

  runsOn(service: number, day: number): boolean {
    const { firstDay, lastDay, bits } = this.#rows[service]!;
    if (day < firstDay || day > lastDay) return false;
    return ((bits[(day - firstDay) >> 3]! >> ((day - firstDay) & 7)) & 1) === 1;
  }

  /** The days of a service, ascending. */
  listDays(service: number): number[] {
    const { firstDay, lastDay } = this.#rows[service]!;
    const days: number[] = [];
    for (let day = firstDay; day <= lastDay; day++) if (this.runsOn(service, day)) days.push(day);
    return days;
  }

  countDays(service: number): number {
    return this.#rows[service]!.bits.reduce((sum, byte) => sum + countBits(byte), 0);
  }

  /** Whether `other` runs on a day that is `dayOffset` days after one of `one`. */
  haveCommonDay(one: number, other: number, dayOffset = 0): boolean {
    const [a, b] = [this.#rows[one]!, this.#rows[other]!];
    const last = Math.min(a.lastDay, b.lastDay - dayOffset);
    for (let day = Math.max(a.firstDay, b.firstDay - dayOffset); day <= last; day++) {
      if (this.runsOn(one, day) && this.runsOn(other, day + dayOffset)) return true;
    }
    return false;
  }

  /** All services so far: those of the feeds, then the added ones. */
  listServices(): ServiceTables {
    const firstByte = new Int32Array(this.#rows.length);
    let bytes = 0;
    for (const [row, { bits }] of this.#rows.entries()) {
      firstByte[row] = bytes;
      bytes += bits.length;
    }
    const bits = new Uint8Array(bytes);
    for (const [row, days] of this.#rows.entries()) bits.set(days.bits, firstByte[row]);
    return {
      services: {
        firstDay: Int32Array.from(this.#rows, ({ firstDay }) => firstDay),
        lastDay: Int32Array.from(this.#rows, ({ lastDay }) => lastDay),
        firstByte,
      },
      serviceBits: { bits },
    };
  }
}

/** An idle service ends before it begins. */
interface ServiceDays {
  readonly firstDay: number;
  readonly lastDay: number;
  readonly bits: Uint8Array;
}

function bitsOf({ services, serviceBits }: ServiceTables, row: number): Uint8Array {
  const from = services.firstByte[row]!;
  return serviceBits.bits.subarray(from, from + countBytes(services.firstDay[row]!, services.lastDay[row]!));
}

function countBytes(firstDay: number, lastDay: number): number {
  return Math.ceil((lastDay - firstDay + 1) / 8);
}

function nameDays({ firstDay, bits }: ServiceDays): string {
  return `${firstDay} ${Buffer.from(bits).toString('latin1')}`;
}

function countBits(byte: number): number {
  let count = 0;
  for (let rest = byte; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}
