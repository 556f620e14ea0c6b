import './zod-config.ts';
import { z } from 'zod';
import { miss } from './unread.ts';

/** A list whose records are parsed one by one: an unreadable record is left out (`unread.ts`), the others stay. */
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
