import type { ConnectionGrants, ConnectionInfo, ConnectionRate } from './connection.ts';
import { periodText } from './rate.ts';

/** What people call a flow and an operator, by their ids. */
export interface GrantNames {
  flow(id: string): string;
  operator(type: string): string;
}

const IDS: GrantNames = { flow: (id) => id, operator: (type) => type };

/** Who may use it, in words; undefined for nobody. */
export function grantWords(
  { flows, operators, drafts }: ConnectionGrants,
  names: GrantNames = IDS,
): string | undefined {
  if (!flows && !operators) return undefined;
  if (flows?.length === 0 || operators?.length === 0) return undefined;
  const words = [
    flows && `flows ${flows.map((id) => names.flow(id)).join(', ')}`,
    operators && `nodes ${operators.map((type) => names.operator(type)).join(', ')}`,
  ]
    .filter((one) => one !== undefined)
    .join('; ');
  return drafts ? `${words}; drafts too` : words;
}

/** Where it leads, in words, by settings that have the same names in all kinds; empty if nothing says so. */
export function connectionPlace({ settings }: Pick<ConnectionInfo, 'settings'>): string {
  const { host, port, database, folder, file, endpoint, bucket, prefix, address } = settings;
  if (typeof host === 'string') return [`${host}:${String(port)}`, database].filter(isGiven).join('/');
  if (typeof file === 'string') return `${String(folder)}/${file}`;
  if (typeof endpoint === 'string')
    return [endpoint.replace(/\/$/, ''), bucket, prefix].filter(isGiven).join('/');
  return typeof address === 'string' ? address : '';
}

function isGiven(part: unknown): boolean {
  return part !== undefined && part !== '';
}

/** `at most 60 uses a minute, 5 at once`. */
export function rateWords({ limit, per, burst = limit }: ConnectionRate): string {
  const atOnce = burst === limit ? '' : `, ${burst} at once`;
  return `at most ${limit} ${limit === 1 ? 'use' : 'uses'} ${periodText(per)}${atOnce}`;
}
