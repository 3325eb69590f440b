import type { ComponentChild } from 'preact';

export interface TableColumn<Row> {
  readonly name: string;
  readonly show: (row: Row) => ComponentChild;
  /** Whether values are aligned as numbers. */
  readonly isNumber?: boolean;
}

interface DataTableProps<Row> {
  readonly caption: string;
  /** The first column is the row header. */
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

export function DataTable<Row>({ caption, columns, rows, keyOf }: DataTableProps<Row>) {
  const [first, ...others] = columns as readonly [TableColumn<Row>, ...TableColumn<Row>[]];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of cells, not of fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: wide content scrolls by keyboard
    <div class="wide data-table" tabIndex={0} role="group" aria-label={caption}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" class={isNumber ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{first.show(row)}</th>
              {others.map(({ name, show, isNumber }) => (
                <td key={name} class={isNumber ? 'number' : undefined}>
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
