import { ID_PATTERN, MAX_JSON_DEPTH } from '#shared/flow.ts';
import type { Db } from '../../base/adapters/db.ts';
import { ServiceError } from '../../base/errors/errors.ts';

export interface VariableStore {
  /** Current values, frozen; a new object after each change, so that a run keeps its initial values. */
  snapshot(): Readonly<Record<string, unknown>>;
  set(name: string, value: unknown): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Bytes of one value as JSON. */
export const MAX_VARIABLE_BYTES = 64 * 1024;

/** The variables that expressions read as `vars`, stored in the part `variables` of `db`. */
export function createVariableStore(db: Db): VariableStore {
  let current = freeze(db.data.variables);

  async function change(next: (values: Record<string, unknown>) => Record<string, unknown>): Promise<void> {
    await db.change('variables', next);
    current = freeze(db.data.variables);
  }

  db.onOthers('variables', () => (current = freeze(db.data.variables)));
  return {
    snapshot: () => current,
    async set(name, value) {
      const copy = checked(name, value);
      await change((values) => ({ ...values, [name]: copy }));
    },
    async remove(name) {
      if (!Object.hasOwn(current, name))
        throw new ServiceError('variable_not_found', `There is no variable ${name}.`);
      await change(({ [name]: _, ...others }) => others);
    },
  };
}

/** A copy of the value as JSON, so that later changes of the caller's object do not reach it. */
function checked(name: string, value: unknown): unknown {
  if (!ID_PATTERN.test(name)) {
    throw new ServiceError(
      'invalid_request',
      'The name of a variable is an id: a lower-case letter, then a-z, 0-9 and _.',
      {
        param: 'name',
      },
    );
  }
  if (isTooDeep(value, MAX_JSON_DEPTH)) throw new ServiceError('too_deep', undefined, { param: 'value' });
  const text = JSON.stringify(value);
  if (text === undefined)
    throw new ServiceError('invalid_request', 'The value is not JSON.', { param: 'value' });
  if (Buffer.byteLength(text) > MAX_VARIABLE_BYTES) {
    throw new ServiceError(
      'body_too_large',
      `A variable may have at most ${MAX_VARIABLE_BYTES} bytes of JSON.`,
      { param: 'value' },
    );
  }
  return JSON.parse(text);
}

function isTooDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}

function freeze(values: Record<string, unknown>): Readonly<Record<string, unknown>> {
  return deepFreeze(structuredClone(values));
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
