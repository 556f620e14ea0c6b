import { availableParallelism } from 'node:os';
import { z } from 'zod';

/** Where settings come from. */
export interface ConfigSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of `weft.config.json`, and the base of relative paths. */
  readonly cwd: string;
  /** Whether standard output is a terminal, which a person reads. */
  readonly terminal: boolean;
}

/** One entry of the table of settings: all that reading, `--help` and the docs need. */
export interface Setting<T = unknown> {
  /** The variable of the environment. */
  readonly env: string;
  readonly doc: string;
  /** The valid values, as a phrase after "must be". */
  readonly expects: string;
  /** Reads a text from the environment or a JSON value from the file. */
  readonly schema: z.ZodType<T>;
  readonly fallback: (source: ConfigSource) => T;
  /** The default as a reader sees it. */
  readonly shown: string;
  /** Its value never appears in a message. */
  readonly secret: boolean;
}

/** How a value of a setting is read, the message for an invalid one, and how a value is written. */
export interface Kind<T> {
  readonly schema: z.ZodType<T>;
  readonly expects: string;
  readonly show?: (value: T) => string;
  /** The default as a reader sees it, if its value alone is unclear. */
  readonly shown?: string;
  readonly secret?: boolean;
}

/** A setting that always has a value. `fallback` is a function if the default depends on where the server runs. */
export function setting<T>(
  env: string,
  kind: Kind<T>,
  fallback: NoInfer<T> | ((source: ConfigSource) => NoInfer<T>),
  doc: string,
): Setting<T> {
  const { schema, expects, secret = false, show = String } = kind;
  if (typeof fallback === 'function') {
    const of = fallback as (source: ConfigSource) => T;
    return { env, doc, expects, schema, secret, shown: kind.shown ?? '', fallback: of };
  }
  const shown = kind.shown ?? show(fallback);
  return { env, doc, expects, schema, secret, shown, fallback: () => fallback };
}

/** A setting without a default. */
export function optional<T>(env: string, kind: Kind<T>, doc: string): Setting<T | undefined> {
  const { schema, expects, shown = 'none', secret = false } = kind;
  return { env, doc, expects, schema, secret, shown, fallback: () => undefined };
}

/** A whole number within the limits, both included. */
export function integer(min: number, max: number): Kind<number> {
  const digits = z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number);
  const schema = z.union([z.number(), digits]).pipe(z.number().int().min(min).max(max));
  return { schema, expects: `a whole number from ${min} to ${max}` };
}

/** A number of processes; `auto` is one for each core available to this program. */
export function processCount(): Kind<number> {
  const auto = z.literal('auto').transform(() => availableParallelism());
  return { schema: z.union([auto, integer(1, 256).schema]), expects: 'auto or a whole number from 1 to 256' };
}

/** A number within the limits, both included. */
export function number(min: number, max: number): Kind<number> {
  return { schema: z.coerce.number().min(min).max(max), expects: `a number from ${min} to ${max}` };
}

/** A text that the schema accepts; `expects` follows "must be" in messages. */
export function text(schema: z.ZodType<string> = z.string().min(1), expects = 'a text'): Kind<string> {
  return { schema, expects };
}

export const httpUrl = text(z.url({ protocol: /^https?$/ }), 'an http or https URL');

/** Texts: an array in the file, separated by commas in the environment. */
export function list(
  what: string,
  item: z.ZodType<string, string> = z.string().min(1),
  least = 0,
): Kind<readonly string[]> {
  const split = z.string().transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
  return {
    schema: z.union([z.array(z.string()), split]).pipe(z.array(item).min(least)),
    expects: `${what}, separated by commas`,
    show: (items) => (items.length === 0 ? 'none' : items.join(',')),
  };
}

/** Folders by name: an object in the file, `name=path` in the environment. */
export function namedFolders(): Kind<Readonly<Record<string, string>>> {
  const name = z.string().regex(/^[a-z][a-z0-9_-]{0,99}$/);
  const split = z.string().transform((value, context) => {
    const pairs = value.split(',').map((part) => /^\s*([^=\s]+)\s*=\s*(.+?)\s*$/.exec(part));
    if (pairs.every((pair) => pair !== null))
      return Object.fromEntries(pairs.map(([, one = '', path = '']) => [one, path]));
    context.addIssue({ code: 'custom', message: 'has a part without a name' });
    return z.NEVER;
  });
  return {
    schema: z.union([z.record(z.string(), z.string()), split]).pipe(z.record(name, z.string().min(1))),
    expects: 'folders by name, like reports=/srv/reports,inbox=in',
    show: (folders) =>
      Object.entries(folders)
        .map((pair) => pair.join('='))
        .join(',') || 'none',
  };
}

/** A JSON value: plain JSON in the file, text in the environment. */
export function json<T>(schema: z.ZodType<T>, what: string): Kind<T> {
  const parsed = z.string().transform((value, context) => {
    try {
      return JSON.parse(value) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'is not JSON' });
      return z.NEVER;
    }
  });
  return {
    schema: z.union([parsed, z.unknown()]).pipe(schema),
    expects: what,
    show: (value) => (JSON.stringify(value) === '{}' ? 'none' : JSON.stringify(value)),
  };
}

/** One of these words. */
export function oneOf<const V extends readonly string[]>(...values: V): Kind<V[number]> {
  return { schema: z.enum(values), expects: `one of ${values.join(', ')}` };
}

/** A switch: a boolean in the file, `on` or `off` in the environment. */
export function onOff(): Kind<boolean> {
  const words = z
    .enum(['on', 'off', 'true', 'false', '1', '0'])
    .transform((word) => ['on', 'true', '1'].includes(word));
  return {
    schema: z.union([z.boolean(), words]),
    expects: 'on or off',
    show: (value) => (value ? 'on' : 'off'),
  };
}

const byteUnits: Readonly<Record<string, number>> = { '': 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** A number of bytes, or a text like `10MB`. */
export function bytes(max: number): Kind<number> {
  const sized = z
    .string()
    .regex(/^\d{1,12} ?([kmg]b)?$/i)
    .transform(
      (value) =>
        Number.parseInt(value, 10) * (byteUnits[value.replace(/[\d ]/g, '').toLowerCase()] ?? Number.NaN),
    );
  return {
    schema: z.union([z.number(), sized]).pipe(z.number().int().min(1024).max(max)),
    expects: `a size in bytes from 1024 to ${max}, or like 10MB`,
    show: (value) => {
      const [unit, size] = Object.entries(byteUnits).findLast(([, each]) => value % each === 0) ?? ['', 1];
      return `${value / size}${unit.toUpperCase()}`;
    },
  };
}
