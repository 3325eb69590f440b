import type { ColumnsOf } from '../model/column.ts';
import type { SearchIndex } from '../model/search-index.ts';

/** The tables of a search index, see `SearchIndex`, in the snapshots that have one. */
export const searchTables = {
  searchNames: { entry: 'u32', kind: 'u8', ownLetters: 'u16', wordSum: 'u32' },
  searchKeys: { hash: 'u32', check: 'u32', spelling: 'u32', entry: 'u32', kind: 'u8' },
  searchTermLetters: { letter: 'u16' },
  searchTermStarts: { letterStart: 'u32', postingStart: 'u32' },
  searchTermShared: { shared: 'u8', head: 'u8' },
  searchPostings: { posting: 'u32' },
  searchParts: { term: 'u32', from: 'u8' },
} as const;

/** Columns of the entries, which snapshots store with further ones. */
export const searchEntryColumns = { importance: 'f32', nameRank: 'u32', stationRank: 'u8' } as const;

type SearchTables = { readonly [Name in keyof typeof searchTables]: ColumnsOf<(typeof searchTables)[Name]> } & {
  readonly searchEntries: ColumnsOf<typeof searchEntryColumns>;
};

/** The search index from the columns of a snapshot. */
export function getSearchIndex(tables: SearchTables): SearchIndex {
  return {
    entryImportance: tables.searchEntries.importance,
    entryNameRank: tables.searchEntries.nameRank,
    entryStationRank: tables.searchEntries.stationRank,
    nameEntry: tables.searchNames.entry,
    nameKind: tables.searchNames.kind,
    nameOwnLetters: tables.searchNames.ownLetters,
    nameWordSum: tables.searchNames.wordSum,
    termLetters: tables.searchTermLetters.letter,
    termStart: tables.searchTermStarts.letterStart,
    termShared: tables.searchTermShared.shared,
    termHead: tables.searchTermShared.head,
    postingStart: tables.searchTermStarts.postingStart,
    postings: tables.searchPostings.posting,
    partTerm: tables.searchParts.term,
    partFrom: tables.searchParts.from,
    keyHash: tables.searchKeys.hash,
    keyCheck: tables.searchKeys.check,
    keySpelling: tables.searchKeys.spelling,
    keyEntry: tables.searchKeys.entry,
    keyKind: tables.searchKeys.kind,
  };
}

/** The columns of a snapshot from a search index. */
export function toSearchTables(index: SearchIndex): SearchTables {
  return {
    searchEntries: {
      importance: index.entryImportance,
      nameRank: index.entryNameRank,
      stationRank: index.entryStationRank,
    },
    searchNames: {
      entry: index.nameEntry,
      kind: index.nameKind,
      ownLetters: index.nameOwnLetters,
      wordSum: index.nameWordSum,
    },
    searchKeys: {
      hash: index.keyHash,
      check: index.keyCheck,
      spelling: index.keySpelling,
      entry: index.keyEntry,
      kind: index.keyKind,
    },
    searchTermLetters: { letter: index.termLetters },
    searchTermStarts: { letterStart: index.termStart, postingStart: index.postingStart },
    searchTermShared: { shared: index.termShared, head: index.termHead },
    searchPostings: { posting: index.postings },
    searchParts: { term: index.partTerm, from: index.partFrom },
  };
}
