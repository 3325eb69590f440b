/** Clock time of a service time: `00:30` for 24:30. @param seconds since the start of the service date */
export function formatClock(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`;
}
