import { z } from 'zod';
import type { TypeRule } from '#shared/type-rule.ts';
import {
  askedWait,
  type Call,
  defineOperator,
  input,
  isTransient,
  lazy,
  MAX_ASKED_WAIT_MS,
  output,
  WeftError,
} from '../../base/operator.ts';
import { inItem, LEFT_OUT, loopItems, toldOf } from '../../base/item-loop.ts';
import { itemRules } from '../_item-rules.ts';
import { reading } from '../_record.ts';
import { calledPart, runPart } from '../_sub-flow.ts';

const params = z.object({
  ...calledPart,
  items: z
    .unknown()
    .default('{{ input }}')
    .describe('The list of items that the flow is run with.')
    .meta({ widget: 'value' }),
  input: lazy('The input of the flow for each `item` (its position is `index`); the item itself if empty.')
    .meta({ widget: 'value' })
    .optional(),
  ...itemRules(10),
  result: z
    .enum(['values', 'pairs'])
    .default('values')
    .describe('A list of the flow’s results, or of { input, output } for each item.'),
});

type Params = z.output<typeof params>;

const item: TypeRule = { itemOf: { param: 'items' } };

const told = z.object({
  ok: z.literal(false),
  error: z.looseObject({ code: z.string(), message: z.string() }),
});

/** The result of an item. */
const output_: TypeRule = {
  byParam: {
    name: 'onItemError',
    cases: {
      collect: {
        union: [
          { object: { ok: { schema: { const: true } }, value: { called: 'result' } } },
          { schema: z.toJSONSchema(told) },
        ],
      },
    },
    else: { called: 'result' },
  },
};

export default defineOperator({
  title: 'For each',
  doc: 'Runs its body, or a flow, once for each item of a list, several at a time, and gives the results in the order of the items.',
  icon: 'repeat',
  summary: '{items}[ → {flow}]',
  synonyms: 'loop, foreach, each, iteration, iterator, map over, for loop, repeat for items, loop over items',
  purpose: 'logic',
  params,
  options: {
    Items: ['concurrency', 'maxItems'],
    Errors: ['onItemError', 'attempts', 'retryDelayMs', 'itemTimeoutMs'],
    Result: ['result'],
  },
  inputs: { in: input({ doc: 'Usually the list itself; expressions read it as `input`.' }) },
  outputs: { out: output({ doc: 'The results, in the order of the items.', schema: z.array(z.unknown()) }) },
  infer: {
    outputs: {
      out: {
        array: {
          byParam: {
            name: 'result',
            cases: { values: output_ },
            else: { object: { input: item, output: output_ } },
          },
        },
      },
    },
    item,
    starts: {
      with: { byParam: { name: 'input', cases: { absent: item }, else: { param: 'input' } } },
      param: 'input',
    },
  },
  effects: 'write',
  idempotent: true,
  body: 'usual',
  examples: [
    {
      title: 'Double each number',
      params: { flow: 'double' },
      inputs: { in: [1, 2, 3] },
      outputs: { out: [2, 4, 6] },
    },
    {
      title: 'Tell what became of each item',
      params: {
        flow: 'double',
        items: '{{ input.orders }}',
        input: '{{ item.count }}',
        onItemError: 'collect',
      },
      inputs: { in: { orders: [{ count: 2 }, { count: 'many' }] } },
      outputs: {
        out: [
          { ok: true, value: 4 },
          { ok: false, error: { code: 'bad_input', message: 'There is no double of it.' } },
        ],
      },
    },
    {
      title: 'No list',
      params: { flow: 'double' },
      inputs: { in: 'abc' },
      error: 'bad_input',
    },
  ],
  run(call) {
    const items = listOf(call.params);
    const one = call as Call<Params>;
    const { idempotencyKey } = call;
    return loopItems(call as Call, {
      count: items.length,
      concurrency: call.params.concurrency,
      item: (index, signal) =>
        attemptItem(one, {
          item: reading(() => items[index]),
          index,
          signal,
          attempt: 1,
          key: `${idempotencyKey}#${index}`,
        }),
    });
  },
});

function listOf({ items, maxItems }: Params): readonly unknown[] {
  if (!reading(() => Array.isArray(items))) {
    throw new WeftError('bad_input', 'There is no list to work on; set it in `items`.', {
      field: 'params.items',
    });
  }
  const list = items as readonly unknown[];
  if (reading(() => list.length) <= maxItems) return list;
  throw new WeftError(
    'too_many_items',
    `The list has ${list.length} items, but the node accepts at most ${maxItems}; raise maxItems to accept more.`,
  );
}

interface Attempt {
  readonly item: unknown;
  readonly index: number;
  readonly signal: AbortSignal;
  readonly attempt: number;
  /** The idempotency key of the item. */
  readonly key: string;
}

/** The result of the item, at once if its run ends at once. */
function attemptItem(call: Call<Params>, at: Attempt): unknown {
  let value: unknown;
  try {
    value = runItem(call, at);
  } catch (error) {
    return afterFailure(call, at, error);
  }
  if (!(value instanceof Promise)) return entryOf(call.params, at.item, value);
  return value.then(
    (result: unknown) => entryOf(call.params, at.item, result),
    (error: unknown) => afterFailure(call, at, error),
  );
}

function runItem(call: Call<Params>, at: Attempt): unknown {
  const { item, index, signal, attempt, key } = at;
  const { flow, trigger, itemTimeoutMs: timeoutMs, input: makeInput } = call.params;
  const value = makeInput ? makeInput({ item, index }) : item;
  const start = { flow, trigger, input: value, key, signal, timeoutMs, round: index, attempt };
  // The steps of a body are recorded themselves.
  if (call.body !== undefined) return runPart(call as Call, start);
  return call.part({ ...at, input: value }, () => runPart(call as Call, start));
}

function entryOf({ onItemError, result }: Params, item: unknown, value: unknown): unknown {
  const output_ = onItemError === 'collect' ? { ok: true, value } : value;
  return result === 'pairs' ? { input: item, output: output_ } : output_;
}

function afterFailure(call: Call<Params>, at: Attempt, error: unknown): unknown {
  const { attempts, retryDelayMs, itemTimeoutMs = MAX_ASKED_WAIT_MS, onItemError, result } = call.params;
  // The item did not fail: it was aborted.
  if (at.signal.aborted || call.signal.aborted) throw error;
  if (at.attempt < attempts && mayHelp(error)) {
    const asked = Math.min(
      askedWait(error, () => call.now()),
      itemTimeoutMs,
    );
    const again = { ...at, attempt: at.attempt + 1 };
    return call.sleep(Math.max(retryDelayMs, asked)).then(() => attemptItem(call, again));
  }
  if (onItemError === 'fail') throw inItem(error, at.index);
  if (onItemError === 'skip') return LEFT_OUT;
  const told = { ok: false, error: toldOf(error) };
  return result === 'pairs' ? { input: at.item, output: told } : told;
}

/** A new attempt may be faster, so a time-out may be retried. */
function mayHelp(error: unknown): boolean {
  return isTransient(error) || (error as WeftError).code === 'run_timeout';
}
