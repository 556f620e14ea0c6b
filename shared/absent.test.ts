import { expect, test } from 'vitest';
import { z } from 'zod';

const modules = import.meta.glob<Record<string, unknown>>(['./*.ts', '!./*.test.ts'], { eager: true });

/** Object fields that are always present: the value of a variable, and JSON Schemas. */
const alwaysThere = /^\.\/api\.ts Variable\.value$|\.(schema|params)$/;

/** Fields that may hold anything but must be present. In JSON, a field whose value is `undefined` is absent. */
test('a field that may be anything may be left out, unless it is known to be there', () => {
  const found = Object.entries(modules).flatMap(([file, exported]) =>
    Object.entries(exported).flatMap(([name, schema]) =>
      schema instanceof z.ZodType ? demanded(schema).map((field) => `${file} ${name}.${field}`) : [],
    ),
  );
  expect(found.filter((field) => !alwaysThere.test(field))).toEqual([]);
});

/** The names of such fields in a schema, at any depth. */
function demanded(schema: z.ZodType): string[] {
  const names = new Set<string>();
  const waiting: unknown[] = [z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    const { properties, required } = node as { properties?: Record<string, object>; required?: unknown };
    // A field of that name is an object, not the list.
    for (const name of Array.isArray(required) ? (required as string[]) : []) {
      const { description: _, ...kinds } = (properties?.[name] ?? { type: 'none' }) as {
        description?: string;
      };
      if (Object.keys(kinds).length === 0) names.add(name);
    }
    waiting.push(...Object.values(node));
  }
  return [...names];
}
