import { beforeAll, expect, test } from 'vitest';
import { check, formatFlow, parse } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import { type Flow, type FlowBody, Flow as FlowFile, splitPortRef } from '#shared/flow.ts';
import { Layout } from '#shared/layout.ts';
import { ImportReport } from '#shared/import-report.ts';
import { fc } from '../../../../tests/support/property.ts';
import { randomApp } from '../../../../tests/support/dify-apps.ts';
import { builtInRegistry } from '../../service/testing/flow-fixture.ts';
import type { ReadFlow } from '../frame/reading.ts';
import { difyReader } from './reader.ts';
import { difyApp } from './testing/dify-app.ts';

/** Any app becomes a flow without a crash, and the report tells of every node, wire and setting. */
let catalog: Catalog;
beforeAll(async () => {
  ({ catalog } = await builtInRegistry());
});

function read(value: unknown): ReadFlow {
  const [original] = difyReader.split({ path: 'a.yml', text: '', json: value });
  if (!original) throw new Error('The file has no app.');
  return difyReader.read(original, { catalog, id: 'app', idFor: (name) => name, flowOf: () => undefined });
}

const flowOf = ({ drafts }: ReadFlow): Flow => drafts[0]?.flow as Flow;

/** All wires, those into bodies and out of them too: a container comes before its nodes and they before its result. */
function ways(
  graph: Pick<FlowBody, 'nodes' | 'edges'>,
  into = new Map<string, Set<string>>(),
): Map<string, Set<string>> {
  const add = (from: string, to: string): void => void into.set(from, (into.get(from) ?? new Set()).add(to));
  for (const { from, to } of graph.edges) add(splitPortRef(from).node, splitPortRef(to).node);
  for (const { body } of Object.values(graph.nodes)) if (body) ways(body, into);
  return into;
}

function reaches(all: Map<string, Set<string>>, from: readonly string[], to: readonly string[]): boolean {
  const seen = new Set(from);
  for (const id of seen) for (const next of all.get(id) ?? []) seen.add(next);
  return to.some((id) => seen.has(id));
}

const RUNS = 500;
/** What a flow may lack after an import: a placeholder, or Python, which a package brings. */
const EXPECTED = new Set(['unknown-operator']);
/** Whether a run has one result is no error there. */
const RESULT = new Set(['ambiguous-result', 'unread-stream']);

test('apps as people draw them have no error but placeholders', { timeout: 240_000 }, () => {
  fc.assert(
    fc.property(randomApp, (app) => {
      const result = read(difyApp(app));
      const flow = flowOf(result);
      const { report } = result;
      expect(report.nodes.map(({ name }) => name).sort()).toEqual(
        Object.entries(app.nodes)
          .map(([id, { type }]) => id || type)
          .sort(),
      );
      const parsed = parse(formatFlow(flow), { id: 'app' });
      expect(parsed.problems).toEqual([]);
      const world = { routes: [], variables: [], secrets: undefined } as never;
      const isPlaceholder =
        report.nodes.some(({ word }) => word === 'placeholder') ||
        report.needs.some(({ kind }) => kind === 'package');
      const errors = check(flow, catalog, world).filter(
        ({ severity, code }) =>
          (severity === 'error' || RESULT.has(code)) && !(isPlaceholder && EXPECTED.has(code)),
      );
      expect(errors).toEqual([]);
      const entries = new Map(report.nodes.map((node) => [node.name, node]));
      const all = ways(flow);
      for (const edge of app.edges) {
        const [source = '', target = ''] = edge.split(' > ');
        const [from = '', handle] = source.split('/');
        const [a, b] = [entries.get(from), entries.get(target)];
        const isTold = report.changes.some(({ what, node }) => what === 'wire' && node === from);
        const isGone = [a, b].some((one) => one?.into === 'nothing' || one?.nodes.length === 0);
        if (!isTold && !isGone)
          expect([edge, handle, reaches(all, a?.nodes ?? [], b?.nodes ?? [])]).toEqual([edge, handle, true]);
      }
    }),
    { numRuns: RUNS },
  );
});

test('a setting that nobody knows is told, or kept in a placeholder', () => {
  fc.assert(
    fc.property(randomApp, fc.nat(), (app, at) => {
      const value = difyApp(app) as { workflow: { graph: { nodes: { data: Record<string, unknown> }[] } } };
      const { nodes } = value.workflow.graph;
      const one = nodes[at % nodes.length];
      if (!one) return;
      one.data['zz_unknown'] = { enabled: true, deep: 7 };
      const { report, drafts } = read(value);
      const entry = report.nodes.find(({ name }) => name === one.data['title']);
      const isTold = report.changes.some(({ message }) => message.includes('zz_unknown'));
      const isKept = JSON.stringify(drafts).includes('zz_unknown');
      expect([
        entry,
        isTold || isKept || entry?.into === 'nothing' || entry?.into === 'the start of the body',
      ]).toEqual([entry, true]);
    }),
    { numRuns: 150 },
  );
});

const anything = fc.anything({ withNullPrototype: true, withDate: false, withBigInt: false, maxDepth: 3 });

/** Any values in the places of a file. */
const broken = fc.record(
  {
    app: fc.oneof(
      anything,
      fc.record({ mode: fc.constantFrom('workflow', 'advanced-chat', 'chat', 'new'), name: anything }),
    ),
    kind: fc.constant('app'),
    version: anything,
    model_config: anything,
    workflow: fc.oneof(
      anything,
      fc.record({
        graph: fc.record({
          nodes: fc.array(
            fc.record({
              id: fc.oneof(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), anything),
              parentId: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
              data: fc.oneof(
                anything,
                fc
                  .dictionary(
                    fc.constantFrom(
                      'type',
                      'title',
                      'model',
                      'cases',
                      'variables',
                      'items',
                      'query',
                      'classes',
                      'prompt_template',
                      'outputs',
                      'template',
                      'iterator_selector',
                      'loop_variables',
                      'body',
                      'url',
                      'error_strategy',
                      'retry_config',
                      'default_value',
                      'agent_parameters',
                    ),
                    anything,
                  )
                  .chain((data) =>
                    fc
                      .constantFrom(
                        'start',
                        'llm',
                        'if-else',
                        'code',
                        'iteration',
                        'loop',
                        'assigner',
                        'http-request',
                        'answer',
                        'end',
                        'toString',
                        '__proto__',
                      )
                      .map((type) => ({ ...data, type })),
                  ),
              ),
            }),
            { maxLength: 6 },
          ),
          edges: fc.array(
            fc.oneof(
              anything,
              fc.record({
                source: fc.constantFrom('a', 'b', 'c'),
                target: fc.constantFrom('a', 'b', 'c'),
                sourceHandle: anything,
              }),
            ),
            { maxLength: 8 },
          ),
        }),
        conversation_variables: anything,
        environment_variables: anything,
        features: anything,
      }),
    ),
  },
  { requiredKeys: ['kind'] },
);

test('any values in a file give a flow file and a report of the right form', () => {
  fc.assert(
    fc.property(broken, (value) => {
      const { drafts, report } = read(value);
      expect(FlowFile.safeParse(drafts[0]?.flow).error).toBeUndefined();
      expect(Layout.safeParse(drafts[0]?.layout).error).toBeUndefined();
      expect(ImportReport.safeParse(report).error).toBeUndefined();
    }),
    { numRuns: RUNS },
  );
});
