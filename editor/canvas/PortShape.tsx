import type { PortLook } from '../model/drawing/project.ts';

const COLORS: Readonly<Record<PortLook, string>> = {
  value: 'var(--port-value)',
  stream: 'var(--port-stream)',
  error: 'var(--port-error)',
  missing: 'var(--bad)',
};

/** Circle for a value, diamond for a stream, square for an error; hollow while nothing is connected. */
export function PortShape({ look, filled }: { look: PortLook; filled: boolean }) {
  const paint = {
    fill: filled ? COLORS[look] : 'var(--surface)',
    stroke: COLORS[look],
    strokeWidth: 2,
    strokeDasharray: look === 'missing' ? '2 2' : undefined,
  };
  return (
    <svg width={12} height={12} viewBox="0 0 12 12" aria-hidden>
      {look === 'stream' && <path d="M6 0.5 11.5 6 6 11.5 0.5 6Z" {...paint} />}
      {look === 'error' && <rect x={1.5} y={1.5} width={9} height={9} {...paint} />}
      {(look === 'value' || look === 'missing') && <circle cx={6} cy={6} r={4.5} {...paint} />}
    </svg>
  );
}
