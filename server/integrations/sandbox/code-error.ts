import { WeftError } from '#engine';
import type { CodeProblem } from './prepare.ts';

/** What the code's side reports about a thrown value. It comes out of the sandbox: any of it may be missing or a lie. */
interface Thrown {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly stack?: unknown;
  readonly code?: unknown;
  /** The path in the result to the value that is not JSON. */
  readonly path?: unknown;
  /** Whether another attempt may help. */
  readonly retryable?: unknown;
  /** The outside failure that it stands for. */
  readonly ref?: unknown;
}

/** Lines before the code when it is compiled. */
const HEAD_LINES = 3;
/** A place in the code, as V8 and as QuickJS print it. */
const PLACE = /(?:weft-code|<input>|<anonymous>):(\d+):(\d+)/g;

/** The error for what the code threw; `failures` are the outside failures it got, by their numbers. */
export function errorOf(text: string, node: string, failures: ReadonlyMap<number, unknown>): unknown {
  const thrown = thrownOf(text);
  if (typeof thrown.ref === 'number' && failures.has(thrown.ref)) return failures.get(thrown.ref);
  const [name, message] = [textOf(thrown.name, 'Error'), textOf(thrown.message, '')];
  if (thrown.code === 'value_too_large') return new WeftError('value_too_large', message);
  const places = placesIn(textOf(thrown.stack, ''));
  const [place] = places;
  const where = place ? ` (line ${place.line}, column ${place.column})` : '';
  const stack = places.map(({ line, column }) => `${node}:${line}:${column}`);
  const said = message === '' ? name : `${name}: ${message}`;
  return new WeftError('code_failed', `${said}${where}`, {
    data: { name, message, ...place, stack, ...(typeof thrown.path === 'string' && { path: thrown.path }) },
    field: 'params.source',
    transient: thrown.retryable === true,
  });
}

function thrownOf(text: string): Thrown {
  try {
    return (JSON.parse(text) ?? {}) as Thrown;
  } catch {
    return {};
  }
}

/** The error for code that cannot be run at all. */
export function invalidCode({ message, line, column }: CodeProblem): WeftError {
  return new WeftError('code_invalid', `${message} (line ${line}, column ${column})`, {
    data: { message, line, column },
    field: 'params.source',
  });
}

function placesIn(stack: string): { line: number; column: number }[] {
  const places = [...stack.matchAll(PLACE)].map(([, line, column]) => ({
    line: Number(line) - HEAD_LINES,
    column: Number(column),
  }));
  return places.filter(({ line }) => line > 0);
}

function textOf(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
