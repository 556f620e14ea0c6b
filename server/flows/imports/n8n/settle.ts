import { operatorInfo, portsOf } from '#engine/check';
import type { FlowNode } from '#shared/flow.ts';
import type { JsonSchema } from '#shared/json.ts';
import type { Context } from './context.ts';
import { following, type Port } from './graph.ts';
import type { Given } from './job.ts';

/** Settings that all nodes of n8n have: retry, the handling of failures, notes. */

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
  const kept = always(context, given);
  return onError === 'route' ? routed(context, kept, main.id) : kept;
}

/** An empty item for a list without items, where the step says so. */
function always(context: Context, given: Given): Given {
  const [port, ...others] = given.outputs;
  if (context.step.settings['alwaysOutputData'] !== true || port === undefined) return given;
  if (context.step.kind === 'filter') return unfiltered(context, port);
  if (port.card === 'one' || isNeverEmpty(context)) return given;
  const id = context.add(`${context.step.name} always`, {
    operator: 'core.map',
    params: { value: '{{ ifEmpty(input, [{ }]) }}' },
  });
  context.wire(port, `${id}.in`);
  const kept: Port = {
    ...context.port(id, 'out', {
      card: 'many',
      ...following(port),
      taken: port.taken,
      triggers: port.triggers,
    }),
  };
  return { ...given, outputs: [kept, ...others], item: given.item === port ? kept : given.item };
}

/** An output that no item takes does not run what is behind it, so the items before it lead to the empty one. */
function unfiltered(context: Context, port: Port): Given {
  const input = context.input() as Port;
  const isList = port.card === 'many';
  const id = context.add(`${context.step.name} always`, {
    operator: 'core.join',
    params: {
      inputs: [
        { name: 'kept', required: false },
        { name: 'all', required: true },
      ],
      value: isList ? '{{ ifEmpty(inputs?.kept ?? [], [{ }]) }}' : '{{ inputs?.kept ?? { } }}',
    },
  });
  context.wire(port, `${id}.kept`);
  context.wire(input, `${id}.all`);
  const { taken, triggers } = input;
  const kept = context.port(id, 'out', { card: port.card, ...following(port), taken, triggers });
  return { outputs: [kept], item: kept };
}

/** Whether what it adds takes care of it already. */
function isNeverEmpty({ added, scope }: Context): boolean {
  return added.some((id) => JSON.stringify(scope.nodes.get(id)?.params ?? {}).includes('ifEmpty('));
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
  return { [first?.name ?? 'out']: failedValue(first?.schema) };
}

/** An item that tells of a failure, in the form that an output has to have. */
function failedValue(schema: JsonSchema | undefined): unknown {
  const error = 'The node failed.';
  const { type, required, properties } = (schema ?? {}) as {
    type?: unknown;
    required?: readonly string[];
    properties?: Readonly<Record<string, JsonSchema>>;
  };
  if (type === 'string') return error;
  if (type === 'array') return [{ error }];
  if (type === 'number' || type === 'integer') return 0;
  if (type === 'boolean') return false;
  const fields = (required ?? []).map((name) => [name, failedValue(properties?.[name])] as const);
  return { ...Object.fromEntries(fields), error };
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
  return { ...given, outputs: [...outputs, port] };
}

function fork({ step, input }: Context, port: Port | undefined, output: number): ReadonlyMap<string, number> {
  const taken = port?.taken ?? input()?.taken ?? new Map<string, number>();
  return input()?.card === 'many' ? taken : new Map([...taken, [`${step.name} error`, output]]);
}
