import { isAsyncFunction } from '../base/is-promise.ts';
import { WeftError } from '../base/errors.ts';
import type { Call, Operator } from '../base/operator.ts';
import { isAsyncIterable } from '../base/item-stream.ts';
import { copyValue } from './copy-value.ts';

/**
 * Wraps an operator that is not built in (a user's own, an inline function of a code-first flow).
 *
 * X1. Its output is copied when it leaves, so no reference that it keeps can change what other nodes see.
 * X2. Its inputs and params are frozen, so an attempt to change them fails at once.
 * X3. It stays sync or async, as it was written. A stream stays a stream, and is closed at once when it is no longer read.
 */
export function foreignOperator(operator: Operator): Operator {
  const { run } = operator;
  if (typeof run !== 'function') return operator;
  const single = Object.keys(operator.outputs).length === 1 && operator.derivedOutputs === undefined;
  const leave = single ? copyOutput : copyOutputs;
  // Called as a method of the operator, since its author may have used `this`.
  const execute = (call: Call): unknown => run.call(operator, guarded(call));
  const guardedRun = isAsyncFunction(run)
    ? async (call: Call): Promise<unknown> => leave(await execute(call))
    : (call: Call): unknown => {
        const result = execute(call);
        return result instanceof Promise ? result.then(leave) : leave(result);
      };
  return { ...operator, foreign: true, run: guardedRun };
}

function guarded(call: Call): Call {
  try {
    freezeValue(call.params);
    for (const value of Object.values(call.inputs)) freezeValue(value);
  } catch (error) {
    throw new WeftError('bad_input', `The input cannot be read: ${(error as Error).message}`);
  }
  return call;
}

function copyOutputs(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return copyValue(result);
  const live = Object.entries(result).filter(([, value]) => value !== undefined);
  return Object.fromEntries(live.map(([port, value]) => [port, copyOutput(value)]));
}

function copyOutput(value: unknown): unknown {
  return isAsyncIterable(value) ? copyStream(value) : copyValue(value);
}

function copyStream(stream: AsyncIterable<unknown>): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator](): AsyncIterator<unknown> {
      const source = stream[Symbol.asyncIterator]();
      return {
        async next() {
          const { done, value } = await source.next();
          return done ? { done: true, value: undefined } : { done: false, value: copyValue(value) ?? null };
        },
        return: async () => (await source.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

/** Freezes plain objects and lists with everything in them; bytes, streams and other objects are left as they are. */
export function freezeValue(value: unknown): void {
  const open = [value];
  while (open.length > 0) {
    const item = open.pop();
    // A frozen object was frozen together with its parts.
    if (typeof item !== 'object' || item === null || Object.isFrozen(item) || !isPlain(item)) continue;
    Object.freeze(item);
    for (const child of Object.values(item)) open.push(child);
  }
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
