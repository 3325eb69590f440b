import type { TimetableTables } from '../contract.ts';

/** Service dates as bits: a few dozen bytes for a service of a year. */
export function buildServiceTables(
  serviceCount: number,
  dates: { readonly service: Int32Array; readonly day: Int32Array },
): Pick<TimetableTables, 'services' | 'serviceBits'> {
  const firstDay = new Int32Array(serviceCount).fill(0);
  const lastDay = new Int32Array(serviceCount).fill(-1);
  for (let i = 0; i < dates.service.length; i++) {
    const service = dates.service[i]!;
    // Dates come in order, so the first one seen is the first.
    if (lastDay[service]! < firstDay[service]!) firstDay[service] = dates.day[i]!;
    lastDay[service] = dates.day[i]!;
  }
  const firstByte = new Int32Array(serviceCount);
  let bytes = 0;
  for (let service = 0; service < serviceCount; service++) {
    firstByte[service] = bytes;
    bytes += Math.ceil((lastDay[service]! - firstDay[service]! + 1) / 8);
  }
  const bits = new Uint8Array(bytes);
  for (let i = 0; i < dates.service.length; i++) {
    const service = dates.service[i]!;
    const day = dates.day[i]! - firstDay[service]!;
    bits[firstByte[service]! + (day >> 3)]! |= 1 << (day & 7);
  }
  return { services: { firstDay, lastDay, firstByte }, serviceBits: { bits } };
}

/** Days on which a service runs. */
export function countServiceDays(serviceCount: number, dates: { readonly service: Int32Array }): Int32Array {
  const days = new Int32Array(serviceCount);
  for (const service of dates.service) days[service]!++;
  return days;
}
