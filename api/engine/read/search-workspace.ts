import { partitionPoint } from '../../../pipeline/model/binary-search.ts';
import type { SearchIndex } from '../../../pipeline/model/search-index.ts';

const FIRST_CAPACITY = 1024;

/**
 * The names that a search considers, and how well each word of the query matches them. Reused from search to search,
 * because clearing what was touched is far cheaper than a table of all names for each.
 */
export class SearchWorkspace {
  /** Slot of a name plus 1; 0 = not considered. */
  readonly #slotOf: Uint32Array;
  #words = 0;
  count = 0;
  /** By slot: row of the name. */
  names = new Uint32Array(FIRST_CAPACITY);
  /**
   * `slot * words + word`: quality times two, plus 1 for a word of the name itself and not of its place; 0 = no match.
   */
  cells = new Uint8Array(0);
  /** By entry: its best points and exactness so far, where `isSeen`. */
  readonly points: Float64Array;
  readonly exactness: Uint8Array;
  readonly #isSeen: Uint8Array;
  readonly entries: Uint32Array;
  entryCount = 0;

  constructor({ nameEntry, entryImportance }: SearchIndex) {
    this.#slotOf = new Uint32Array(nameEntry.length);
    this.points = new Float64Array(entryImportance.length);
    this.exactness = new Uint8Array(entryImportance.length);
    this.#isSeen = new Uint8Array(entryImportance.length);
    this.entries = new Uint32Array(entryImportance.length);
  }

  /** Forgets the last search. */
  start(words: number): void {
    for (let slot = 0; slot < this.count; slot++) this.#slotOf[this.names[slot]!] = 0;
    for (let i = 0; i < this.entryCount; i++) this.#isSeen[this.entries[i]!] = 0;
    this.count = 0;
    this.entryCount = 0;
    this.#words = words;
    if (this.cells.length < this.names.length * words) this.cells = new Uint8Array(this.names.length * words);
  }

  /**
   * Records a match of neighbouring words in a name, unless they match it better already.
   * @param isNew whether the name is considered from now on if it was not
   */
  credit(name: number, firstWord: number, lastWord: number, cell: number, isNew: boolean): void {
    let slot = this.#slotOf[name]! - 1;
    if (slot < 0) {
      if (!isNew) return;
      slot = this.#add(name);
    }
    const first = slot * this.#words + firstWord;
    for (let at = first; at <= first + lastWord - firstWord; at++) if (this.cells[at]! < cell) this.cells[at] = cell;
  }

  /** The same for all names considered that are among many postings. */
  creditConsidered(postings: Uint32Array, firstWord: number, lastWord: number, worth: number): void {
    for (let slot = 0; slot < this.count; slot++) {
      const name = this.names[slot]!;
      const posting = postings[partitionPoint(0, postings.length, (at) => postings[at]! >>> 1 < name)];
      if (posting === undefined || posting >>> 1 !== name) continue;
      this.credit(name, firstWord, lastWord, worth + (posting & 1), false);
    }
  }

  /** Drops names that cannot reach a weight with their matches and the remaining words. */
  dropBelow(minWeight: number, weights: readonly number[], isOpen: readonly boolean[]): void {
    for (let slot = 0; slot < this.count; ) {
      const first = slot * this.#words;
      let weight = 0;
      for (let word = 0; word < this.#words; word++) {
        if (isOpen[word] || this.cells[first + word]! > 0) weight += weights[word]!;
      }
      if (weight >= minWeight) slot++;
      else this.#remove(slot);
    }
  }

  /** The last slot takes its place. */
  #remove(slot: number): void {
    const last = --this.count;
    const name = this.names[last]!;
    this.#slotOf[this.names[slot]!] = 0;
    if (slot === last) return;
    this.names[slot] = name;
    this.#slotOf[name] = slot + 1;
    this.cells.copyWithin(slot * this.#words, last * this.#words, (last + 1) * this.#words);
  }

  #add(name: number): number {
    const slot = this.count++;
    if (slot === this.names.length) {
      const [names, cells] = [new Uint32Array(slot * 2), new Uint8Array(slot * 2 * this.#words)];
      names.set(this.names);
      cells.set(this.cells.subarray(0, slot * this.#words));
      this.names = names;
      this.cells = cells;
    }
    this.names[slot] = name;
    this.#slotOf[name] = slot + 1;
    this.cells.fill(0, slot * this.#words, (slot + 1) * this.#words);
    return slot;
  }

  /** Records points of an entry, which has those of its best name. */
  addPoints(entry: number, points: number, exactness: number): void {
    if (this.#isSeen[entry] === 0) {
      this.#isSeen[entry] = 1;
      this.entries[this.entryCount++] = entry;
      this.points[entry] = points;
      this.exactness[entry] = exactness;
      return;
    }
    if (this.points[entry]! < points) this.points[entry] = points;
    if (this.exactness[entry]! < exactness) this.exactness[entry] = exactness;
  }
}
