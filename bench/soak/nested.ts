import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { WaitPage } from '#shared/wait.ts';
import { freePort, newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { canInstallRestate } from '../../tests/runner/services.ts';
import { startRestate } from '../../tests/services/restate-server.ts';
import { call } from '../../tests/support/client.ts';
import { writeFlows } from '../flows.ts';
import type { Line } from '../harness.ts';
import { type LaunchOptions, startWeft, tempFolder } from '../servers.ts';
import { endOf, stepLines } from './durable.ts';
import { faultList, type Life, lifeOf, untilGone } from './killed-load.ts';
import { drawNested, type NestedFlow } from './nested-flow.ts';
import { startOutside } from './outside.ts';
import { fact, pause, type SoakContext, type SoakPart } from './part.ts';

const PACE_MS = 60;
const FLOWS = 8;
/** Milliseconds from the start of a life to its kill, at most. */
const LIFE_MS = 1500;
/** How long no run may end once nothing is killed any more, in milliseconds. */
const SETTLE_MS = 240_000;
const PASSWORD = 'a password of the soak';

/** The settings of the servers; what it starts for them is disposed with `stack`. */
type Where = (stack: AsyncDisposableStack) => Promise<Record<string, string>>;

/** Runs of random flows in flows, killed again and again: none is lost, and no finished step is repeated. */
function nestedKills(name: string, title: string, where: Where): SoakPart {
  return {
    name,
    title,
    async run({ random, short, say }: SoakContext): Promise<Line[]> {
      const count = short ? 4 : 300;
      using folder = tempFolder();
      await using stack = new AsyncDisposableStack();
      await using outside = await startOutside({
        random: random.fork('outside'),
        rankOf: (step) => Number(step.slice(1)),
        moody: 'none',
      });
      const drawn = Array.from({ length: FLOWS }, (_, i) =>
        drawNested(`nested${i}`, outside.url, random.fork(`f${i}`)),
      );
      const options: LaunchOptions = {
        env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1', WEFT_ADMIN_PASSWORD: PASSWORD, ...(await where(stack)) },
        anyCore: true,
      };
      const load = new Nested(drawn);
      const flows = drawn.flatMap((one) => one.flows);
      if (options.env?.['WEFT_DATABASE_URL'] === undefined) writeFlows(join(folder.path, 'flows'), flows);
      else {
        await using server = await startWeft(folder.path, options);
        const { owner } = await lifeOf(server, PASSWORD);
        for (const flow of flows)
          await owner.data('POST', '/flows', { text: JSON.stringify(flow), mode: 'publish' });
      }
      for (let kill = 0; kill < count; kill++) {
        const server = await startWeft(folder.path, options);
        const life = await lifeOf(server, PASSWORD);
        const working = load.work(life);
        await sleep(random.between(0, LIFE_MS));
        const ended = once(server.child, 'exit');
        server.child.kill('SIGKILL');
        await ended;
        await working;
        if (kill % 10 === 9) say(`${kill + 1} kills, ${load.accepted.size} runs`);
      }
      await using server = await startWeft(folder.path, options);
      await load.settle(await lifeOf(server, PASSWORD));
      return [fact('kills', count), ...load.lines(outside.runs), ...stepLines(outside)];
    },
  };
}

class Nested {
  readonly accepted = new Map<string, { readonly flow: NestedFlow; readonly url: string }>();
  private readonly drawn: readonly NestedFlow[];
  private readonly refused = faultList('runs and decisions that were refused');
  private readonly unfinished = faultList('accepted runs that did not end well');
  private calls = 0;
  private approved = 0;

  constructor(drawn: readonly NestedFlow[]) {
    this.drawn = drawn;
  }

  async work(life: Life): Promise<void> {
    await Promise.all([untilGone(life, () => this.begin(life)), untilGone(life, () => this.approve(life))]);
  }

  async settle(life: Life): Promise<void> {
    let limit = performance.now() + SETTLE_MS;
    const left = new Map(this.accepted);
    while (left.size > 0 && performance.now() < limit) {
      await this.approve(life);
      for (const [name, { url }] of left) {
        const end = await endOf(life, url);
        if (end === undefined) continue;
        left.delete(name);
        limit = performance.now() + SETTLE_MS;
        if (end !== 'ok') this.unfinished.add(`run ${name}: ${end}`);
      }
    }
    for (const [name, { flow }] of left) this.unfinished.add(`run ${name} of ${flow.id} goes on`);
  }

  lines(seen: ReadonlyMap<string, ReadonlyMap<string, unknown>>): Line[] {
    const lost = faultList('steps of ended runs that the outside did not see');
    let steps = 0;
    for (const [name, { flow }] of this.accepted) {
      for (const [suffix, step] of flow.steps) {
        steps++;
        if (seen.get(name + suffix)?.has(step) !== true) lost.add(`${step} of ${name}${suffix} (${flow.id})`);
      }
    }
    return [
      fact('nested runs accepted', this.accepted.size),
      fact('their steps', steps),
      fact('approvals', this.approved),
      this.unfinished.line(),
      lost.line(),
      this.refused.line(),
    ];
  }

  private async begin(life: Life): Promise<void> {
    const name = `n${this.calls++}`;
    const flow = this.drawn[this.calls % this.drawn.length] as NestedFlow;
    const { status, body, text } = await call(life, `/${flow.id}?run=${name}`);
    if (status === 202) this.accepted.set(name, { flow, url: (body as AcceptedRun).statusUrl });
    else if (status !== 503) this.refused.add(`${status} ${text}`);
    await pause(PACE_MS);
  }

  private async approve({ owner }: Life): Promise<void> {
    const listed = await owner.api('GET', '/waits?limit=100');
    // On a busy machine a server may not reach its database for a moment.
    const isAway = listed.status === 503;
    if (listed.status !== 200 && !isAway) this.refused.add(`waits: ${listed.status} ${listed.text}`);
    const { waits } = listed.status === 200 ? (listed.body as { data: WaitPage }).data : { waits: [] };
    for (const { id } of waits) {
      const { status, text } = await owner.api('POST', `/waits/${id}/decide`, { decision: 'approved' });
      if (status === 200) this.approved++;
      // Decided before the kill, which took only the answer away; or it is asked for again.
      else if (status !== 409 && status !== 503) this.refused.add(`decision: ${status} ${text}`);
    }
    await pause(PACE_MS);
  }
}

export const nestedOnFolder: SoakPart = nestedKills(
  'nested',
  'Kills (-9) over random flows in flows, on a data folder',
  async () => ({}),
);

export const nestedOnPostgres: SoakPart = nestedKills(
  'nested-postgres',
  'Kills (-9) over random flows in flows, on PostgreSQL',
  onDatabase,
);

export const nestedOnRestate: SoakPart = nestedKills(
  'nested-restate',
  'Kills (-9) over random flows in flows, on Restate',
  async (stack) => {
    if (!canInstallRestate()) throw new Error('The server of Restate could not be installed.');
    const [node] = await startRestate();
    if (node === undefined) throw new Error('Restate has not started.');
    stack.defer(() => node.kill());
    return {
      ...(await onDatabase()),
      WEFT_RESTATE_URL: node.url,
      WEFT_RESTATE_ADMIN_URL: node.adminUrl,
      WEFT_RESTATE_PORT: String(await freePort()),
    };
  },
);

async function onDatabase(): Promise<Record<string, string>> {
  return {
    WEFT_DATABASE_URL: await newDatabase(),
    WEFT_SECRETS_KEY: randomBytes(32).toString('base64'),
  };
}
