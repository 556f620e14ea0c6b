import { join } from 'node:path';
import type { FlowDetail, Variable } from '#shared/api.ts';
import type { FlowNode } from '#shared/flow.ts';
import { call, type Owner } from '../../tests/support/client.ts';
import { helloFlow, writeFlows } from '../flows.ts';
import type { DiskLoad, DiskLoadDeps } from './disk-load.ts';
import type { Life } from './killed-load.ts';
import { type Ledger, numbered } from './ledger.ts';
import { fact } from './part.ts';

const WEIGHT = 'x'.repeat(3000);
const NOTHING = { operators: [], hosts: [], flows: [] };

/** A flow, a variable, secrets and a number of the store that are changed as fast as it goes, and a flow that has nothing to keep. */
export function diskSaves({ folder, ledger }: DiskLoadDeps): DiskLoad {
  writeFlows(join(folder, 'flows'), [
    version(0),
    counting,
    helloFlow('plain', '/plain', { settings: { record: 'off' } }),
  ]);
  const flow = numbered();
  const variable = numbered();
  const secret = numbered();
  const add = adding(ledger);
  let plain = 0;

  async function saveFlow(owner: Owner): Promise<void> {
    const { revision } = await owner.data<FlowDetail>('GET', '/flows/saved');
    await ledger.next(flow, 'flow', (n) => owner.api('PUT', '/flows/saved', { flow: version(n), revision }));
  }

  async function askPlain(life: Life): Promise<void> {
    const { status, text } = await call(life, '/plain?name=Ada');
    if (status === 200) plain++;
    else ledger.isLost(`a flow that keeps nothing answered ${status} ${text}`);
  }

  return {
    steps: (life) => [
      () => saveFlow(life.owner),
      () => add(life),
      () => askPlain(life),
      () =>
        ledger.next(variable, 'variable', (value) => life.owner.api('PUT', '/variables/count', { value })),
      () =>
        ledger.next(secret, 'secret', (n) =>
          life.owner.api('PUT', `/secrets/secret_${n}`, { value: `canary ${n}`, grants: NOTHING }),
        ),
    ],
    async check(life) {
      const { owner } = life;
      const served = await call(life, '/saved?name=Ada');
      if (served.status !== 200) ledger.isLost(`flow: ${served.status} ${served.text}`);
      else ledger.compare(flow, 'flow', Number.parseInt(String(served.body), 10));
      const variables = await owner.data<Variable[]>('GET', '/variables');
      ledger.compare(
        variable,
        'variable',
        Number(variables.find(({ name }) => name === 'count')?.value ?? 0),
      );
      const secrets = await owner.data<{ name: string }[]>('GET', '/secrets');
      ledger.compare(secret, 'secrets', secrets.length);
    },
    settle: async () => {},
    lines: () => [fact('answers of a flow that keeps nothing', plain)],
    [Symbol.asyncDispose]: async () => {},
  };
}

/** What the store answers is what it has. */
function adding(ledger: Ledger): (life: Life) => Promise<void> {
  const count = numbered();
  return async (life) => {
    const before = count.acknowledged;
    const wasOpen = count.isOpen;
    let given = 0;
    await ledger.next(count, 'state', async () => {
      const answer = await call(life, '/counting');
      given = Number(answer.text);
      return answer;
    });
    if (count.acknowledged === before || given === count.acknowledged) return;
    if (!wasOpen || given !== before + 2) ledger.isLost(`state: acknowledged ${before}, then ${given}`);
    count.acknowledged = given;
  };
}

function version(n: number) {
  return helloFlow('saved', '/saved', { template: `${n} ${WEIGHT}`, trigger: { request: undefined } });
}

const trigger: FlowNode = {
  operator: 'trigger.http',
  params: { path: '/counting', methods: ['GET'], auth: 'none' },
};
const counting = {
  format: 1 as const,
  id: 'counting',
  nodes: { trigger, add: { operator: 'state.add', params: { key: 'n' } } },
  edges: [{ from: 'trigger.out', to: 'add.in' }],
};
