import { describe, expect, test } from 'vitest';
import type { WaitAsk } from '#shared/wait.ts';
import type { Operator, WaitFor } from '../../base/operator.ts';
import { TestCall } from '../../testing/call.ts';
import approval from './approval.ts';
import form from './form.ts';

const DECISION = { by: 'Bob', via: 'key', at: '2026-01-02T03:04:05.000Z', comment: 'Well' };

/** What is asked, and the output for a given answer. */
async function asked(
  operator: Operator,
  params: object,
  decision: object,
): Promise<{ what: WaitFor; out: unknown }> {
  let what: WaitFor | undefined;
  const own = Object.assign(new TestCall({ in: 1 }, {}), {
    params: operator.params.parse({ title: 'T', ...params }),
    wait: async (given: WaitFor) => {
      what = given;
      return decision;
    },
  });
  const out: unknown = await operator.run?.(own);
  return { what: what as WaitFor, out };
}

describe('human.approval', () => {
  test('goes on by the decision, with who made it', async () => {
    const given = { ...DECISION, decision: 'rejected' };
    const { what, out } = await asked(approval, { text: 'Hm', who: 'the boss', data: [1] }, given);
    const ask = { kind: 'approval', text: 'Hm', who: 'the boss', data: [1] };
    expect(what).toEqual({ kind: 'answer', title: 'T', ask });
    const { by, at, comment } = DECISION;
    expect(out).toEqual({ rejected: { by, at, comment, input: 1 } });
  });

  test('says until when there is time, from now', async () => {
    const { what } = await asked(approval, { expiresAfter: '2h' }, { ...DECISION, decision: 'approved' });
    expect(what).toMatchObject({ until: 7_200_000 });
  });

  test('without a decision tells when the time was over, not when it would be now', async () => {
    const { out } = await asked(approval, { expiresAfter: '2h' }, { at: DECISION.at });
    expect(out).toEqual({ expired: { by: null, at: DECISION.at, comment: '', input: 1 } });
  });
});

describe('human.form', () => {
  const schemaOf = async (params: object): Promise<unknown> => {
    const { what } = await asked(form, params, { ...DECISION, decision: 'submitted', data: {} });
    return what.kind === 'answer' ? (what.ask as WaitAsk).schema : undefined;
  };

  test('makes of its fields a schema that takes them and nothing else', async () => {
    const fields = [
      { name: 'name', label: 'Full name', required: true, help: 'As on the card' },
      { name: 'count', type: 'integer' },
      { name: 'size', type: 'choice', choices: ['s', 'm'], required: true },
      { name: 'day', type: 'date' },
    ];
    expect(await schemaOf({ fields })).toEqual({
      type: 'object',
      properties: {
        name: {
          type: 'string',
          maxLength: 200,
          minLength: 1,
          title: 'Full name',
          description: 'As on the card',
        },
        count: { type: 'integer' },
        size: { type: 'string', enum: ['s', 'm'] },
        day: { type: 'string', format: 'date' },
      },
      required: ['name', 'size'],
      additionalProperties: false,
    });
  });

  test('asks by a schema of your own as it is', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number', default: 3 } } };
    expect(await schemaOf({ schema })).toEqual(schema);
  });

  test.each([
    [{}, 'params.fields'],
    [{ fields: [{ name: 'a' }], schema: {} }, 'params.schema'],
    [{ fields: [{ name: 'a' }, { name: 'a' }] }, 'params.fields'],
  ])('refuses %j', async (params, field) => {
    await expect(schemaOf(params)).rejects.toMatchObject({ code: 'bad_params', field });
  });

  test('goes on with what was entered', async () => {
    const given = { ...DECISION, decision: 'submitted', data: { a: 1 } };
    const { out } = await asked(form, { schema: {} }, given);
    const { by, at, comment } = DECISION;
    expect(out).toEqual({ submitted: { data: { a: 1 }, by, at, comment, input: 1 } });
  });
});
