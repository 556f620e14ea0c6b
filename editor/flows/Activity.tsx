import type { FlowActivity } from '#shared/api.ts';
import { countText } from '../ui/format.ts';

const WIDTH = 3;
const HEIGHT = 16;

interface ActivityProps {
  activity: FlowActivity | undefined;
  flow: string;
}

/** The share of runs that went well within a day, and a bar for each hour: its runs, the failed ones below. */
export function Activity({ activity, flow }: ActivityProps) {
  if (!activity) return null;
  const { ok = [], failed = [] } = (Object.hasOwn(activity.flows, flow) && activity.flows[flow]) || {};
  const [good, bad] = [sum(ok), sum(failed)];
  if (good + bad === 0) return <span className="text-xs text-text-2">no runs</span>;
  const most = Math.max(...ok.map((n, i) => n + (failed[i] ?? 0)));
  const height = (n: number): number => (n === 0 ? 0 : Math.max(2, (n / most) * HEIGHT));
  const said = `${countText(good + bad, 'run')} in 24 hours, ${bad} failed${activity.whole ? '' : '; only the newest runs are counted'}`;
  return (
    <span className="flex items-center gap-2" title={said}>
      <svg
        role="img"
        aria-label={said}
        width={ok.length * WIDTH}
        height={HEIGHT}
        className="shrink-0 overflow-visible"
      >
        <path d={`M0 ${HEIGHT + 0.5}H${ok.length * WIDTH}`} className="stroke-line" />
        {ok.map((n, hour) => {
          const red = height(failed[hour] ?? 0);
          const green = Math.min(height(n), HEIGHT - red);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the hours of a day
            <g key={hour}>
              <rect
                x={hour * WIDTH}
                y={HEIGHT - red - green}
                width={WIDTH - 1}
                height={green}
                className="fill-ok"
              />
              <rect x={hour * WIDTH} y={HEIGHT - red} width={WIDTH - 1} height={red} className="fill-bad" />
            </g>
          );
        })}
      </svg>
      <span className="text-xs tabular-nums">{shareText(good / (good + bad))}</span>
    </span>
  );
}

const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);

/** `100 %` only if nothing has failed. */
const shareText = (share: number): string => `${share === 1 ? 100 : Math.min(99, Math.round(share * 100))} %`;
