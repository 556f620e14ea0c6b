import './chart.css';
import { useId, useRef } from 'react';
import { useWidth } from '../ui/use-width.ts';
import { AxisChart } from './AxisChart.tsx';
import { type ChartShape, chartWords, colourOf, numberText } from './chart-shape.ts';

const HEIGHT = 260;

/** A chart as SVG, as wide as there is room. Its values are in the table beside it. */
export default function Chart({ shape }: { shape: ChartShape }) {
  const box = useRef<HTMLDivElement>(null);
  const width = Math.max(240, useWidth(box));
  const id = useId();
  const { title, description } = chartWords(shape);
  return (
    <figure
      ref={box}
      className="flex min-w-0 flex-col gap-1.5 rounded-md border border-line bg-surface px-2 py-2"
    >
      <svg
        role="img"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-about`}
        viewBox={`0 0 ${width - 16} ${HEIGHT}`}
        className="w-full text-[11px]"
        style={{ height: HEIGHT }}
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-about`}>{description}</desc>
        {shape.kind === 'pie' ? (
          <Slices shape={shape} width={width - 16} height={HEIGHT} />
        ) : (
          <AxisChart shape={shape} width={width - 16} height={HEIGHT} />
        )}
      </svg>
      <Legend shape={shape} />
    </figure>
  );
}

type Pie = Extract<ChartShape, { kind: 'bar' | 'line' | 'area' | 'pie' }>;

function Slices({ shape: { labels, series }, width, height }: { shape: Pie; width: number; height: number }) {
  const values = (series[0]?.values ?? []).map((value) => value ?? 0);
  const whole = values.reduce((sum, value) => sum + value, 0);
  const radius = Math.min(width, height) / 2 - 8;
  const ends = values.map((_, i) => values.slice(0, i + 1).reduce((sum, value) => sum + value, 0) / whole);
  return (
    <g transform={`translate(${width / 2} ${height / 2})`} stroke="var(--surface)" strokeWidth={2}>
      {values.map((value, i) => (
        <path key={i} d={slice(ends[i - 1] ?? 0, ends[i] ?? 1, radius)} fill={colourOf(i)} fillRule="evenodd">
          <title>{`${labels[i]}: ${numberText(value)} (${share(value, whole)})`}</title>
        </path>
      ))}
    </g>
  );
}

function share(value: number, whole: number): string {
  return `${Math.round((1000 * value) / whole) / 10}%`;
}

/** From and to: parts of the circle, from 0 at the top. A whole circle has no arc of its own. */
function slice(from: number, to: number, radius: number): string {
  const inner = radius * 0.55;
  const at = (part: number, r: number): string => {
    const angle = 2 * Math.PI * part;
    return `${(r * Math.sin(angle)).toFixed(2)} ${(-r * Math.cos(angle)).toFixed(2)}`;
  };
  const end = to - from > 0.9999 ? from + 0.9999 : to;
  const isLarge = end - from > 0.5 ? 1 : 0;
  return `M${at(from, radius)}A${radius} ${radius} 0 ${isLarge} 1 ${at(end, radius)}L${at(end, inner)}A${inner} ${inner} 0 ${isLarge} 0 ${at(from, inner)}Z`;
}

/** Which colour is what; of a pie with the shares. */
function Legend({ shape }: { shape: ChartShape }) {
  if (shape.kind === 'scatter') return null;
  const { kind, labels, series } = shape;
  const values = (series[0]?.values ?? []).map((value) => value ?? 0);
  const whole = values.reduce((sum, value) => sum + value, 0);
  const names =
    kind === 'pie'
      ? labels.map((label, i) => `${label}, ${share(values[i] ?? 0, whole)}`)
      : series.map(({ name }) => name);
  return (
    <figcaption className="flex flex-wrap justify-center gap-x-3 gap-y-1 text-xs text-text-2">
      {names.map((name, i) => (
        <span key={i} className="inline-flex min-w-0 items-center gap-1.5">
          <span aria-hidden className="size-2.5 shrink-0 rounded-xs" style={{ background: colourOf(i) }} />
          <span className="max-w-60 truncate">{name}</span>
        </span>
      ))}
    </figcaption>
  );
}
