import { z } from 'zod';
import { defineOperator, input, type Operator } from '#engine';

const params = z.object({
  items: z.number(),
  /** The item that fails the first time. */
  fails: z.number().default(-1),
});

/** Notes each executed item as `node/7`, a few at a time; returns how many there were. */
export function loop(note: (node: string, key: string) => boolean): Operator {
  const failed = new Set<string>();
  return defineOperator({
    title: 'Loop',
    doc: 'Counts.',
    icon: 'repeat',
    params,
    inputs: { in: input() },
    outputs: { out: { kind: 'value', schema: undefined } },
    effects: 'write',
    examples: [],
    async run(call) {
      const { items, fails } = call.params;
      const execute = async (index: number): Promise<unknown> => {
        const name = `${call.node}/${index}`;
        if (!note(name, `${call.idempotencyKey}#${index}`)) return new Promise(() => {});
        await call.sleep(1);
        if (index !== fails || failed.has(name)) return index;
        failed.add(name);
        throw new Error('not yet');
      };
      let done = 0;
      for (let first = 0; first < items; first += 5) {
        const some = Array.from({ length: Math.min(5, items - first) }, (_, i) => first + i);
        const of = { attempt: 1, signal: call.signal };
        done += (await Promise.all(some.map((index) => call.part({ index, ...of }, () => execute(index)))))
          .length;
      }
      return done;
    },
  }) as unknown as Operator;
}
