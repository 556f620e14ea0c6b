import { type ChartShape, colourOf as colour, numberText, type Series, ticksOf } from './chart-shape.ts';

interface AxisChartProps {
  shape: ChartShape;
  width: number;
  height: number;
}

/** Where values are drawn: functions from values to pixels. */
interface Plane {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  x(part: number): number;
  y(value: number): number;
}

/** Of a letter, about, in pixels. */
const LETTER = 6.2;
const [TOP, FOOT] = [10, 34];
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });

/** Bars, lines, areas and points between two axes. */
export function AxisChart({ shape, width, height }: AxisChartProps) {
  const isScatter = shape.kind === 'scatter';
  const values = isScatter
    ? shape.points.map(({ y }) => y)
    : shape.series.flatMap((one) => one.values.filter((value) => value !== null));
  // The length of a bar and the height of an area mean the value.
  const least = isScatter || shape.kind === 'line' ? Math.min(...values) : Math.min(0, ...values);
  const most = isScatter || shape.kind === 'line' ? Math.max(...values) : Math.max(0, ...values);
  const ticks = ticksOf(least, most, 5);
  const left = Math.max(...ticks.map((tick) => compact.format(tick).length)) * LETTER + 12;
  const plane = planeOf({ left, width, height, ticks });
  return (
    <>
      <g stroke="var(--line)">
        {ticks.map((tick) => (
          <line key={tick} x1={left} x2={plane.right} y1={plane.y(tick)} y2={plane.y(tick)} />
        ))}
      </g>
      <g fill="var(--text-2)" textAnchor="end" aria-hidden>
        {ticks.map((tick) => (
          <text key={tick} x={left - 6} y={plane.y(tick) + 4}>
            {compact.format(tick)}
          </text>
        ))}
      </g>
      {isScatter ? (
        <Points shape={shape} plane={plane} />
      ) : (
        <>
          <Labels labels={shape.labels} by={shape.by} plane={plane} isBar={shape.kind === 'bar'} />
          {shape.kind === 'bar' ? (
            <Bars shape={shape} plane={plane} />
          ) : (
            shape.series.map((one, i) => (
              <Line
                key={i}
                at={i}
                series={one}
                labels={shape.labels}
                plane={plane}
                isArea={shape.kind === 'area'}
              />
            ))
          )}
        </>
      )}
    </>
  );
}

interface PlaneAsked {
  readonly left: number;
  readonly width: number;
  readonly height: number;
  readonly ticks: readonly number[];
}

function planeOf({ left, width, height, ticks }: PlaneAsked): Plane {
  const [right, bottom] = [width - 10, height - FOOT];
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  return {
    left,
    right,
    bottom,
    x: (part) => left + part * (right - left),
    y: (value) => bottom - ((value - low) / (high - low)) * (bottom - TOP),
  };
}

/** Bars stand in the middle of their part; points begin at the left edge and end at the right one. */
function partOf(at: number, count: number, isBar: boolean): number {
  if (isBar || count === 1) return (at + 0.5) / count;
  return at / (count - 1);
}

interface LabelsProps {
  labels: readonly string[];
  by: string;
  plane: Plane;
  isBar: boolean;
}

/** As many as there is room for. */
function Labels({ labels, by, plane, isBar }: LabelsProps) {
  const room = plane.right - plane.left;
  const longest = Math.min(14, Math.max(...labels.map(({ length }) => length)));
  const every = Math.max(1, Math.ceil((labels.length * (longest * LETTER + 14)) / room));
  return (
    <g fill="var(--text-2)" aria-hidden>
      {labels.map((label, i) => {
        if (i % every !== 0) return null;
        const isLast = !isBar && i === labels.length - 1 && i > 0;
        const anchor = isBar || (i > 0 && !isLast) ? 'middle' : isLast ? 'end' : 'start';
        return (
          <text
            key={i}
            x={plane.x(partOf(i, labels.length, isBar))}
            y={plane.bottom + 15}
            textAnchor={anchor}
          >
            {label.length > 14 ? `${label.slice(0, 13).toWellFormed()}…` : label}
          </text>
        );
      })}
      <text x={(plane.left + plane.right) / 2} y={plane.bottom + 30} textAnchor="middle" fontWeight={600}>
        {by}
      </text>
    </g>
  );
}

