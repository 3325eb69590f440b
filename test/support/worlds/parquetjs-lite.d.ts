/** The part of the package that tests use; it has no types. */
declare module 'parquetjs-lite' {
  export interface ParquetCursor {
    /** Null after the last row; null values are absent. */
    next(): Promise<Record<string, unknown> | null>;
  }

  export class ParquetReader {
    static openFile(file: string): Promise<ParquetReader>;
    getCursor(): ParquetCursor;
    /** A 64-bit integer. */
    getRowCount(): { toString(): string };
    close(): Promise<void>;
  }
}
