import { describe, expect, test } from 'vitest';
import type { OperatorInfo } from '#shared/catalog.ts';
import { errorEntry } from '#shared/errors.ts';
import type { FlowNode } from '#shared/flow.ts';
import type { RunError } from '#shared/run-event.ts';
import { WeftError } from './base/errors.ts';
import { isAsyncIterable } from './base/item-stream.ts';
import type { Operator } from './base/operator.ts';
import { makeRegistry } from './catalog/registry.ts';
import { builtIns, flowOf, play } from './testing/play.ts';
import { hostileParams, hostileStreams, hostileValues } from './testing/hostile.ts';
import { fc } from '../tests/support/property.ts';

/**
 * Every operator, in a run of its own, against values, params and streams made to break it. The outcome is a value or an
 * error of the table; the run ends, leaves no timer and no open stream behind, and changes no prototype.
 */
const operators = Object.values(builtIns.catalog.operators).filter((info) => !info.trigger);
const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
const unspoilt = prototypes.map((prototype) => Reflect.ownKeys(prototype).length);

interface Amount {
  /** Small values, each with one of the examples' settings in turn, and of the hostile params one for each param in turn. */
  readonly isSample: boolean;
}

/** Every operator survives what is made to break it. */
export function hostileContract({ isSample }: Amount): void {
  let turn = 0;
  /** All of them, or the next one. */
  const some = <T>(list: readonly T[]): readonly T[] => (isSample ? [list[turn++ % list.length] as T] : list);

  describe.each(operators.map((info) => [info.type, info] as const))('%s', (_, info) => {
    const settings = paramSets(info);

    test.each(hostileValues({ light: isSample }))('survives the input: %s', async (_name, make) => {
      // Only the first settings of the operator for large values.
      const light = hostileValues({ light: true }).some(([name]) => name === _name);
      for (const params of light ? some(settings) : settings.slice(0, 1))
        await expectSound(info, params, { value: make() });
    });

    test('survives any JSON', async () => {
      const law = fc.asyncProperty(fc.jsonValue(), async (value) => {
        await expectSound(info, settings[0], { value });
      });
      await fc.assert(law, { numRuns: 8 });
    });

    test('survives hostile params, written out and from expressions', async () => {
      for (const name of Object.keys((info.params['properties'] ?? {}) as object)) {
        for (const value of some(hostileParams()))
          await expectSound(info, { ...settings[0], [name]: value }, { value: {} });
        for (const [, make] of some(hostileValues({ light: true })))
          await expectSound(info, { ...settings[0], [name]: '{{ input }}' }, { value: make() });
      }
    });

    if (takesStreams(info)) {
      test.each(hostileStreams())('survives a stream that %s', async (_name, make) => {
        for (const params of settings) {
          const stream = make();
          await expectSound(info, params, { stream: stream.source });
          expect(stream.isOpen()).toBe(false);
        }
      });
    }

    test('serves its examples afterwards', async () => {
      for (const example of info.examples.filter(({ error, inputs }) => error === undefined && inputs)) {
        const value = Object.values(example.inputs ?? {})[0];
        if (info.inputs.length !== 1 || takesOnlyStreams(info)) continue;
        const error = await runOnce(info, example.params, {
          value: info.inputs[0]?.many ? single(value) : value,
        });
        // An operator that waits needs a durable run, or the wait was cancelled.
        const waits = info.effects === 'wait' ? ['needs_durable', 'run_cancelled'] : [];
        expect([undefined, 'service_missing', ...waits]).toContain(error?.code);
      }
    });
  });
}

/** The params of the examples; none if there are no examples. */
function paramSets(info: OperatorInfo): (Record<string, unknown> | undefined)[] {
  const given = info.examples.map(({ params }) => params);
  return given.length > 0 ? given : [undefined];
}

function single(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

function takesStreams({ inputs, lift }: OperatorInfo): boolean {
  return lift || inputs.some(({ kind }) => kind !== 'value');
}

function takesOnlyStreams({ inputs }: OperatorInfo): boolean {
  return inputs.some(({ kind }) => kind === 'stream');
}

// --------------------------------------------------------------------------------------------------------- one run

type Feed = { readonly value: unknown } | { readonly stream: () => AsyncIterable<unknown> };

async function expectSound(
  info: OperatorInfo,
  params: Record<string, unknown> | undefined,
  feed: Feed,
): Promise<void> {
  const error = await runOnce(info, params, feed);
  expect(prototypes.map((prototype) => Reflect.ownKeys(prototype).length)).toEqual(unspoilt);
  if (error === undefined) return;
  expect(errorEntry(error.code), `${error.code}: ${error.message}`).toBeDefined();
  // A broken source throws its own errors; every other error has a better code.
  if (error.node !== 'source' && error.via !== 'source')
    expect(error.code, error.message).not.toBe('node_failed');
}

/** The error with which the run, or its compilation, ended. */
async function runOnce(
  info: OperatorInfo,
  params: Record<string, unknown> | undefined,
  feed: Feed,
): Promise<RunError | undefined> {
  const started = begin(info, params, feed);
  if (started instanceof WeftError) return started;
  const { run, host } = started;
  run.onAnswer((answer) => {
    if (answer.kind === 'value') void readSome(answer.body);
  });
  await host.advance(100_000_000);
  if ('stream' in feed || info.effects === 'wait') run.cancel('stop');
  await host.advance(1000);
  expect(run.outcome, 'the run has ended').toBeDefined();
  expect(host.pending, 'timers that are left').toBe(0);
  return run.outcome?.error;
}

function begin(info: OperatorInfo, params: Record<string, unknown> | undefined, feed: Feed) {
  const isStream = 'stream' in feed;
  const from = isStream || takesOnlyStreams(info) ? 'source' : 'trigger';
  const node: FlowNode = { operator: info.type, ...(params && { params }) };
  const edges = [...inputNames(info, params).map((name) => `${from} > node.${name}`)];
  const flow = flowOf(
    { trigger: 'trigger.manual', ...(from === 'source' && { source: 'test.source' }), node },
    from === 'source' ? ['trigger > source', ...edges] : edges,
  );
  give = isStream ? feed.stream : () => items(feed.value);
  try {
    return play(flow, isStream ? null : feed.value, { registry });
  } catch (error) {
    expect(error).toBeInstanceOf(WeftError);
    return error as WeftError;
  }
}

function inputNames(info: OperatorInfo, params: Record<string, unknown> | undefined): string[] {
  const { derivedInputs } = info;
  const own = info.inputs.map(({ name }) => name);
  if (!derivedInputs) return own;
  const properties = info.params['properties'] as Record<string, { default?: unknown }>;
  const list = params?.[derivedInputs.param] ?? properties[derivedInputs.param]?.default;
  if (!Array.isArray(list)) return own;
  const names = list.map((port: unknown) => (port as { name?: unknown } | null)?.name);
  return [...own, ...names.filter((name) => typeof name === 'string')];
}

/** The next output of `test.source`. */
let give: () => AsyncIterable<unknown> = () => items(null);
const source = {
  ...(builtIns.operators.get('core.streamify') as Operator),
  effects: 'read',
  run: () => give(),
} as const;
const registry = makeRegistry(new Map([...builtIns.operators, ['test.source', source]]));

async function* items(value: unknown): AsyncGenerator<unknown> {
  yield value;
}

async function readSome(body: unknown): Promise<void> {
  if (!isAsyncIterable(body)) return;
  let count = 0;
  try {
    for await (const _ of body) if (++count === 1000) return;
  } catch {
    // It is also the failure of the run.
  }
}
