import { z } from 'zod';
import { type Call, defineOperator, input, lazy, output, WeftError } from '../../base/operator.ts';
import { STRETCH } from '../../base/item-loop.ts';
import { calledPart, runPart } from '../_sub-flow.ts';

/** How long rounds run without yielding to other work, in milliseconds. */
const SLICE_MS = 10;

export default defineOperator({
  title: 'Repeat until',
  doc: 'Runs its body, or a flow, again and again, each time with its last result, until a condition over its result holds.',
  icon: 'repeat-1',
  summary: '[{flow}, ]until {until}',
  synonyms: 'while, do while, loop until, polling, until, paginate, pagination',
  purpose: 'logic',
  params: z.object({
    ...calledPart,
    input: z
      .unknown()
      .default('{{ input }}')
      .describe('The input of the first round; each later round starts with the result of the one before.')
      .meta({ widget: 'value' }),
    until: lazy(
      'The condition, an expression over `item`, the latest result, and `index`, the number of rounds before it.',
    ).meta({
      widget: 'expression',
    }),
    maxRounds: z
      .int()
      .min(1)
      .max(100_000)
      .default(100)
      .describe(
        'More rounds than this are an error, so that the loop ends even if the condition never holds.',
      ),
    delayMs: z
      .number()
      .min(0)
      .max(86_400_000)
      .default(0)
      .describe('Wait between two rounds, in milliseconds.')
      .meta({ title: 'Pause between rounds' }),
  }),
  options: { Rounds: ['maxRounds', 'delayMs'] },
  inputs: { in: input({ doc: 'Any value; `input` reads it.' }) },
  outputs: { out: output({ doc: 'The result for which the condition held.' }) },
  infer: {
    outputs: { out: { called: 'result' } },
    item: { called: 'result' },
    starts: { with: { param: 'input' }, param: 'input', repeats: true },
    evaluated: ['until'],
  },
  effects: 'write',
  idempotent: true,
  body: 'usual',
  examples: [
    {
      title: 'Double until it is large',
      params: { flow: 'double', until: '{{ item > 100 }}', delayMs: 1 },
      inputs: { in: 7 },
      outputs: { out: 112 },
    },
    {
      title: 'Never',
      params: { flow: 'double', until: '{{ item < 0 }}', maxRounds: 3 },
      inputs: { in: 7 },
      error: 'too_many_rounds',
    },
  ],
  async run(call) {
    const { flow, trigger, until, maxRounds, delayMs } = call.params;
    const { idempotencyKey, signal, stretches } = call;
    let item = call.params.input;
    let sliceStart = call.now();
    for (let index = 0; index < maxRounds; index++) {
      if (index % STRETCH === 0) {
        const at = await nextStretch(stretches, index, item);
        index = at.index;
        item = at.item;
        if (index >= maxRounds) break;
      }
      const key = `${idempotencyKey}#${index}`;
      const start = { flow, trigger, input: item, key, signal, round: index };
      // The steps of a body are recorded themselves.
      item = await (call.body === undefined
        ? call.part({ index, attempt: 1, signal, input: item }, () => runPart(call as Call, start))
        : runPart(call as Call, start));
      signal.throwIfAborted();
      if (until({ item, index })) return item;
      if (delayMs > 0 || call.now() - sliceStart >= SLICE_MS) {
        if (call.body !== undefined && delayMs > 0) await call.body.pause(delayMs, index);
        else await call.sleep(delayMs);
        sliceStart = call.now();
      }
    }
    throw new WeftError(
      'too_many_rounds',
      `The condition did not hold after ${maxRounds} rounds; raise maxRounds, or fix \`until\`.`,
    );
  },
});

interface At {
  readonly index: number;
  readonly item: unknown;
}

/** In a durable run: records the rounds before `index` as one, and passes over those that are recorded. */
async function nextStretch(stretches: Call['stretches'], index: number, item: unknown): Promise<At> {
  if (index > 0) await stretches?.keep(index - STRETCH, index, [item]);
  let at: At = { index, item };
  for (;;) {
    const kept = stretches?.kept(at.index, at.index + STRETCH);
    if (kept === undefined) return at;
    at = { index: at.index + STRETCH, item: kept[0] };
  }
}
