import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { buildServiceTables, ServiceBook } from '../../../pipeline/timetable/snapshot/service-tables.ts';

it('stores the same days as a naive calendar', () => {
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
      const tables = buildServiceTables(calendar.length, dates);
      const { services: table, serviceBits } = tables;
      const book = new ServiceBook(tables);
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
        expect(book.listDays(service)).toEqual(found);
        expect(book.countDays(service)).toBe(days.size);
        for (const [other, otherDays] of calendar.entries()) {
          expect(book.haveCommonDay(service, other)).toBe([...days].some((day) => otherDays.has(day)));
        }
      }
    }),
  );
});

it('finds the service of some days, or adds it once', () => {
  const dayLists = fc.array(
    fc.uniqueArray(fc.integer({ min: 20_000, max: 20_020 }), { minLength: 1, maxLength: 4 }).map((days) => days.sort()),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(dayLists, dayLists, (ofFeeds, wanted) => {
      const rows = ofFeeds.flatMap((days, service) => days.map((day) => ({ service, day })));
      const dates = {
        service: Int32Array.from(rows, ({ service }) => service),
        day: Int32Array.from(rows, ({ day }) => day),
      };
      const feeds = buildServiceTables(ofFeeds.length, dates);
      const book = new ServiceBook(feeds);
      const found = wanted.map((days) => book.getService(days));
      const all = book.listServices();
      const known = [...new Set(ofFeeds.map((days) => days.join()))];
      const further = new Set(wanted.map((days) => days.join()).filter((days) => !known.includes(days)));
      expect(all.services.firstDay).toHaveLength(ofFeeds.length + further.size);
      for (const [service, days] of [...ofFeeds.entries(), ...found.map((row, i) => [row, wanted[i]!] as const)]) {
        const running = [];
        for (let day = 19_990; day < 20_040; day++) if (runsOn(all, service, day)) running.push(day);
        expect(running).toEqual(days);
      }
    }),
  );
});
