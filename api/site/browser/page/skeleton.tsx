import './skeleton.css';

/** Placeholders of rows that are still loading; screen readers get the status line instead. */
export function Skeleton({ rows, height }: { readonly rows: number; readonly height: 'row' | 'card' }) {
  return (
    <div class="skeleton" data-height={height} aria-hidden="true">
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} />
      ))}
    </div>
  );
}
