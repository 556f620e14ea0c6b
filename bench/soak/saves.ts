import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FlowDetail, Variable } from '#shared/api.ts';
import { call, type Owner } from '../../tests/support/client.ts';
import { helloFlow, writeFlows } from '../flows.ts';
import { faultList, type KilledLoad, type Life, type LoadSetup, untilGone } from './killed-load.ts';
import { fact } from './part.ts';

const IDS = ['one', 'two'] as const;
type Id = (typeof IDS)[number];
/** So that a write takes its time. */
const WEIGHT = 'x'.repeat(20_000);

/**
 * Flows and a variable that are saved as fast as it goes. Each file is whole after a kill, and each flow serves the last
 * version that was acknowledged or the one after.
 */
export function saves({ folder }: LoadSetup): KilledLoad {
  const flows = join(folder, 'flows');
  const acknowledged = { one: 0, two: 0 };
  let variable = 0;
  let writes = 0;
  const torn = faultList('flow files that were torn');
  const lost = faultList('acknowledged saves that were lost');
  const refused = faultList('saves that were refused');
  writeFlows(
    flows,
    IDS.map((id) => numbered(id, 0)),
  );

  async function saveFlow(owner: Owner, id: Id, at: { revision?: string }): Promise<void> {
    at.revision ??= (await owner.data<FlowDetail>('GET', `/flows/${id}`)).revision;
    const flow = numbered(id, acknowledged[id] + 1);
    const answer = await owner.api('PUT', `/flows/${id}`, { flow, revision: at.revision });
    if (answer.status !== 200) return refused.add(`${answer.status} ${answer.text}`);
    at.revision = (answer.body as { data: FlowDetail }).data.revision;
    acknowledged[id]++;
    writes++;
  }

  async function saveVariable(owner: Owner): Promise<void> {
    const { status, text } = await owner.api('PUT', '/variables/count', { value: variable + 1 });
    if (status === 200) variable++;
    else refused.add(`${status} ${text}`);
  }

  async function checkFlow(life: Life, id: Id): Promise<void> {
    const { status, body } = await call(life, `/${id}`);
    const served = Number.parseInt(String(body), 10);
    if (status !== 200 || ![acknowledged[id], acknowledged[id] + 1].includes(served))
      lost.add(`${id}: acknowledged ${acknowledged[id]}, served ${status} ${String(body).slice(0, 100)}`);
    else acknowledged[id] = served;
  }

  async function checkVariable(owner: Owner): Promise<void> {
    const kept = await owner.data<Variable[]>('GET', '/variables');
    const value = Number(kept.find(({ name }) => name === 'count')?.value ?? 0);
    if (![variable, variable + 1].includes(value))
      lost.add(`variable: acknowledged ${variable}, kept ${value}`);
    variable = value;
  }

  return {
    async work(life) {
      const { owner } = life;
      const saving = IDS.map((id) => {
        const at = {};
        return untilGone(life, () => saveFlow(owner, id, at));
      });
      await Promise.all([...saving, untilGone(life, () => saveVariable(owner))]);
    },
    async check(life) {
      for (const name of readdirSync(flows).filter((file) => !file.startsWith('.')))
        if (!isJson(join(flows, name))) torn.add(name);
      for (const id of IDS) await checkFlow(life, id);
      await checkVariable(life.owner);
    },
    settle: async () => {},
    lines: () => [fact('saves', writes + variable), torn.line(), lost.line(), refused.line()],
    [Symbol.asyncDispose]: async () => {},
  };
}

function numbered(id: Id, n: number) {
  return helloFlow(id, `/${id}`, { template: `${n} ${WEIGHT}`, trigger: { request: undefined } });
}

function isJson(path: string): boolean {
  try {
    JSON.parse(readFileSync(path, 'utf8'));
    return true;
  } catch {
    return false;
  }
}
