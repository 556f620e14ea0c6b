import { z } from 'zod';
import { Id } from './flow.ts';

/**
 * Tests of a flow, in `<id>.test.json` beside it. A test starts the flow at a trigger, answers in place of everything outside,
 * and compares what comes out.
 */
const Outputs = z.record(Id, z.record(Id, z.json()));

const NodeError = z.strictObject({
  code: z.string().min(1).max(64),
  message: z.string().max(4096).default(''),
  data: z.json().optional(),
});

const Expectation = z.strictObject({
  status: z.enum(['ok', 'failed']).default('ok'),
  /** Code of the error that the run fails with. */
  error: z.string().min(1).max(64).optional(),
  /** What the caller gets; the items of a stream as a list. */
  answer: z.json().optional(),
  /** HTTP status of the answer. */
  answerStatus: z.int().optional(),
  /** An expression over `input`, `answer`, `status`, `error` and `outputs` that is true. */
  holds: z.string().min(1).max(10_000).optional(),
  /** JSON Schema of the answer. */
  matches: z.record(z.string(), z.json()).optional(),
  /** What nodes give, by node and port; a node that must not run has `{}`. */
  outputs: Outputs.default({}),
});

const TestRequest = z.strictObject({
  method: z.string().min(1).max(20).optional(),
  query: z.json().optional(),
  params: z.json().optional(),
  headers: z.record(z.string(), z.json()).optional(),
  claims: z.json().optional(),
  body: z.json().optional(),
});

export const FlowTestCase = z.strictObject({
  name: z.string().min(1).max(200),
  /** The trigger node; may be left out where there is one. */
  trigger: Id.optional(),
  /** What it gives. */
  input: z.json().optional(),
  vars: z.record(z.string(), z.json()).optional(),
  /** The time it is, ISO 8601. */
  now: z.iso.datetime({ offset: true }).optional(),
  /** What expressions read as `run`. */
  run: z
    .strictObject({ id: z.string().min(1).max(100).optional(), version: z.string().max(100).optional() })
    .optional(),
  /** What expressions read as `trigger`, where the input does not say it; a body that is left out is the input. */
  request: TestRequest.optional(),
  /** Answers in place of nodes, by node and port; the items of a stream as a list. */
  outputs: Outputs.default({}),
  /** Nodes that fail instead. */
  errors: z.record(Id, NodeError).default({}),
  expect: Expectation,
});
export type FlowTestCase = z.infer<typeof FlowTestCase>;

export const FlowTests = z.strictObject({
  format: z.literal(1),
  cases: z
    .array(FlowTestCase)
    .refine(
      (cases) => new Set(cases.map(({ name }) => name)).size === cases.length,
      'must have names of their own',
    ),
});
export type FlowTests = z.infer<typeof FlowTests>;
