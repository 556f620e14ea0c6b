import './zod-config.ts';
import { z } from 'zod';
import { miss } from './unread.ts';

/** A list whose records are read each on its own: one that cannot be read is missing (`unread.ts`), the others are there. */
export function recordsOf<S extends z.ZodType>(record: S) {
  return z.array(z.unknown()).transform((list) =>
    list.flatMap((one): z.output<S>[] => {
      const read = record.safeParse(one);
      if (read.success) return [read.data];
      miss(one);
      return [];
    }),
  );
}
