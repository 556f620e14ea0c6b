import type { ConnectionGrants, ConnectionInfo, ConnectionRate } from './connection.ts';
import { periodText } from './rate.ts';

/** Who may use it, in words; undefined for nobody. */
export function grantWords({ flows, operators, drafts }: ConnectionGrants): string | undefined {
  const lists = [flows && ['flows', flows], operators && ['operators', operators]].filter(
    (one) => one !== undefined,
  );
  if (lists.length === 0 || lists.some(([, names]) => names?.length === 0)) return undefined;
  const words = lists.map(([what, names]) => `${String(what)} ${(names as string[]).join(', ')}`).join('; ');
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
