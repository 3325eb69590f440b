import { expect, it } from 'vitest';
import { listGlobalStopIds } from '../../../pipeline/model/global-stop-id.ts';

it.each([
  ['at:49:1349', ['ifopt at:49:1349']],
  ['at:49:1349:0:7', ['ifopt at:49:1349']],
  ['Pat:49:1349', ['ifopt at:49:1349']],
  ['Parent_at:49:1349', ['ifopt at:49:1349']],
  ['AT:49:01349', ['ifopt at:49:1349']],
  ['de:09162:6', ['ifopt de:9162:6']],
  ['ch:1:sloid:7000:3', ['ifopt ch:1:sloid:7000']],
  ['60201349', ['ifopt at:49:1349', 'ifopt at:43:1349']],
  ['490134900', ['ifopt at:49:1349']],
  ['8103000', ['uic 8103000']],
  ['008503000', ['uic 8503000']],
  ['8503000:0:3', ['uic 8503000']],
  ['8101', []],
  ['1234567', []],
  ['', []],
  ['gat:1', []],
])('reads %s', (text, expected) => {
  expect(listGlobalStopIds(text).map(({ register, station }) => `${register} ${station}`)).toEqual(expected);
});
