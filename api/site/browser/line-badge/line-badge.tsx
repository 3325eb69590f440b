import type { Line } from '../../../contract/v2-basics.ts';
import { chooseInk } from './readable-ink.ts';
import './line-badge.css';

/** The label of a line on its colour. */
export function LineBadge({ line }: { readonly line: Line }) {
  const { label, name, colorHex, textColorHex } = line;
  const style = colorHex ? { background: colorHex, color: chooseInk(colorHex, textColorHex) } : undefined;
  return (
    <bdi class="line-badge" title={name === label ? undefined : name} style={style}>
      {label}
    </bdi>
  );
}
