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
  'type-mismatch',
  'missing-field',
  'cycle',
  'duplicate-path',
  'bad-path',
  'bad-schema',
  'code-syntax',
  'unknown-module',
  'unreachable-node',
  'no-trigger',
  'expression-syntax',
  'expression-unknown-name',
  'expression-unknown-function',
  'not-upstream',
  'stream-read',
  'maybe-skipped',
  'ambiguous-result',
  'unread-stream',
  'stream-deadlock',
  'unrouted-error',
  'bad-fallback',
  'disabled-node',
  'write-without-key',
  'idle-retry',
  'unknown-variable',
  'unknown-secret',
  'secret-not-granted',
  'unknown-connection',
  'connection-not-granted',
  'statement-refused',
  'expression-in-statement',
  'list-compared',
  'value-missing',
  'unknown-auth',
  'unknown-flow',
  'ambiguous-trigger',
  'call-cycle',
  'not-supported',
  'unreadable-file',
  'broken-code',
  'bad-cache',
  'bad-each',
  'bad-body',
  'bad-setting',
  'replaced-operator',
]);
export type ProblemCode = z.infer<typeof ProblemCode>;

/** What each code says, for the reference page (docs/reference/problems.md). */
export const problemMeanings: Readonly<Record<ProblemCode, string>> = {
  'json-syntax': 'The file is not valid JSON; line and column say where it breaks.',
  'duplicate-key': 'An object of the file has the same key twice, so one of the two values would be lost.',
  'invalid-utf8': 'The file is not valid UTF-8.',
  'too-large': 'The file is larger than a flow may be.',
  'too-deep': 'The JSON of the file is nested deeper than 200 levels.',
  'too-many-nodes': 'The flow has more than 10,000 nodes.',
  'bad-format': 'The file has no `format`, or one that this version does not read.',
  'bad-field': 'A field of the file is missing or unknown, or has a value of the wrong kind.',
  'id-mismatch': 'The `id` in the file is not the name of the file.',
  'duplicate-flow-id': 'Two files hold a flow with the same id.',
  'unknown-operator': 'There is no operator of this name.',
  'bad-param': 'A param is missing, unknown, or has a value that the operator does not take.',
  'missing-input': 'An input that needs an edge has none.',
  'dangling-edge': 'One end of an edge is no node of the flow.',
  'duplicate-edge': 'The same edge appears twice.',
  'too-many-edges': 'An input that takes one edge has several.',
  'unknown-port': 'An edge ends at an input or output that its node does not have.',
  'kind-mismatch': 'A stream meets an input that takes single values, or the other way round.',
  'type-mismatch':
    'A value is of a type that its place does not take: what an edge brings, what an expression works with, or what another flow is called with.',
  'missing-field': 'An expression reads a field that the value does not have.',
  cycle: 'The edges run in a circle, so none of its nodes could be the first.',
  'duplicate-path': 'Another trigger serves the same path and method.',
  'bad-path': 'The path of a trigger is not well formed.',
  'bad-schema': 'The request schema of a trigger is no JSON Schema that can be used.',
  'code-syntax': 'The code of a node cannot be read; line and column in it are in the message.',
  'unknown-module': 'The code of a node imports a module that is not there.',
  'unreachable-node': 'No trigger leads to the node, so it never runs.',
  'no-trigger': 'Nothing starts the flow.',
  'expression-syntax': 'An expression cannot be read; the offset says where.',
  'expression-unknown-name': 'An expression uses a name that does not exist here.',
  'expression-unknown-function': 'An expression calls a function or method that does not exist.',
  'not-upstream': 'An expression reads a node that does not run before this one.',
  'stream-read': 'An expression reads an output that is a stream; collect it first.',
  'maybe-skipped': 'An expression reads a node that may be skipped; write `?.` or `??`.',
  'ambiguous-result': 'Several ends of the flow can have a value at once, so its result is not defined.',
  'unread-stream':
    'The last node of the flow gives a stream beside other outputs, so there is no one result to answer with.',
  'stream-deadlock':
    'A consumer of a stream waits for another consumer of the same stream, so a long stream would stand still.',
  'unrouted-error': 'A node routes its errors, but nothing hangs on its output `error`.',
  'bad-fallback':
    'The fallback of a node does not fit its outputs, or holds an expression, which is not evaluated there.',
  'disabled-node':
    'A node is disabled: it passes its value on where it can, else what hangs on it is skipped.',
  'write-without-key':
    'A node that changes something outside is tried again after a failure, so it may do it twice.',
  'idle-retry': 'A node has `retry`, but none of its own failures is one that may pass.',
  'unknown-variable': 'An expression reads a variable that is not set on this server.',
  'unknown-secret': 'A param names a secret that is not there.',
  'secret-not-granted': 'A param names a secret that this node may not use; grants are kept on the secret.',
  'unknown-connection': 'A param names a connection that is not there.',
  'connection-not-granted':
    'A param names a connection that this node may not use; grants are kept on the connection.',
  'statement-refused': 'The database says that it would not execute an SQL statement as it stands.',
  'expression-in-statement':
    'An SQL statement has `{{ }}`, which has no meaning there: values go into `params`.',
  'list-compared':
    'An SQL statement compares a list as one value, which only PostgreSQL can; `IN (:name)` finds one of its items.',
  'value-missing': 'An SQL statement names a value (`:name`) that its parameters do not give.',
  'unknown-auth': 'The `auth` of a trigger is none of those that exist.',
  'unknown-flow': 'A node calls a flow that is not live.',
  'ambiguous-trigger': 'A node calls a flow without saying, or wrongly, at which of its triggers it starts.',
  'call-cycle': 'The flow calls itself, directly or through others; more than 16 levels are an error.',
  'not-supported': 'The flow asks for something that this version cannot do yet.',
  'unreadable-file': 'The file cannot be read from the disk.',
  'bad-setting':
    'A setting of the flow holds an expression that cannot be read, or does nothing as it stands.',
  'bad-cache':
    'A node is to use earlier outputs again, which cannot be done for it, or not as it is written.',
  'bad-body':
    'The body of a node cannot be run: an id is there twice, it is nested too deep, or its operator has none.',
  'bad-each': 'A node is to run for each item, which its operator cannot do, or not with these settings.',
  'broken-code': 'The file of a code-first flow could not be loaded; line and column say where it breaks.',
  'replaced-operator': 'Another operator has taken the place of the operator of a node, which still works.',
};

