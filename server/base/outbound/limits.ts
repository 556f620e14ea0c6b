import { z } from 'zod';
import type { Target } from './target.ts';

/** The most connections to one origin at once, and the most calls that wait for one. */
export interface DestinationLimits {
  /** Connections for calls whose answer is read at once. */
  readonly calls: number;
  /** Connections for streamed answers, which last as long as their reader needs. */
  readonly streams: number;
  /** Waiting calls, for each of the two kinds. */
  readonly queue: number;
}

const defaults: DestinationLimits = { calls: 512, streams: 512, queue: 10_000 };

const connections = z.int().min(1).max(65_535).optional();
const Destination = z.strictObject({
  calls: connections,
  streams: connections,
  queue: z.int().min(0).max(1_000_000).optional(),
});

const names = /^(?:\*|(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?)$/;

/** Limits by destination: `host:port`, `host`, or `*` for all others. Omitted limits have their default. */
export const OutboundLimits = z
  .record(z.string(), Destination)
  .transform((given) => Object.fromEntries(Object.entries(given).map(([to, its]) => [to.toLowerCase(), its])))
  .refine((limits) => Object.keys(limits).every((to) => names.test(to)));
export type OutboundLimits = Readonly<z.output<typeof OutboundLimits>>;

/** The limits of a target: the most specific entry wins, field by field. */
export function limitsOf({ host, port }: Target, limits: OutboundLimits): DestinationLimits {
  const name = host.includes(':') ? `[${host}]` : host;
  const merged = { ...defaults };
  for (const entry of [limits['*'], limits[name], limits[`${name}:${port}`]])
    for (const [field, value] of Object.entries(entry ?? {}))
      if (value !== undefined) merged[field as keyof DestinationLimits] = value;
  return merged;
}
