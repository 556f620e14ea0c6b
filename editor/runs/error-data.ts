import type { RunError } from '#shared/run-event.ts';
import { recordOf } from '../model/form/schema-shapes.ts';

const CONTAINERS: ReadonlySet<string> = new Set(['core.group', 'data.for-each', 'data.repeat-until']);
/** What a container adds: its node that failed, in which round and for which item. */
const PLACE: ReadonlySet<string> = new Set(['node', 'round', 'index', 'data']);

/** The data of an error as they were where it happened: the message of a container has said already where that is. */
export function withoutPlace({ operator = '', data }: Pick<RunError, 'operator' | 'data'>): unknown {
  let found = data;
  if (!CONTAINERS.has(operator)) return found;
  while (isPlace(found)) found = found['data'];
  return found;
}

function isPlace(data: unknown): data is Readonly<Record<string, unknown>> {
  const record = recordOf(data);
  return typeof record?.['node'] === 'string' && Object.keys(record).every((key) => PLACE.has(key));
}

/** The position in an expression; the message has already described it. */
const SAID = new Set(['path', 'start', 'end', 'suggestion']);

/** The data that are worth showing beside the message. */
export function toldData(data: unknown): unknown {
  const record = recordOf(data);
  if (!record) return data ?? undefined;
  return Object.keys(record).every((key) => SAID.has(key)) ? undefined : data;
}
