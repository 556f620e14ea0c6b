import type { FlowNode } from '#shared/flow.ts';
import { type Fields, listOf, recordOf, textOf } from './app.ts';
import type { Stand } from './here.ts';

/** A node with its retries and with what happens after an error. */
export function risky(
  node: FlowNode,
  data: Fields,
  stand: Stand | undefined,
): { readonly node: FlowNode; readonly mayFail: boolean; readonly note: string | undefined } {
  const retry = retryOf(data);
  const strategy = textOf(data['error_strategy']);
  const tried = { ...node, ...(retry && { retry }) };
  if (strategy === 'fail-branch')
    return { node: { ...tried, onError: 'route' }, mayFail: true, note: undefined };
  if (strategy !== 'default-value') return { node: tried, mayFail: false, note: undefined };
  if (!stand)
    return {
      node: tried,
      mayFail: false,
      note: 'Its values for the case of an error are left out; the run ends there.',
    };
  const values = Object.fromEntries(
    listOf(data['default_value']).map((one) => [textOf(recordOf(one)['key']), valueOf(recordOf(one))]),
  );
  return {
    node: { ...tried, onError: 'continue', fallback: stand(values) },
    mayFail: false,
    note: undefined,
  };
}

function retryOf(data: Fields): FlowNode['retry'] {
  const given = recordOf(data['retry_config']);
  const most = Number(given['max_retries']);
  if (given['retry_enabled'] !== true || !Number.isInteger(most) || most < 1) return undefined;
  const wait = Number(given['retry_interval']);
  const backoffMs = Number.isFinite(wait) && wait >= 0 ? Math.min(wait, 3_600_000) : 1000;
  return { attempts: Math.min(most + 1, 100), backoffMs, factor: 1, jitter: 0 };
}

/** Numbers, lists and objects are kept as texts. */
function valueOf({ type, value }: Fields): unknown {
  if (typeof value !== 'string' || type === 'string') return value ?? null;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
