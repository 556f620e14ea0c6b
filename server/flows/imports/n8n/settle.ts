import { operatorInfo, portsOf } from '#engine/check';
import type { FlowNode } from '#shared/flow.ts';
import type { Context } from './context.ts';
import type { Port } from './graph.ts';
import type { Given } from './job.ts';

/** Settings that all nodes of n8n have: retry, what happens after a failure, notes. */

export function settle(context: Context, given: Given): Given {
  const { step } = context;
  const main = context.main();
  if (main === undefined) return given;
  const node = main.scope.nodes.get(main.id) as FlowNode;
  const notes = step.settings['notes'];
  const onError = errorRule(step.settings);
  main.scope.nodes.set(main.id, {
    ...node,
    name: step.name.slice(0, 200),
    ...(typeof notes === 'string' && notes !== '' && { description: notes.slice(0, 10_000) }),
    ...retryOf(step.settings),
    ...(onError !== undefined && { onError }),
    ...(onError === 'continue' && { fallback: fallbackOf(context, node) }),
  });
  if (onError === 'continue')
    context.changed(
      'setting',
      'After a failure it goes on with an item that says so, without the message of the error.',
    );
  return onError === 'route' ? routed(context, given, main.id) : given;
}

function retryOf(settings: Readonly<Record<string, unknown>>): Pick<FlowNode, 'retry'> {
  if (settings['retryOnFail'] !== true) return {};
  const tries = Number(settings['maxTries'] ?? 3) || 3;
  const pause = Number(settings['waitBetweenTries'] ?? 1000) || 0;
  const attempts = Math.min(Math.max(2, Math.trunc(tries)), 100);
  return { retry: { attempts, backoffMs: Math.min(Math.max(0, pause), 3_600_000), factor: 1, jitter: 0 } };
}

function errorRule(settings: Readonly<Record<string, unknown>>): 'continue' | 'route' | undefined {
  if (settings['onError'] === 'continueErrorOutput') return 'route';
  return settings['onError'] === 'continueRegularOutput' || settings['continueOnFail'] === true
    ? 'continue'
    : undefined;
}

function fallbackOf({ catalog }: Context, node: FlowNode): Record<string, unknown> {
  const info = operatorInfo(catalog, node.operator);
  const [first] = info ? portsOf(node, info).outputs : [];
  return { [first?.name ?? 'out']: { error: 'The node failed.' } };
}

/** The output for errors is the one behind all others. */
function routed(context: Context, given: Given, id: string): Given {
  const first = given.outputs.find((port) => port !== undefined);
  const card = context.input()?.card ?? 'one';
  const item = context.add(`${context.step.name} error`, {
    operator: 'core.map',
    params: { value: { error: '{{ input?.message }}' } },
    ...(card === 'many' && { each: {} }),
  });
  context.wire(`${id}.error`, `${item}.in`);
  const port: Port = context.port(item, 'out', { card, taken: fork(context, first, 1) });
  const outputs = given.outputs.map((one, i) =>
    one && i === 0 ? { ...one, taken: fork(context, one, 0) } : one,
  );
  return { outputs: [...outputs, port], item: given.item };
}

function fork({ step, input }: Context, port: Port | undefined, output: number): ReadonlyMap<string, number> {
  const taken = port?.taken ?? input()?.taken ?? new Map<string, number>();
  return input()?.card === 'many' ? taken : new Map([...taken, [`${step.name} error`, output]]);
}
