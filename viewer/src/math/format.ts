/** Formats numbers for engineers: few digits, a proper minus sign. */

const MINUS = '\u2212';

function tidy(text: string): string {
  return text.replaceAll('-', MINUS);
}

/** About `digits` significant digits, in powers of ten beyond 10^±5. */
export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (value === Infinity) return '∞';
  if (value === -Infinity) return `${MINUS}∞`;
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(Math.max(0, digits - 2)).split('e');
    const power = Number(exponent);
    return tidy(`${mantissa}e${power}`);
  }
  // Round first: 999.99 with four digits is 1000, not 1000.0.
  const rounded = Math.abs(Number(value.toPrecision(digits)));
  const decimals = Math.max(0, Math.min(8, digits - 1 - Math.floor(Math.log10(rounded))));
  const text = value.toFixed(decimals);
  return tidy(Number(text) === 0 ? '0' : text);
}

/** A number with its unit; the units "1" and "" are omitted. */
export function quantity(value: number | null | undefined, unit: string, digits = 4): string {
  const text = number(value, digits);
  return unit === '' || unit === '1' || text === '–' ? text : `${text}\u202f${unit}`;
}

/** A time of a run of length `span`, always with the same number of decimals, so that the digits do not jump. */
export function instant(t: number, span: number): string {
  const decimals = span > 0 ? Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(span)))) : 3;
  const text = t.toFixed(decimals);
  return tidy(Number(text) === 0 ? (0).toFixed(decimals) : text);
}

/** The largest of 1, 2, 5 times a power of ten that is not above the value. */
export function niceBelow(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const lead = value / power;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

/** A length in a suitable unit, without trailing zeros. */
export function length(metres: number): string {
  const size = Math.abs(metres);
  const short = (value: number): string => tidy(String(Number(value.toPrecision(3))));
  if (size > 0 && size < 0.9995e-3) return `${short(metres * 1e6)}\u202fµm`;
  if (size > 0 && size < 0.9995) return `${short(metres * 1e3)}\u202fmm`;
  if (size >= 1e4) return `${short(metres / 1e3)}\u202fkm`;
  return `${short(metres)}\u202fm`;
}

/** Field of a CSV file: quoted if necessary, and safe from being read as a formula by a spreadsheet. */
export function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
