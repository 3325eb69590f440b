/** A board of an invented station, in the format of mgate responses. Times are on 20 May 2025, 17:00 in Vienna. */
export const goodBoard = {
  ver: '1.39',
  lang: 'deu',
  id: 'xq4m8w2kghs6k4ww',
  err: 'OK',
  svcResL: [
    {
      meth: 'StationBoard',
      err: 'OK',
      res: {
        common: {
          locL: [
            {
              lid: 'A=1@O=Kleinreifling Bf@X=14640000@Y=47825000@L=440123400@',
              type: 'S',
              name: 'Kleinreifling Bf',
              extId: '440123400',
              crd: { x: 14640000, y: 47825000 },
              pCls: 67,
            },
            {
              lid: 'A=1@O=Weyer Markt@X=14660000@Y=47858000@L=440123500@',
              type: 'S',
              name: 'Weyer Markt',
              extId: '440123500',
              crd: { x: 14660000, y: 47858000 },
              globalIdL: [{ id: 'at:44:1235', type: 'A' }],
              pCls: 67,
            },
          ],
          prodL: [
            {
              name: 'S 11',
              cls: 2,
              oprX: 0,
              prodCtx: { name: 'S 11', line: 'S 11', num: '21911', catOut: 'S       ' },
            },
            { name: 'Bus 512', cls: 64, oprX: 1, prodCtx: { line: 'Bus 512', catOut: 'Bus     ' } },
            { name: 'REX 51', cls: 1, oprX: 0, prodCtx: { line: 'REX 51', num: '5117', catOut: 'REX     ' } },
          ],
          opL: [{ name: 'Ennstalbahn GmbH' }, { name: 'Postbus' }],
          remL: [
            { type: 'A', code: 'FB', prio: 250, txtN: 'Fahrradmitnahme begrenzt möglich' },
            { type: 'D', code: '', txtN: 'Oberleitungsstörung' },
          ],
          himL: [
            {
              hid: 'HIM_FREETEXT_4711',
              act: true,
              head: 'Bauarbeiten in Weyer',
              text: 'Busse statt Z&uuml;gen.<br>Mehr <a href="https://example.org/bau">hier</a>.',
              prio: 20,
              prod: 127,
              icoX: 0,
              fLocX: 0,
              tLocX: 1,
              affProdRefL: [0],
              sDate: '20250519',
              sTime: '040000',
              eDate: '20250525',
              eTime: '235900',
              comp: 'Ennstalbahn',
              cat: 1,
            },
          ],
          icoL: [{ res: 'HIM1' }],
        },
        type: 'DEP',
        jnyL: [
          {
            jid: '1|101|0|81|20052025',
            date: '20250520',
            trainStartDate: '20250520',
            prodX: 0,
            dirTxt: 'Weyer Markt',
            status: 'P',
            stbStop: {
              locX: 0,
              idx: 3,
              dTimeS: '165800',
              dTimeR: '170100',
              dProgType: 'REPORTED',
              dPltfS: { type: 'PL', txt: '1' },
              dPltfR: { type: 'PL', txt: '2' },
              dTZOffset: 120,
            },
            stopL: [
              { locX: 0, idx: 3, aTimeS: '165700', aTimeR: '170000', aProgType: 'REPORTED', dTimeS: '165800' },
              { locX: 1, idx: 4, aTimeS: '170500', aTimeR: '170800', aProgType: 'PROGNOSED' },
            ],
            msgL: [
              { type: 'REM', remX: 0, tagL: ['RES_JNY_DTL'] },
              { type: 'REM', remX: 1, tagL: ['RES_JNY_H3'] },
              { type: 'HIM', himX: 0, tagL: ['RES_JNY_HDR_H3'] },
            ],
          },
          {
            jid: '1|102|0|81|20052025',
            date: '20250520',
            prodX: 1,
            dirTxt: 'Hollenstein Ort',
            status: 'P',
            isCncl: true,
            stbStop: { locX: 0, idx: 0, dTimeS: '170500', dCncl: true, dPlatfS: 'B' },
            msgL: [{ type: 'HIM', himX: 0, tagL: ['RES_GLB_HDR_H3'] }],
          },
          {
            jid: '1|103|0|81|20052025',
            date: '20250520',
            prodX: 2,
            dirTxt: 'Amstetten Bf',
            status: 'A',
            stbStop: { locX: 0, idx: 2, dTimeS: '01001000', dTimeR: '01001000', dProgType: 'CALCULATED', isAdd: true },
          },
        ],
        fpB: '20241215',
        fpE: '20251213',
        planrtTS: '1747753230',
        sD: '20250520',
        sT: '170040',
      },
    },
  ],
};

/** A deep copy of the valid board whose result can be modified. */
export function spoil(change: (res: SpoiltResult) => void): object {
  const answer = structuredClone(goodBoard);
  change(answer.svcResL[0]!.res as unknown as SpoiltResult);
  return answer;
}

/** The result of a board, with members open to any error of an endpoint. */
export interface SpoiltResult {
  common: Record<string, unknown[]>;
  jnyL: Record<string, unknown>[];
  [member: string]: unknown;
}

export function toBytes(answer: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(answer));
}

/** A response to one call. */
export function toAnswer(meth: string, res: object): object {
  return { ver: '1.39', lang: 'deu', err: 'OK', svcResL: [{ meth, err: 'OK', res }] };
}

const { common, jnyL } = goodBoard.svcResL[0]!.res;

/** A response with a result of each method, all about the first trip of the valid board. */
export const everything = {
  err: 'OK',
  svcResL: [
    ...goodBoard.svcResL,
    {
      meth: 'JourneyDetails',
      err: 'OK',
      res: { common, journey: { ...jnyL[0], stbStop: undefined, dirFlg: '1' } },
    },
    {
      meth: 'JourneyGeoPos',
      err: 'OK',
      res: {
        common,
        date: '20250520',
        time: '170030',
        jnyL: [{ ...jnyL[0], stbStop: undefined, pos: { x: 14640000, y: 47825000 }, dirGeo: 8, ani: { dirGeo: [9] } }],
      },
    },
    {
      meth: 'HimSearch',
      err: 'OK',
      res: {
        common: {
          ...common,
          himMsgEdgeL: [{ fLocX: 0, tLocX: 1, icoCrd: { x: 14640000, y: 47825000 } }],
          himMsgEventL: [{ fDate: '20250520', fTime: '220000', tDate: '20250521', tTime: '050000' }],
          himMsgCatL: [{ id: 3 }],
        },
        msgL: [{ ...common.himL[0], hid: '4712', edgeRefL: [0], eventRefL: [0], catRefL: [0] }],
      },
    },
    {
      meth: 'TripSearch',
      err: 'OK',
      res: {
        common,
        outConL: [
          {
            date: '20250520',
            secL: [
              { type: 'WALK' },
              {
                type: 'JNY',
                dep: jnyL[0]!.stopL![0],
                arr: jnyL[0]!.stopL![1],
                jny: { jid: 'x', prodX: 0, dirTxt: 'Weyer Markt' },
              },
            ],
          },
        ],
      },
    },
    { meth: 'ServerInfo', err: 'OK', res: { sD: '20250520', sT: '170040' } },
  ],
};
