import { describe } from 'vitest';
import { testPlans } from '../../../support/oracles/naive-plan-cases.ts';

/** 130 m north of a stop: 100 s on foot. */
const BY_B = '48.0009 16.1';

describe('a minimum stay at a via', () => {
  testPlans({
    'lets vehicles pass on which the traveller would stay seated': {
      trips: ['t1: a 08:00, b 08:10, d 08:30', 't2: b 08:19, d 08:50', 't3: b 08:20, d 08:55'],
      query: { via: ['b'], viaStaySeconds: [600] },
      expected: ['08:00 t1 > t3 08:55'],
    },
    'continues with the same vehicle if it waits long enough': {
      trips: ['t1: a 08:00, b 08:10/08:25, d 08:40'],
      query: { via: ['b'], viaStaySeconds: [900] },
      expected: ['08:00 t1 > t1 08:40'],
    },
    'of 0 seconds is none': {
      trips: ['t1: a 08:00, b 08:10, d 08:30'],
      query: { via: ['b'], viaStaySeconds: [0] },
      expected: ['08:00 t1 08:30'],
    },
    'includes a transfer between platforms of the via': {
      // The transfer takes 3 minutes.
      trips: ['t1: a 08:00, s1 08:10', 't2: s2 08:19, d 08:50', 't3: s2 08:20, d 08:55'],
      query: { via: ['s'], viaStaySeconds: [600] },
      expected: ['08:00 t1 > t3 08:55'],
    },
    'shorter than the transfer changes nothing': {
      trips: ['t1: a 08:00, s1 08:10', 't2: s2 08:12, d 08:50', 't3: s2 08:13, d 08:55'],
      query: { via: ['s'], viaStaySeconds: [60] },
      expected: ['08:00 t1 > t3 08:55'],
    },
    'is added to a transfer that leaves the via': {
      trips: ['t1: a 08:00, s1 08:10', 't2: s2 08:22, d 08:50', 't3: s2 08:23, d 08:55'],
      query: { via: ['s1'], viaStaySeconds: [600], maxWalkMeters: 0 },
      expected: ['08:00 t1 > t3 08:55'],
    },
    'is added to a transfer that leads to the via': {
      trips: ['t1: a 08:00, s1 08:10', 't2: s2 08:22, d 08:50', 't3: s2 08:23, d 08:55'],
      query: { via: ['s2'], viaStaySeconds: [600], maxWalkMeters: 0 },
      expected: ['08:00 t1 > t3 08:55'],
    },
    'is between the walks to and from a place': {
      trips: ['t1: a 08:00, b 08:10', 't2: b 08:23, d 08:50', 't3: b 08:24, d 08:55'],
      query: { via: [BY_B], viaStaySeconds: [600] },
      expected: ['08:00 t1 > t3 08:55'],
    },
    'delays the first departure at the origin': {
      trips: ['t1: a 08:00, d 08:30'],
      query: { via: ['a'], viaStaySeconds: [600] },
      expected: ['07:50 t1 08:30'],
    },
    'delays the arrival at the destination': {
      trips: ['t1: a 08:00, d 08:30'],
      query: { via: ['d'], viaStaySeconds: [600] },
      expected: ['08:00 t1 08:40'],
    },
    'applies to each of two vias': {
      trips: ['t1: a 08:00, b 08:10', 't2: b 08:15, c 08:25', 't3: b 08:20, c 08:30', 't4: c 08:32, d 08:40'],
      query: { via: ['b', 'c'], viaStaySeconds: [600, 120] },
      expected: ['08:00 t1 > t3 > t4 08:40'],
    },
    'may be at the second of two vias only': {
      trips: ['t1: a 08:00, b 08:10, c 08:20', 't2: c 08:25, d 08:40', 't3: c 08:30, d 08:50'],
      query: { via: ['b', 'c'], viaStaySeconds: [0, 600] },
      expected: ['08:00 t1 > t3 08:50'],
    },
    'does not count on a vehicle that is announced to wait': {
      trips: ['t1: a 08:00, b 08:10', 't2: b 08:10, d 08:30', 't3: b 08:15, d 08:40'],
      files: { 'transfers.txt': 'from_stop_id,to_stop_id,transfer_type\nb,b,1\n' },
      query: { via: ['b'], viaStaySeconds: [300] },
      expected: ['08:00 t1 > t3 08:40'],
    },
    'counts backward from an arrival': {
      trips: ['t1: a 08:00, b 08:10', 't2: a 08:05, b 08:15', 't3: b 08:20, d 08:50'],
      query: { via: ['b'], viaStaySeconds: [600], arrive: '09:00' },
      expected: ['08:00 t1 > t3 08:50'],
    },
    'counts from the expected arrival': {
      trips: ['t1: a 08:00, b 08:10', 't2: b 08:20, d 08:50', 't3: b 08:25, d 08:55'],
      query: { via: ['b'], viaStaySeconds: [600], leave: '07:50', reported: { trips: { t1: { a: 0, b: 300 } } } },
      expected: ['08:00 t1 > t3 08:55'],
    },
    'applies to a walk all the way': {
      // 650 m in 498 s, and 1156 m in 886 s.
      query: { from: 'near', via: ['c'], to: 'far', viaStaySeconds: [600], leave: '08:00' },
      trips: ['t1: a 12:00, d 12:02'],
      expected: ['08:00 walk 08:33:04'],
    },
    'applies on every page': {
      trips: ['t1: a 08:00, b 08:10', 't2: b 08:20, d 08:50', 't3: a 09:00, b 09:10', 't4: b 09:20, d 09:50'],
      query: { via: ['b'], viaStaySeconds: [600], limit: 1 },
      expected: ['08:00 t1 > t2 08:50'],
      later: [['09:00 t3 > t4 09:50']],
    },
  });
});
