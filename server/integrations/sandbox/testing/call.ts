import type { CodeCall } from '#engine';

export interface TestCall {
  readonly language?: 'javascript' | 'typescript';
  readonly pure?: boolean;
  readonly cpuMs?: number;
  readonly maxMs?: number;
  readonly flow?: string;
  readonly version?: string;
  readonly signal?: AbortSignal;
  readonly context?: Partial<CodeCall['context']>;
  readonly log?: (text: string, level: string) => void;
}

const texts = new Map<string, CodeCall['code']>();

/** A call of a code node; the same code gives the same node. */
export function callOf(source: string, input: unknown, more: TestCall = {}): CodeCall {
  const {
    language = 'javascript',
    pure = false,
    cpuMs = 250,
    maxMs = 5000,
    flow = 'flow',
    version = 'v1',
  } = more;
  const code = { source, language, pure, cpuMs, maxMs };
  const key = JSON.stringify([code, flow, version]);
  if (!texts.has(key)) texts.set(key, code);
  return {
    code: texts.get(key) ?? code,
    input,
    context: {
      trigger: { body: { from: 'test' } },
      vars: { rate: 2 },
      item: undefined,
      index: undefined,
      attempt: 1,
      idempotencyKey: 'run:node',
      asker: { flow, version, run: 'run', node: 'node', operator: 'code.run' },
      signal: more.signal ?? new AbortController().signal,
      log: (level, text) => more.log?.(text, level),
      ...more.context,
    },
  };
}
