import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildServiceTables, countServiceDays } from '../../../pipeline/snapshots/timetable/service-tables.ts';

it('keeps for every service the days of a naive calendar, and no other', () => {
  const services = fc.array(fc.uniqueArray(fc.integer({ min: -400, max: 40_000 }), { maxLength: 12 }), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(services, (daysOfServices) => {
      const calendar = daysOfServices.map((days) => new Set(days));
      const rows = daysOfServices.flatMap((days, service) =>
        [...days].sort((a, b) => a - b).map((day) => ({ service, day })),
      );
      const dates = {
        service: Int32Array.from(rows, ({ service }) => service),
        day: Int32Array.from(rows, ({ day }) => day),
      };
      const { services: table, serviceBits } = buildServiceTables(calendar.length, dates);
      expect([...countServiceDays(calendar.length, dates)]).toEqual(calendar.map((days) => days.size));
      for (const [service, days] of calendar.entries()) {
        const [first, last] = [table.firstDay[service]!, table.lastDay[service]!];
        if (days.size > 0) expect([first, last]).toEqual([Math.min(...days), Math.max(...days)]);
        else expect(last).toBeLessThan(first);
        const found = [];
        for (let day = first; day <= last; day++) {
          const byte = serviceBits.bits[table.firstByte[service]! + ((day - first) >> 3)]!;
          if ((byte >> ((day - first) & 7)) & 1) found.push(day);
        }
        expect(new Set(found)).toEqual(days);
      }
    }),
  );
});
