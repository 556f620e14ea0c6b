import { expect, test } from 'vitest';
import type { OperatorInfo } from '#shared/catalog.ts';
import { builtIns } from '../../engine/testing/play.ts';
import type { Doc } from '../model/document/document.ts';
import { docOf } from '../model/testing/docs.ts';
import { carryLikelyFields, edgeStep } from './likely-field.ts';
import { addOperator } from './palette.ts';
import { sessionOf, steps } from './testing/session.ts';

function withBuiltIns(doc: Doc) {
  const session = sessionOf(doc);
  const world = { routes: [], variables: undefined, secrets: undefined };
  session.editor.getState().setCatalog(builtIns.catalog, world);
  return session;
}

const withDatabase = (...names: string[]) =>
  docOf({
    start: 'trigger.http',
    ...Object.fromEntries(
      names.map((connection, n) => [
        `q${n}`,
        { operator: 'sql.query', params: { connection, sql: 'SELECT 1' } },
      ]),
    ),
  });
const paramsOf = (session: ReturnType<typeof sessionOf>, id: string) =>
  session.editor.getState().doc.flow.nodes[id]?.params;

test('a node that needs a connection takes the one that the flow uses, if it uses one, in the same step', () => {
  const one = withBuiltIns(withDatabase('shop', 'shop'));
  const id = addOperator(one, 'sql.execute') ?? '';
  expect(paramsOf(one, id)).toEqual({ connection: 'shop' });
  one.editor.getState().undo();
  expect(one.editor.getState().doc).toEqual(withDatabase('shop', 'shop'));
  const several = withBuiltIns(withDatabase('shop', 'stock'));
  expect(paramsOf(several, addOperator(several, 'sql.execute') ?? '')).toBeUndefined();
  const other = withBuiltIns(withDatabase('shop'));
  expect(paramsOf(other, addOperator(other, 'mail.send') ?? ''), 'of another kind').toBeUndefined();
  const dynamic = withBuiltIns(withDatabase('{{ input.shop }}'));
  expect(paramsOf(dynamic, addOperator(dynamic, 'sql.execute') ?? '')).toBeUndefined();
});

const form = (...fields: object[]) =>
  docOf({ start: { operator: 'trigger.form', params: { path: '/f', fields } } });
const file = (name: string) => ({ name, type: 'file', required: true });

test('an edge to a new node carries the only field that fits, in the same step', async () => {
  const session = withBuiltIns(form({ name: 'who', type: 'text' }, file('orders')));
  const wired = session.editor.getState();
  wired.select(['start']);
  addOperator(session, 'data.read-csv');
  await expect
    .poll(() => session.editor.getState().doc.flow.edges)
    .toEqual([{ from: 'start.out', to: 'read_csv.in', pick: 'orders' }]);
  expect(steps(session)).toEqual(['Add Read CSV']);
  expect(session.ui.getState().announcement).toBe('Read CSV added and connected, with the field orders');
  session.editor.getState().undo();
  expect(session.editor.getState().doc.flow.edges).toEqual([]);
});

test('nothing is chosen where two fields fit, or where the value itself does', async () => {
  const two = withBuiltIns(form(file('orders'), file('returns')));
  two.editor.getState().select(['start']);
  addOperator(two, 'data.read-csv');
  const whole = withBuiltIns(form(file('orders')));
  whole.editor.getState().select(['start']);
  addOperator(whole, 'data.pick');
  for (const session of [two, whole]) {
    await carryLikelyFields(session, new Set(), edgeStep('Connect'));
    expect(session.editor.getState().doc.flow.edges.map(({ pick }) => pick)).toEqual([undefined]);
  }
});

test('the field belongs to the step of its edge, however long the code that finds it takes to load', async () => {
  const doc = form({ name: 'who', type: 'text' }, file('orders'));
  const session = withBuiltIns(doc);
  session.editor.getState().select(['start']);
  addOperator(session, 'data.read-csv');
  // A slow network: the clock of this session goes on with each step.
  for (let n = 0; n < 20; n++) session.editor.getState().commit('Nothing', () => undefined);
  await expect.poll(() => session.editor.getState().doc.flow.edges[0]?.pick).toBe('orders');
  expect(steps(session)).toEqual(['Add Read CSV']);
  session.editor.getState().undo();
  expect(session.editor.getState().doc).toEqual(doc);
});

test('a connection of another service is not taken, though it is of the same kind', () => {
  const session = sessionOf(
    docOf({ start: 'trigger.http', chat: { operator: 'core.log', params: { connection: 'team' } } }),
  );
  const { operators } = session.editor.getState().catalog;
  const usesService = (type: string, service: string) => {
    const connection = { type: 'string', widget: 'connection', kinds: ['bearer'], service };
    const params = { type: 'object', properties: { connection }, required: ['connection'] };
    return { [type]: { ...operators[type], params } as OperatorInfo };
  };
  const paramsWith = (service: string) => {
    const own = {
      ...operators,
      ...usesService('core.log', 'chat'),
      ...usesService('text.template', service),
    };
    session.editor
      .getState()
      .setCatalog({ operators: own }, { routes: [], variables: undefined, secrets: undefined });
    return paramsOf(session, addOperator(session, 'text.template') ?? '');
  };
  expect(paramsWith('wiki')?.['connection']).toBeUndefined();
  expect(paramsWith('chat')?.['connection']).toBe('team');
});
