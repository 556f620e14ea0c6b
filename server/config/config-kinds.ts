import { z } from 'zod';

/** How a setting's value is read, and what to say when it cannot be. */
export type Kind<T> = { readonly schema: z.ZodType<T>; readonly expects: string };

export function integer(min: number, max: number): Kind<number> {
  const text = z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number);
  const schema = z.union([z.number(), text]).pipe(z.number().int().min(min).max(max));
  return { schema, expects: `must be a whole number from ${min} to ${max}` };
}

export function text(): Kind<string> {
  return { schema: z.string().min(1), expects: 'must be a text' };
}

export function list(
  what: string,
  item: z.ZodType<string, string> = z.string().min(1),
): Kind<readonly string[]> {
  const split = z.string().transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
  return {
    schema: z.union([z.array(z.string()), split]).pipe(z.array(item)),
    expects: `must be ${what}, separated by commas`,
  };
}

/** A JSON value: as it stands in the file, as text in the environment. */
export function json<T>(schema: z.ZodType<T>, what: string): Kind<T> {
  const parsed = z.string().transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'is no JSON' });
      return z.NEVER;
    }
  });
  return { schema: z.union([parsed, z.unknown()]).pipe(schema), expects: `must be ${what}` };
}

export function oneOf<const V extends readonly string[]>(...values: V): Kind<V[number]> {
  return { schema: z.enum(values), expects: `must be one of ${values.join(', ')}` };
}

export function onOff(): Kind<boolean> {
  const words = z
    .enum(['on', 'off', 'true', 'false', '1', '0'])
    .transform((word) => ['on', 'true', '1'].includes(word));
  return { schema: z.union([z.boolean(), words]), expects: 'must be on or off' };
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
  const schema = z.union([z.number(), sized]).pipe(z.number().int().min(1024).max(max));
  return { schema, expects: `must be a size in bytes from 1024 to ${max}, or like 10MB` };
}

export const httpUrl = z.url({ protocol: /^https?$/ });
export const origin = z.url({ protocol: /^https?$/ }).refine((value) => new URL(value).origin === value);
export const hostName = z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/);
