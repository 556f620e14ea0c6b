import { describe, expect, test } from 'vitest';
import { check } from '#engine/check';
import { catalog, ELSEWHERE, importedShort, type Node } from '../testing/service-bed.ts';

/** Waits for a call or a form, and the address by which they are resumed. */
const set = (value: string): Node => [
  'set@3.4',
  { assignments: { assignments: [{ name: 'link', type: 'string', value }] } },
];
const wait = (parameters: Record<string, unknown>): Node => ['wait@1.1', parameters];
const form = wait({
  resume: 'form',
  formTitle: '=For {{ $json.body.who }}',
  formFields: { values: [{ fieldLabel: 'Your name', requiredField: true }] },
  limitWaitTime: true,
  resumeAmount: 2,
  resumeUnit: 'days',
});
const call = wait({ resume: 'webhook', httpMethod: 'POST' });

async function imported(nodes: Record<string, Node>, wires: readonly string[]) {
  const hook: Node = ['webhook@2', { path: 'job', httpMethod: 'POST' }];
  const { flows, report } = await importedShort({ nodes: { Hook: hook, ...nodes }, wires });
  const [flow] = flows;
  const faults = check(flow as never, catalog, { routes: [], variables: [], secrets: undefined });
  return {
    nodes: flow?.nodes ?? {},
    lost: report.changes.filter(({ effect }) => effect === 'lost').map(({ message }) => message),
    words: Object.fromEntries(report.nodes.map(({ name, word }) => [name, word])),
    errors: faults
      .filter(({ severity, code }) => severity === 'error' && !ELSEWHERE.has(code))
      .map(({ message }) => message),
  };
}

describe('a form', () => {
  test('asks for its fields, and its address is for a person', async () => {
    const { nodes, lost, errors } = await imported(
      { Link: set('={{ $execution.resumeFormUrl }}'), Form: form, Set: set('={{ $json["Your name"] }}') },
      ['Hook > Link', 'Link > Form', 'Form > Set'],
    );
    expect([lost, errors]).toEqual([[], []]);
    expect(nodes['form']).toMatchObject({
      operator: 'human.form',
      params: {
        fields: [{ name: 'field_1', label: 'Your name', type: 'text', required: true }],
        expiresAfter: 172_800_000,
      },
    });
    expect(nodes['link_address']).toMatchObject({
      operator: 'human.link',
      params: { node: 'form', for: 'person' },
    });
  });
});

describe('what cannot be the same is told', () => {
  test.each([
    ['a call that is no POST', wait({ resume: 'webhook' }), set('x'), /takes a POST with JSON/],
    [
      'an end that is a point in time',
      wait({
        resume: 'webhook',
        httpMethod: 'POST',
        limitWaitTime: true,
        limitType: 'atSpecifiedTime',
        maxDateAndTime: '2030-01-01',
      }),
      set('x'),
      /without a limit/,
    ],
    [
      'an address with something behind it',
      call,
      set('={{ $execution.resumeUrl }}?ok=1'),
      /token at its end/,
    ],
    ['an address of no wait', wait({ amount: 1 }), set('={{ $execution.resumeUrl }}'), /no wait for a call/],
  ] as const)('%s', async (_, waits, reader, message) => {
    const { lost } = await imported({ Set: reader, Wait: waits }, ['Hook > Set', 'Set > Wait']);
    expect(lost).toEqual([expect.stringMatching(message)]);
  });

  test('a wait for somebody in a loop is a placeholder', async () => {
    const loop: Node = ['splitInBatches@3', { options: {} }];
    const { words } = await imported({ Loop: loop, Wait: call }, [
      'Hook > Loop',
      'Loop.1 > Wait',
      'Wait > Loop',
    ]);
    expect(words).toMatchObject({ Loop: 'equal', Wait: 'placeholder' });
  });
});

test('of several waits the address is that of the next one', async () => {
  const { nodes, lost } = await imported(
    { First: call, Link: set('={{ $execution.resumeUrl }}'), Second: call, Third: call },
    ['Hook > First', 'First > Link', 'Link > Second', 'Second > Third'],
  );
  expect(lost).toEqual([]);
  expect(nodes['link_address']).toMatchObject({ params: { node: 'second', for: 'program' } });
});
