export const MEBIBYTE = 1024 * 1024;
export const GIBIBYTE = 1024 * MEBIBYTE;

const EXPONENTS = { K: 1, M: 2, G: 3, T: 4 };

/** @param size as DuckDB spells it, e.g. `512MB` or `2GiB` */
export function parseBytes(size: string): number {
  const [, amount, prefix, binary] = /^([\d.]+)([KMGT])(i?)B$/.exec(size)!;
  return Number(amount) * (binary === 'i' ? 1024 : 1000) ** EXPONENTS[prefix as keyof typeof EXPONENTS];
}
