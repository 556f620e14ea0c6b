import { z } from 'zod';

/** What is wrong with a flow, as data. All problems of a flow are reported at once; only `error` blocks going live. */
export const Severity = z.enum(['error', 'warning']);
export type Severity = z.infer<typeof Severity>;

export const ProblemCode = z.enum([
  'json-syntax',
  'duplicate-key',
  'invalid-utf8',
  'too-large',
  'too-deep',
  'too-many-nodes',
  'bad-format',
  'bad-field',
  'id-mismatch',
  'duplicate-flow-id',
  'unknown-operator',
  'bad-param',
  'missing-input',
  'dangling-edge',
  'duplicate-edge',
  'too-many-edges',
  'unknown-port',
  'kind-mismatch',
  'schema-mismatch',
  'cycle',
  'duplicate-path',
  'bad-path',
  'bad-schema',
  'unreachable-node',
  'no-trigger',
  'expression-syntax',
  'expression-unknown-name',
  'expression-unknown-function',
  'not-upstream',
  'stream-read',
  'maybe-skipped',
  'ambiguous-result',
  'unrouted-error',
  'bad-fallback',
  'disabled-node',
  'write-without-key',
  'unknown-variable',
  'unknown-secret',
  'unknown-auth',
  'not-supported',
  'unreadable-file',
]);
export type ProblemCode = z.infer<typeof ProblemCode>;

/** A change that repairs the problem when applied to the flow, as data that the editor and CLI can apply. */
export const Fix = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('set-operator'), title: z.string(), node: z.string(), operator: z.string() }),
  z.object({ kind: z.literal('remove-edge'), title: z.string(), from: z.string(), to: z.string() }),
  z.object({ kind: z.literal('insert-merge'), title: z.string(), to: z.string() }),
  z.object({
    kind: z.literal('replace-text'),
    title: z.string(),
    node: z.string(),
    field: z.string(),
    find: z.string(),
    replace: z.string(),
  }),
  z.object({ kind: z.literal('set-field'), title: z.string(), node: z.string().optional(), field: z.string(), value: z.unknown() }),
]);
export type Fix = z.infer<typeof Fix>;

export const Problem = z.object({
  code: ProblemCode,
  severity: Severity,
  /** One sentence that says what is wrong and what to do. */
  message: z.string(),
  node: z.string().optional(),
  /** Path inside the node (`params.cases[0].when`) or, without a node, inside the flow (`edges[3].from`). */
  field: z.string().optional(),
  /** Place in the file, 1-based. */
  line: z.int().optional(),
  column: z.int().optional(),
  /** Place inside an expression's text, 0-based. */
  offset: z.int().optional(),
  /** Nodes that take part, in order (a cycle's, both ends of an edge). */
  nodes: z.array(z.string()).optional(),
  fix: Fix.optional(),
});
export type Problem = z.infer<typeof Problem>;
