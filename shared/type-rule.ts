import { z } from 'zod';
import type { JsonSchema } from './json.ts';

/**
 * How the type of an output follows from a node's params and inputs, as data: worked out before any run, in browser and server
 * alike. Each rule is an object with one key that says what it does; what a rule cannot know is the type of anything.
 */
export type TypeRule =
  /** This type always. */
  | { readonly schema: JsonSchema }
  /** What comes in by an input: of a stream its items, of an input with many edges an array of what they bring. */
  | { readonly input: string }
  /** An object with what comes in by each input. */
  | { readonly inputs: 'all' }
  /** The value of a param, with the types of the expressions in it. */
  | { readonly param: string }
  /** What the JSON Schema in a param describes. */
  | { readonly schemaIn: string }
  /** An element of an array. */
  | { readonly itemOf: TypeRule }
  /** A list of such values. */
  | { readonly array: TypeRule }
  /** An object with these fields and no others. */
  | { readonly object: Readonly<Record<string, TypeRule>> }
  /** One of these. */
  | { readonly union: readonly TypeRule[] }
  /** The fields of one object after the other; null adds none. */
  | { readonly assign: readonly TypeRule[] }
  /** An object with renamed fields: an object param gives the new name of each by its old one. `optional`: some may be missing. */
  | {
      readonly rename: {
        readonly of: TypeRule;
        readonly namesIn: string;
        readonly optional?: boolean | undefined;
      };
    }
  /** What is left of the elements of an array when arrays among them are opened, as many levels as a param says. */
  | { readonly opened: { readonly of: TypeRule; readonly levelsIn: string } }
  /** What the flow gives that the node calls: `result` as a whole, a stream as a list; `items` one by one. */
  | { readonly called: 'result' | 'items' }
  /** A row of the SQL statement in one param, as the database of the connection in another describes it; else any object. */
  | { readonly rowOf: { readonly connectionIn: string; readonly statementIn: string } }
  /** An object with a field for each entry of a list param: its name is in the entry's key `name`, its type the case of `by`. */
  | {
      readonly fieldsFrom: {
        readonly entriesIn: string;
        readonly name: string;
        readonly by: string;
        readonly cases: Readonly<Record<string, TypeRule>>;
      };
    }
  /** Within `fieldsFrom`: what the entry holds by this key, or where it holds nothing `else`. */
  | { readonly entry: { readonly key: string; readonly else: TypeRule } }
  /**
   * Of an object only the fields that a list param names as `name` or `name.name`. `optional`: one that is missing is left out
   * or null.
   */
  | {
      readonly pick: {
        readonly of: TypeRule;
        readonly fieldsIn: string;
        readonly optional?: boolean | undefined;
      };
    }
  /** By the value of a param: the case of that name, else `else`. `absent` is the case of a param that has no value. */
  | {
      readonly byParam: {
        readonly name: string;
        readonly cases: Readonly<Record<string, TypeRule>>;
        readonly else: TypeRule;
      };
    };

const rule: z.ZodType<TypeRule> = z.lazy(() => TypeRule);
const name = z.string();

export const TypeRule: z.ZodType<TypeRule> = z.union([
  z.strictObject({ schema: z.custom<JsonSchema>((v) => typeof v === 'object' && v !== null) }),
  z.strictObject({ input: name }),
  z.strictObject({ inputs: z.literal('all') }),
  z.strictObject({ param: name }),
  z.strictObject({ schemaIn: name }),
  z.strictObject({ itemOf: rule }),
  z.strictObject({ array: rule }),
  z.strictObject({ object: z.record(name, rule) }),
  z.strictObject({ union: z.array(rule) }),
  z.strictObject({ assign: z.array(rule) }),
  z.strictObject({ pick: z.strictObject({ of: rule, fieldsIn: name, optional: z.boolean().optional() }) }),
  z.strictObject({ rename: z.strictObject({ of: rule, namesIn: name, optional: z.boolean().optional() }) }),
  z.strictObject({ opened: z.strictObject({ of: rule, levelsIn: name }) }),
  z.strictObject({ called: z.enum(['result', 'items']) }),
  z.strictObject({ rowOf: z.strictObject({ connectionIn: name, statementIn: name }) }),
  z.strictObject({
    fieldsFrom: z.strictObject({ entriesIn: name, name, by: name, cases: z.record(name, rule) }),
  }),
  z.strictObject({ entry: z.strictObject({ key: name, else: rule }) }),
  z.strictObject({ byParam: z.strictObject({ name, cases: z.record(name, rule), else: rule }) }),
]);

/** The types of an operator's outputs by name, `*` for those that come from a param; and of `item` in its lazy params. */
export const InferRules = z.object({
  outputs: z.record(z.string(), TypeRule).optional(),
  item: TypeRule.optional(),
  /** For an operator that runs a flow: what that flow is started with, and the param that says so. */
  starts: z
    .object({
      with: TypeRule,
      param: z.string(),
      /** It runs again and again, each time with its last result. */
      repeats: z.boolean().optional(),
    })
    .optional(),
  /** For an operator that answers: the body of the answer. */
  answer: TypeRule.optional(),
  /** The lazy params that are evaluated whenever the node runs, so that it fails when they do. */
  evaluated: z.array(z.string()).optional(),
});
export type InferRules = z.infer<typeof InferRules>;
