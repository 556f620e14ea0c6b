import { cellText } from './blocks.ts';

type Row = Readonly<Record<string, unknown>>;

/** The values of a line, of the bars of one colour, or of a pie. */
export interface Series {
  readonly name: string;
  /** One for each label; null where there is none. */
  readonly values: readonly (number | null)[];
}

/** The content of a chart: values by label, or points between two axes. */
export type ChartShape =
  | {
      readonly kind: 'bar' | 'line' | 'area' | 'pie';
      /** What the labels are. */
      readonly by: string;
      readonly labels: readonly string[];
      readonly series: readonly Series[];
    }
  | {
      readonly kind: 'scatter';
      /** The columns that the axes stand for. */
      readonly x: string;
      readonly y: string;
      /** `size` is from 0 to 1. */
      readonly points: readonly { readonly x: number; readonly y: number; readonly size: number }[];
    };

/** Types that are not here, such as heat maps, are shown as tables. */
const KINDS: Readonly<Record<string, ChartShape['kind']>> = {
  response_bar_chart: 'bar',
  response_column_chart: 'bar',
  response_line_chart: 'line',
  response_area_chart: 'area',
  response_pie_chart: 'pie',
  response_donut_chart: 'pie',
  response_scatter_plot: 'scatter',
  response_scatter_chart: 'scatter',
  response_bubble_chart: 'scatter',
  // Of dashboards.
  BarChart: 'bar',
  LineChart: 'line',
  AreaChart: 'area',
  PieChart: 'pie',
};

/** More is not legible. */
const MAX_LABELS = 200;
const MAX_POINTS = 2000;
const MAX_SERIES = 8;
const MAX_SLICES = 10;

/** Undefined for rows that such a chart cannot show. */
export function chartShape(type: string, rows: readonly Row[]): ChartShape | undefined {
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  const columns = Object.keys(rows[0] ?? {});
  const numeric = columns.filter((name) => isNumeric(name, rows));
  if (kind === undefined || rows.length === 0 || numeric.length === 0) return undefined;
  if (kind === 'scatter') return scatter(rows, numeric);
  const shape = valuesByLabel(kind, rows, columns, numeric);
  if (shape === undefined || shape.labels.length > MAX_LABELS || shape.series.length > MAX_SERIES)
    return undefined;
  return kind === 'pie' ? slices(shape) : shape;
}

type ByLabel = Exclude<ChartShape, { kind: 'scatter' }>;

function valuesByLabel(
  kind: ByLabel['kind'],
  rows: readonly Row[],
  columns: readonly string[],
  numeric: readonly string[],
): ByLabel | undefined {
  const words = columns.filter((name) => !numeric.includes(name));
  const [first, second] = words;
  if (first === undefined) {
    // The first number is what the others are shown by, such as a year.
    const [by = '', ...others] = numeric;
    if (others.length === 0) return undefined;
    return { kind, by, labels: textsOf(rows, by), series: others.map((name) => seriesOf(rows, name)) };
  }
  const isGrouped = second !== undefined && kind !== 'pie' && numeric.length === 1;
  const value = numeric[0] as string;
  if (isGrouped && new Set(textsOf(rows, first)).size < rows.length)
    return grouped(kind, rows, [first, second, value]);
  const labels = rows.map((row) => words.map((name) => cellText(row[name])).join(', '));
  return { kind, by: words.join(', '), labels, series: numeric.map((name) => seriesOf(rows, name)) };
}

/** A series for each value of the second column; the last row of a place counts. */
function grouped(
  kind: ByLabel['kind'],
  rows: readonly Row[],
  [by, group, value]: readonly [string, string, string],
): ByLabel {
  const labels = [...new Set(textsOf(rows, by))];
  const names = [...new Set(textsOf(rows, group))];
  const found = new Map(
    rows.map((row) => [JSON.stringify([cellText(row[by]), cellText(row[group])]), numberIn(row[value])]),
  );
  const at = (label: string, name: string) => found.get(JSON.stringify([label, name])) ?? null;
  const series = names.map((name) => ({ name, values: labels.map((label) => at(label, name)) }));
  return { kind, by, labels, series };
}

