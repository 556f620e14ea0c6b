import { z } from 'zod';
import type { TypeRule } from '#shared/type-rule.ts';
import { lazy, type Lazy, output, WeftError } from '../base/operator.ts';
import { identityOf } from './_identity.ts';
import { checkCount } from './_list.ts';
import { compareRanks, type Rank, rankOf } from './_order.ts';
import { FORBIDDEN_FIELD } from './_record.ts';

/** What can be computed over the items of a list. */
const FUNCTIONS = ['count', 'sum', 'avg', 'min', 'max', 'first', 'last', 'list'] as const;
type Function = (typeof FUNCTIONS)[number];

/** One result from many values, which come one by one. */
interface Fold {
  /** @throws WeftError `bad_input` for a value that has no sum or order. */
  add(value: unknown): void;
  /** Null if there is none. Throws `bad_number` if the sum is too large for a number. */
  result(): unknown;
}

/** Nulls are left out, except by `list`. Only `list` keeps the values. `name`: the field of the result, for messages. */
function createFold(as: Function, name: string): Fold {
  switch (as) {
    case 'list':
      return listFold();
    case 'count':
      return countFold();
    case 'sum':
    case 'avg':
      return sumFold(as, name);
    case 'min':
      return extremeFold(-1);
    case 'max':
      return extremeFold(1);
    case 'first':
    case 'last':
      return edgeFold(as);
  }
}

function listFold(): Fold {
  const values: unknown[] = [];
  return { add: (value) => void values.push(value), result: () => values };
}

function countFold(): Fold {
  let count = 0;
  return { add: (value) => void (value === null || count++), result: () => count };
}

function sumFold(as: 'sum' | 'avg', name: string): Fold {
  let sum = 0;
  let count = 0;
  return {
    add(value) {
      if (value === null) return;
      if (typeof value !== 'number')
        throw new WeftError('bad_input', `${name} adds numbers, but one of the values is a ${typeof value}.`);
      sum += value;
      count++;
    },
    result() {
      if (!Number.isFinite(sum)) throw new WeftError('bad_number', `${name} is not a finite number.`);
      if (as === 'sum') return sum;
      return count === 0 ? null : sum / count;
    },
  };
}

/** The first of the largest values; with -1, of the smallest. */
function extremeFold(sign: 1 | -1): Fold {
  let found: Rank = null;
  return {
    add(value) {
      if (value === null) return;
      const rank = rankOf(value);
      if (found === null || sign * compareRanks(rank, found) > 0) found = rank;
    },
    result: () => found,
  };
}

function edgeFold(as: 'first' | 'last'): Fold {
  let found: unknown = null;
  return {
    add: (value) => void (value !== null && (as === 'last' || found === null) && (found = value)),
    result: () => found,
  };
}

const field = z.object({
  name: z
    .string()
    .min(1)
    .max(200)
    .refine((name) => name !== FORBIDDEN_FIELD, `may not be ${FORBIDDEN_FIELD}`)
    .describe('The field of the result.'),
  as: z
    .enum(FUNCTIONS)
    .describe(
      'The values to compute. Nulls count for `list`, and for `count` if it has no `of`; otherwise they are left out.',
    ),
  of: lazy('The value to use, an expression over `item` and `index`; the item itself by default.')
    .meta({ widget: 'expression' })
    .optional(),
});

/** Each name once; `key` is reserved for the group's key. */
const fields = z
  .array(field)
  .min(1)
  .max(100)
  .superRefine((list, context) => {
    const seen = new Set(['key']);
    list.forEach(({ name }, i) => {
      if (seen.has(name))
        context.addIssue({ code: 'custom', message: `The name ${name} is taken.`, path: [i, 'name'] });
      seen.add(name);
    });
  });

export const aggregateParams = z.object({
  fields: fields.describe('The fields of the result.'),
  by: lazy('The key of a group, an expression over `item` and `index`; without it all items are one group.')
    .meta({ widget: 'expression' })
    .optional(),
});

export const aggregateOutputs = {
  out: output({
    doc: 'An object with the fields; with `by`, a list of them, each with its group’s `key`.',
    schema: z.union([z.record(z.string(), z.unknown()), z.array(z.looseObject({ key: z.unknown() }))]),
  }),
};

/** How the type of the result follows; `item` is the rule of an item. */
export function aggregateTypes(item: TypeRule): {
  readonly outputs: { readonly out: TypeRule };
  readonly item: TypeRule;
} {
  const value = orNull({ entry: { key: 'of', else: item } });
  const amount: TypeRule = { schema: { type: 'number' } };
  const results: TypeRule = {
    fieldsFrom: {
      entriesIn: 'fields',
      name: 'name',
      by: 'as',
      cases: {
        count: { schema: { type: 'integer' } },
        sum: amount,
        avg: orNull(amount),
        min: value,
        max: value,
        first: value,
        last: value,
        list: { array: value },
      },
    },
  };
  const groups: TypeRule = { array: { assign: [{ object: { key: orNull({ param: 'by' }) } }, results] } };
  return { outputs: { out: { byParam: { name: 'by', cases: { absent: results }, else: groups } } }, item };
}

function orNull(rule: TypeRule): TypeRule {
  return { union: [rule, { schema: { type: 'null' } }] };
}

type Params = { readonly fields: readonly z.output<typeof field>[]; readonly by?: Lazy | undefined };
type Result = Record<string, unknown>;

interface Group {
  readonly key: unknown;
  /** One for each field. */
  readonly folds: readonly Fold[];
  count: number;
}

/** The groups so far, in the order of their first items; a missing key counts as null. */
export class Groups {
  private readonly params: Params;
  private readonly groups = new Map<unknown, Group>();
  private count = 0;

  constructor(params: Params) {
    this.params = params;
  }

  add(item: unknown): void {
    const { fields: wanted, by } = this.params;
    const key = by ? (by({ item, index: this.count }) ?? null) : null;
    this.count++;
    const group = this.groupOf(key);
    const index = group.count++;
    wanted.forEach(({ of }, i) => group.folds[i]?.add((of ? of({ item, index }) : item) ?? null));
  }

  result(): Result | (Result & { key: unknown })[] {
    const { by } = this.params;
    if (by === undefined) return this.fieldsOf(this.groupOf(null));
    return [...this.groups.values()].map((group) => ({ key: group.key, ...this.fieldsOf(group) }));
  }

  private groupOf(key: unknown): Group {
    const identity = identityOf(key);
    const known = this.groups.get(identity);
    if (known !== undefined) return known;
    checkCount(this.groups.size + 1);
    const folds = this.params.fields.map(({ as, name }) => createFold(as, name));
    const group = { key, folds, count: 0 };
    this.groups.set(identity, group);
    return group;
  }

  private fieldsOf({ folds }: Group): Result {
    return Object.fromEntries(this.params.fields.map(({ name }, i) => [name, folds[i]?.result()]));
  }
}