type ByLabel = Extract<ChartShape, { kind: 'bar' | 'line' | 'area' | 'pie' }>;

function Bars({ shape: { labels, series }, plane }: { shape: ByLabel; plane: Plane }) {
  const room = (plane.right - plane.left) / labels.length;
  const each = Math.max(1, Math.min(60, (room * 0.8) / series.length));
  const zero = plane.y(0);
  return series.map(({ name, values }, s) => (
    <g key={s} fill={colour(s)}>
      {values.map((value, i) => {
        if (value === null) return null;
        const middle = plane.x(partOf(i, labels.length, true));
        const top = plane.y(value);
        return (
          <rect
            key={i}
            x={middle + (s - series.length / 2) * each}
            width={Math.max(1, each - (each > 4 ? 1.5 : 0))}
            y={Math.min(zero, top)}
            height={Math.max(1, Math.abs(zero - top))}
            rx={each > 6 ? 1.5 : 0}
          >
            <title>{`${labels[i]}, ${name}: ${numberText(value)}`}</title>
          </rect>
        );
      })}
    </g>
  ));
}

interface LineProps {
  at: number;
  series: Series;
  labels: readonly string[];
  plane: Plane;
  isArea: boolean;
}

/** Series differ by their dashes too. */
const DASHES = [undefined, '7 4', '2 3', '9 3 2 3'];

function Line({ at, series: { name, values }, labels, plane, isArea }: LineProps) {
  const points = values.flatMap((value, i) =>
    value === null ? [] : [{ i, value, x: plane.x(partOf(i, values.length, false)), y: plane.y(value) }],
  );
  const path = points
    // A missing value leaves a gap.
    .map(
      ({ i, x, y }, n) => `${n > 0 && points[n - 1]?.i === i - 1 ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`,
    )
    .join('');
  const [first, last] = [points[0], points.at(-1)];
  const zero = plane.y(0).toFixed(1);
  const isWhole = points.length === values.length;
  return (
    <g>
      {isArea && isWhole && first && last && (
        <path d={`${path}L${last.x} ${zero}L${first.x} ${zero}Z`} fill={colour(at)} fillOpacity={0.22} />
      )}
      <path d={path} fill="none" stroke={colour(at)} strokeWidth={2} strokeDasharray={DASHES[at % 4]} />
      {points.map(({ i, value, x, y }) => (
        <circle key={i} cx={x} cy={y} r={points.length > 60 ? 1.5 : 3} fill={colour(at)}>
          <title>{`${labels[i]}, ${name}: ${numberText(value)}`}</title>
        </circle>
      ))}
    </g>
  );
}

function Points({ shape, plane }: { shape: Extract<ChartShape, { kind: 'scatter' }>; plane: Plane }) {
  const all = shape.points.map(({ x }) => x);
  const ticks = ticksOf(Math.min(...all), Math.max(...all), 6);
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const across = (x: number): number => plane.x((x - low) / (high - low));
  return (
    <>
      <g fill="var(--text-2)" textAnchor="middle" aria-hidden>
        {ticks.map((tick) => (
          <text key={tick} x={across(tick)} y={plane.bottom + 15}>
            {compact.format(tick)}
          </text>
        ))}
        <text x={(plane.left + plane.right) / 2} y={plane.bottom + 30} fontWeight={600}>
          {shape.x}
        </text>
      </g>
      <g fill={colour(0)} fillOpacity={0.65}>
        {shape.points.map(({ x, y, size }, i) => (
          <circle key={i} cx={across(x)} cy={plane.y(y)} r={3.5 + 12 * Math.sqrt(size)}>
            <title>{`${shape.x} ${numberText(x)}, ${shape.y} ${numberText(y)}`}</title>
          </circle>
        ))}
      </g>
    </>
  );
}
