import { z } from 'zod';
import { Id } from '#shared/flow.ts';

/** A list param that names ports: each name once, none of those in `taken`, at most 100. */
export function portList<S extends z.ZodRawShape>(shape: S, taken: readonly string[] = []) {
  const port = z.object({ name: Id.describe('The name of the port.'), ...shape });
  return z
    .array(port)
    .min(1)
    .max(100)
    .superRefine((ports, context) => {
      const seen = new Set<string>(taken);
      ports.forEach((item, i) => {
        const { name } = item as { name: string };
        if (seen.has(name))
          context.addIssue({ code: 'custom', message: `The name ${name} is taken.`, path: [i, 'name'] });
        seen.add(name);
      });
    });
}
