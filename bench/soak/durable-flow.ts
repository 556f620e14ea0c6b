import type { Flow, FlowNode } from '#shared/flow.ts';

/** Each step with how far it is from the start. */
const RANKS: Readonly<Record<string, number>> = { first: 0, left: 1, right: 1, moody: 2, last: 3 };

/** Succeeds at the second attempt. */
export const MOODY_STEP = 'moody';

export function rankOf(step: string): number {
  return RANKS[step] ?? 0;
}

/** A row of steps outside, two beside each other, retries, a wait, and an approval. */
export function durableFlow(outside: string): Flow {
  const step = (name: string, more: Partial<FlowNode> = {}): FlowNode => ({
    operator: 'http.request',
    params: { method: 'POST', url: `${outside}/${name}?run={{ trigger.query.run }}` },
    ...more,
  });
  return {
    format: 1,
    id: 'durable',
    nodes: {
      trigger: {
        operator: 'trigger.http',
        params: { path: '/durable', methods: ['GET'], auth: 'none', answer: 'immediately' },
      },
      first: step('first'),
      left: step('left'),
      right: step('right'),
      both: { operator: 'core.join', params: { inputs: [{ name: 'left' }, { name: 'right' }] } },
      moody: step(MOODY_STEP, { retry: { attempts: 10, backoffMs: 5, factor: 1, jitter: 0 } }),
      pause: { operator: 'logic.wait-until', params: { for: 50 } },
      approval: { operator: 'human.approval', params: { title: 'Run {{ trigger.query.run }}' } },
      last: step('last'),
    },
    edges: [
      { from: 'trigger.out', to: 'first.in' },
      { from: 'first.body', to: 'left.in' },
      { from: 'first.body', to: 'right.in' },
      { from: 'left.body', to: 'both.left' },
      { from: 'right.body', to: 'both.right' },
      { from: 'both.out', to: 'moody.in' },
      { from: 'moody.body', to: 'pause.in' },
      { from: 'pause.out', to: 'approval.in' },
      { from: 'approval.approved', to: 'last.in' },
    ],
    settings: { durable: true, timeoutMs: 86_400_000 },
  };
}
