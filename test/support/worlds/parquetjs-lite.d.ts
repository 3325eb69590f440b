/** The part of the package that tests use; it comes without types. */
declare module 'parquetjs-lite' {
  export interface ParquetCursor {
    /** Null after the last row; what is null is absent. */
    next(): Promise<Record<string, unknown> | null>;
  }

  export class ParquetReader {
    static openFile(file: string): Promise<ParquetReader>;
    getCursor(): ParquetCursor;
    /** A number of 64 bits. */
    getRowCount(): { toString(): string };
    close(): Promise<void>;
  }
}
