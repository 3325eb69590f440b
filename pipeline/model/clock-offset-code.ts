/** Problem code of a source whose times are off by whole hours: `clock_offset_early_1h`. @param hours not 0 */
export function clockOffsetCode(hours: number): string {
  return `clock_offset_${hours < 0 ? 'early' : 'late'}_${Math.abs(hours)}h`;
}

/**
 * Describes the fault behind such a code.
 * @param problems counts by code
 * @returns null without a code of this kind
 */
export function describeClockOffset(problems: Readonly<Record<string, number>>): string | null {
  for (const [code, trips] of Object.entries(problems)) {
    const [, direction, hours] = /^clock_offset_(early|late)_(\d+)h$/.exec(code) ?? [];
    if (!direction) continue;
    const unit = hours === '1' ? 'hour' : 'hours';
    return `${trips} trips are ${hours} ${unit} ${direction}: its clock or time zone is probably wrong`;
  }
  return null;
}
