import { expect, it } from 'vitest';
import type { IcebergPrimitive, IcebergValue } from '../../../../pipeline/scale-out/iceberg/iceberg-types.ts';
import { serializeValue } from '../../../../pipeline/scale-out/iceberg/single-value.ts';

/** Appendix D of the table spec: little-endian numbers, one byte for a flag, UTF-8 without a length. */
const cases: readonly (readonly [type: IcebergPrimitive, value: IcebergValue, hex: string])[] = [
  ['boolean', false, '00'],
  ['boolean', true, '01'],
  ['int', 34, '22000000'],
  ['int', -1, 'ffffffff'],
  ['int', 2_147_483_647, 'ffffff7f'],
  ['long', 34n, '2200000000000000'],
  ['long', 34, '2200000000000000'],
  ['long', -9_223_372_036_854_775_808n, '0000000000000080'],
  ['float', 1, '0000803f'],
  ['float', -0, '00000080'],
  ['double', 1, '000000000000f03f'],
  // 2017-11-16, and 22:31:08 on it.
  ['date', 17_486, '4e440000'],
  ['timestamp', 1_510_871_468_000_000n, '00c3262d215e0500'],
  ['timestamptz', 1_510_871_468_000_000n, '00c3262d215e0500'],
  ['string', 'iceberg', '69636562657267'],
  ['string', 'Straße', '53747261c39f65'],
  ['string', '', ''],
];

it.each(cases)('%s %s is %s', (type, value, hex) => {
  expect(serializeValue(type, value).toString('hex')).toBe(hex);
});
