import type { Line } from '../../../contract/v2-basics.ts';
import { chooseInk } from '../../view-model/readable-ink.ts';
import './line-badge.css';

interface LineBadgeProps {
  readonly line: Line;
  /** Shown instead of the label of the line, such as the number of a train. */
  readonly text?: string;
}

/** The label of a line on its colour. */
export function LineBadge({ line, text = line.label }: LineBadgeProps) {
  const { label, name, colorHex, textColorHex } = line;
  const style = colorHex ? { background: colorHex, color: chooseInk(colorHex, textColorHex) } : undefined;
  return (
    <bdi class="line-badge" title={name === label ? undefined : name} style={style}>
      {text}
    </bdi>
  );
}