/** A change that repairs the problem when applied to the flow, as data that the editor and CLI can apply. */
export const Fix = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('set-operator'), title: z.string(), node: z.string(), operator: z.string() }),
  z.object({ kind: z.literal('remove-edge'), title: z.string(), from: z.string(), to: z.string() }),
  z.object({ kind: z.literal('insert-merge'), title: z.string(), to: z.string() }),
  z.object({
    kind: z.literal('insert-collect'),
    title: z.string(),
    edges: z.array(z.object({ from: z.string(), to: z.string() })),
  }),
  z.object({
    kind: z.literal('insert-operator'),
    title: z.string(),
    operator: z.string(),
    from: z.string(),
    to: z.string(),
  }),
  /** Puts a node behind an output. */
  z.object({ kind: z.literal('append-operator'), title: z.string(), operator: z.string(), from: z.string() }),
  z.object({
    kind: z.literal('replace-text'),
    title: z.string(),
    node: z.string(),
    field: z.string(),
    find: z.string(),
    replace: z.string(),
  }),
  /** Another operator takes the place of a node's own, with the old and new names of its params and ports. */
  z.object({
    kind: z.literal('replace-operator'),
    title: z.string(),
    node: z.string(),
    operator: z.string(),
    params: z.record(z.string(), z.string()),
    inputs: z.record(z.string(), z.string()),
    outputs: z.record(z.string(), z.string()),
    /** Expressions read the outputs by name, before and after. */
    named: z.object({ before: z.boolean(), after: z.boolean() }),
  }),
  z.object({
    kind: z.literal('set-field'),
    title: z.string(),
    node: z.string().optional(),
    field: z.string(),
    /** Absent where the field is to be removed. */
    value: z.unknown().optional(),
  }),
]);
export type Fix = z.infer<typeof Fix>;

export const Problem = z.object({
  code: ProblemCode,
  severity: Severity,
  /** One sentence that says what is wrong and what to do. */
  message: z.string(),
  /** What people call the setting that the message begins with: `Case 2 › When` of `Case 2 › When: write an expression.` */
  label: z.string().optional(),
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
  /** The name of the variable that is not set, which can be made under it. */
  lacks: z.string().optional(),
  /** Several ways to repair it, of which somebody has to choose one; in place of `fix`. */
  fixes: z.array(Fix).optional(),
});
export type Problem = z.infer<typeof Problem>;
