import { describe, expect, test } from 'vitest';
import type { OperatorExample, OperatorInfo } from '#shared/catalog.ts';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import { builtIns } from '../testing/play.ts';
import { checkContext } from '../flow/context.ts';
import { check } from '../check/index.ts';
import { portsOf } from '../flow/ports.ts';
import { flowTypes } from './flow-types.ts';
import { fits } from './testing/fits.ts';
import { UNKNOWN } from './type.ts';
import { shortType } from './words.ts';

const { catalog } = builtIns;
const world = { routes: [], variables: undefined, secrets: undefined };

/** A flow that gives an operator the inputs of an example, each as a constant whose type is exactly known. */
function flowOf(info: OperatorInfo, example: OperatorExample): Flow {
  const subject: FlowNode = { operator: info.type, ...(example.params && { params: example.params }) };
  const nodes: Record<string, FlowNode> = { subject };
  const edges: FlowEdge[] = [];
  const feed = (value: unknown, port: string, isStream: boolean) => {
    const id = `value${Object.keys(nodes).length}`;
    nodes[id] = { operator: 'core.input', params: { value } };
    if (isStream) {
      nodes[`${id}s`] = { operator: 'core.streamify' };
      edges.push({ from: `${id}.out`, to: `${id}s.in` });
    }
    edges.push({ from: `${id}${isStream ? 's' : ''}.out`, to: `subject.${port}` });
  };
  for (const port of portsOf(subject, info).inputs) {
    const value = example.inputs?.[port.name];
    if (value === undefined) continue;
    const values = port.many && Array.isArray(value) ? value : [value];
    for (const one of values) feed(one, port.name, port.kind === 'stream');
  }
  return { format: 1, id: 'example', nodes, edges };
}

const examples = Object.values(catalog.operators).flatMap((info) =>
  info.examples
    .filter((example) => example.error === undefined)
    .map((example) => [`${info.type}: ${example.title}`, info, example] as const),
);

describe('what an operator’s example gives is of the type that its rules give', () => {
  test.each(examples)('%s', (_, info, example) => {
    const flow = flowOf(info, example);
    const { outputs } = flowTypes(checkContext(flow, catalog, world, () => {}));
    for (const port of portsOf(flow.nodes['subject'] as FlowNode, info).outputs) {
      const value = example.outputs?.[port.name];
      if (value === undefined) continue;
      const type = outputs.get(`subject.${port.name}`) ?? UNKNOWN;
      const values = port.kind === 'stream' && Array.isArray(value) ? value : [value];
      const wrong = values.filter((one) => !fits(one, type));
      expect([shortType(type), wrong]).toEqual([shortType(type), []]);
    }
  });

  test.each(examples)('%s: nothing in it is said to fail', (_, info, example) => {
    const problems = check(flowOf(info, example), catalog, world);
    const typed = problems.filter((p) => p.code === 'type-mismatch' || p.code === 'missing-field');
    expect(typed.map((p) => p.message)).toEqual([]);
  });
});

test('rules name inputs, params and outputs that are there', () => {
  const wrong = Object.values(catalog.operators).flatMap((info) => {
    const text = JSON.stringify(info.infer ?? {});
    const params = Object.keys((info.params['properties'] ?? {}) as object);
    const named = (key: string) =>
      [...text.matchAll(new RegExp(`"${key}":"(\\w+)"`, 'g'))].map(([, name]) => name);
    const inputs = info.inputs.map((port) => port.name);
    const outputs = [...info.outputs.map((port) => port.name), ...(info.derivedOutputs ? ['*'] : [])];
    return [
      ...named('input').filter((name) => !inputs.includes(name ?? '')),
      ...['param', 'schemaIn', 'fieldsIn', 'nameIn']
        .flatMap(named)
        .filter((name) => !params.includes(name ?? '')),
      ...Object.keys(info.infer?.outputs ?? {}).filter((name) => !outputs.includes(name)),
      ...(info.infer?.evaluated ?? []).filter((name) => !info.lazyParams.includes(name)),
    ].map((name) => `${info.type}: ${name}`);
  });
  expect(wrong).toEqual([]);
});
