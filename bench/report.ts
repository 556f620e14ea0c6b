import { allowed, type Line, verdictOf } from './harness.ts';

/** Lines of one scenario under its title. */
export interface Section {
  readonly name: string;
  readonly title: string;
  readonly lines: readonly Line[];
  /** Why the section has no lines. */
  readonly error?: string | undefined;
}

/** The result as a table for people. */
export function table(sections: readonly Section[]): string {
  const rows = sections.map((section) => ({ section, cells: section.lines.map(cellsOf) }));
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.flatMap((row) => row.cells.map((cells) => cells[column]?.length ?? 0)), 0),
  );
  const text = rows.flatMap(({ section, cells }) => [
    '',
    section.title,
    ...cells.map((row) => `  ${layOut(row, widths)}`.trimEnd()),
    ...(section.error === undefined ? [] : [`  FAILED: ${section.error}`]),
  ]);
  return `${text.join('\n')}\n`;
}

function layOut(
  [name = '', figure = '', bar = '', verdict = '', note = '']: string[],
  widths: number[],
): string {
  const [first = 0, second = 0, third = 0, fourth = 0] = widths;
  const columns = [name.padEnd(first), figure.padStart(second), bar.padEnd(third), verdict.padEnd(fourth)];
  return [...columns, note].join('  ');
}

function cellsOf(line: Line): string[] {
  return [line.name, shown(line.figure, line.unit), barText(line), verdictOf(line), line.note ?? ''];
}

function barText({ bar, unit, slowness }: Line): string {
  if (bar === undefined) return '';
  const sign = bar.kind === 'at least' ? '≥' : '≤';
  const stretch = bar.stretch === undefined ? '' : `, stretch ${shown(bar.stretch, unit)}`;
  const here = slowness === undefined ? '' : ` (here ${shown(allowed(bar, slowness), unit)})`;
  return `${sign} ${shown(bar.value, unit)}${here}${stretch}`;
}

/** A number with its significant digits. */
export function shown(value: number, unit: string): string {
  const size = Math.abs(value);
  const digits =
    unit === 'x' ? 2 : size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  const number = value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return unit === 'x' || unit === '' ? `${number}${unit}` : `${number} ${unit}`;
}

/** The result as data. */
export function asJson(sections: readonly Section[], machine: Readonly<Record<string, unknown>>): string {
  const lines = sections.flatMap((section) =>
    section.lines.map((line) => ({
      scenario: section.name,
      ...line,
      allowed: line.bar && allowed(line.bar, line.slowness),
      verdict: verdictOf(line) || null,
    })),
  );
  const errors = sections.flatMap(({ name, error }) =>
    error === undefined ? [] : [{ scenario: name, error }],
  );
  return `${JSON.stringify({ machine, lines, errors }, null, 2)}\n`;
}
