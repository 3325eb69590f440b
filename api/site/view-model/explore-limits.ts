/** Path of the data of the page. */
export const EXPLORE_DATA = '/site/data/explore';

/** Rows that the page shows. */
export const MAX_SHOWN_ROWS = 500;
/** Rows of a file. */
export const MAX_FILE_ROWS = 100_000;
export const MAX_SQL_CHARACTERS = 6000;
/** For each statement; below the time that a request may take. */
export const EXPLORE_SECONDS = 10;