/** The largest parts of one series; parts of a whole cannot be negative. */
function slices({ by, labels, series: [first] }: ByLabel): ByLabel | undefined {
  const parts = labels.map((label, i) => ({ label, value: first?.values[i] ?? 0 }));
  if (!first || parts.some(({ value }) => value < 0) || parts.every(({ value }) => value === 0))
    return undefined;
  const sorted = parts.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
  const shown = sorted.length > MAX_SLICES ? sorted.slice(0, MAX_SLICES - 1) : sorted;
  const rest = sorted.slice(shown.length);
  const all = [...shown];
  if (rest.length > 0)
    all.push({ label: `${rest.length} others`, value: rest.reduce((sum, { value }) => sum + value, 0) });
  const series = [{ name: first.name, values: all.map(({ value }) => value) }];
  return { kind: 'pie', by, labels: all.map(({ label }) => label), series };
}

function scatter(rows: readonly Row[], [x, y, size]: readonly string[]): ChartShape | undefined {
  if (x === undefined || y === undefined || rows.length > MAX_POINTS) return undefined;
  const found = rows.flatMap((row) => {
    const [across, up] = [numberIn(row[x]), numberIn(row[y])];
    const weight = size === undefined ? 0 : Math.max(0, numberIn(row[size]) ?? 0);
    return across === null || up === null ? [] : [{ x: across, y: up, size: weight }];
  });
  const most = Math.max(0, ...found.map((one) => one.size));
  const points = found.map((one) => ({ ...one, size: most === 0 ? 0 : one.size / most }));
  return { kind: 'scatter', x, y, points };
}

function isNumeric(name: string, rows: readonly Row[]): boolean {
  const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
  return values.length > 0 && values.every((value) => numberIn(value) !== null);
}

/** Databases give large and exact numbers as texts. */
function numberIn(value: unknown): number | null {
  const isText = typeof value === 'string' && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value);
  const number = typeof value === 'number' || isText ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

function textsOf(rows: readonly Row[], name: string): string[] {
  return rows.map((row) => cellText(row[name]));
}

function seriesOf(rows: readonly Row[], name: string): Series {
  return { name, values: rows.map((row) => numberIn(row[name])) };
}

/** Round numbers from at most the least to at least the most, 0 included for lengths and areas. */
export function ticksOf(least: number, most: number, count: number): number[] {
  const size = Math.max(Math.abs(least), Math.abs(most));
  // What differs by less than can be told apart is one value.
  const spread = most - least > Math.max(1e-300, size * 1e-9) ? most - least : size;
  const span = spread > 1e-300 ? spread : 1;
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= rough) ?? rough;
  const first = Math.floor(least / step);
  const last = Math.max(first + 1, Math.ceil(most / step));
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

const NAMES = {
  bar: 'Bar chart',
  line: 'Line chart',
  area: 'Area chart',
  pie: 'Pie chart',
  scatter: 'Scatter plot',
} as const;

/** The name of a chart, and what can be read from it, for those who do not see it. */
export function chartWords(shape: ChartShape): { readonly title: string; readonly description: string } {
  if (shape.kind === 'scatter')
    return {
      title: `${NAMES.scatter} of ${shape.y} by ${shape.x}`,
      description: `${shape.points.length} points. The table has all values.`,
    };
  const { kind, by, labels, series } = shape;
  const told = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    const [least, most] = [Math.min(...known), Math.max(...known)];
    const at = (value: number): string => labels[values.indexOf(value)] ?? '';
    return `${name}: highest ${numberText(most)} (${at(most)}), lowest ${numberText(least)} (${at(least)}).`;
  });
  return {
    title: `${NAMES[kind]} of ${series.map(({ name }) => name).join(', ')} by ${by}`,
    description: `${told.join(' ')} The table has all values.`,
  };
}

/** With at most two decimals. */
export function numberText(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}

/** The colour of the series or slice with this number. */
export function colourOf(at: number): string {
  return `var(--series-${(at % MAX_SERIES) + 1})`;
}
