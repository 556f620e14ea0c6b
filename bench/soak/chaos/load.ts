import { setTimeout as sleep } from 'node:timers/promises';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { WaitPage } from '#shared/wait.ts';
import { type Answer, ask, triggerPrefix } from '../../../tests/support/client.ts';
import type { Random } from '../random.ts';
import type { Cluster, Process } from './cluster.ts';
import type { Effects } from './effects.ts';
import type { EntryLog } from './entries.ts';
import type { Drawn } from './flows.ts';
import { OLD_MS } from './judge.ts';

/** How long a process may take for an answer before another one is asked, in milliseconds. */
const PATIENCE_MS = 20_000;
/** How long all of them together may take: longer than any fault, in milliseconds. */
const ANSWER_LIMIT_MS = 300_000;
/** Share of the runs that are cancelled, and of the calls that are repeated elsewhere under their key. */
const SHARE = { cancelled: 0.06, repeated: 0.2 };
/** How long a revoked key is still tried, in milliseconds. */
const TRIES_MS = 22_000;

interface Parts {
  readonly cluster: Cluster;
  readonly effects: Effects;
  readonly log: EntryLog;
  readonly flows: readonly Drawn[];
  readonly random: Random;
}

/** Everything that callers and people do, at whichever process answers. What was acknowledged is written down. */
export class Load {
  private readonly parts: Parts;
  private readonly versions = new Map<string, number>();
  private readonly revisions = new Map<string, string>();
  private readonly retried = new Set<string>();
  private names = 0;
  private keys = 0;
  /** Answers that were neither a success nor what may be. */
  readonly surprises: string[] = [];

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Makes the flow, or its next version. */
  async publish(flow: Drawn): Promise<void> {
    const version = (this.versions.get(flow.id) ?? 0) + 1;
    const text = flow.text(version);
    const revision = this.revisions.get(flow.id);
    const answer =
      revision === undefined
        ? await this.insist('POST', '/flows', { text })
        : await this.insist('PUT', `/flows/${flow.id}`, { text, revision });
    // The answer to an earlier attempt was lost: the next one begins with what is there.
    const saved = answer.status < 300 ? answer : await this.insist('GET', `/flows/${flow.id}`);
    this.revisions.set(flow.id, (saved.body as { data: { revision: string } }).data.revision);
    if (answer.status >= 300 && answer.status !== 409)
      this.surprises.push(`publish: ${answer.status} ${answer.text}`);
    this.versions.set(flow.id, version);
    const { id, parents, maxRuns } = flow;
    this.parts.log.add({
      kind: 'flow',
      at: Date.now(),
      flow: id,
      version: String(version),
      parents,
      maxRuns,
    });
  }

  /** Starts a run under a key of its own; some are cancelled later. */
  async begin(): Promise<void> {
    const { flows, random, log } = this.parts;
    const { id } = flows[random.between(0, flows.length - 1)] as Drawn;
    const name = `run-${++this.names}`;
    const [isRepeated, isCancelled] = [random.next() < SHARE.repeated, random.next() < SHARE.cancelled];
    const cancelMs = random.between(200, 6000);
    const init = { method: 'POST', headers: { 'idempotency-key': name } };
    const askedAt = Date.now();
    for (let left = isRepeated ? 2 : 1; left > 0; left--) {
      const answer = await this.ask(`${triggerPrefix}/${id}?name=${name}`, init, {
        isTaken: ({ status }) => status === 202,
      });
      const { run } = answer.body as AcceptedRun;
      log.add({ kind: 'accepted', at: Date.now(), askedAt, run, name, flow: id });
      if (left > 1 || !isCancelled) continue;
      await sleep(cancelMs);
      const cancelled = await this.insist('POST', `/runs/${run}/cancel`);
      if (cancelled.status === 202) log.add({ kind: 'cancelled', at: Date.now(), run });
      else if (cancelled.status !== 409) this.surprises.push(`cancel: ${cancelled.status} ${cancelled.text}`);
    }
  }

  /** Approves what is asked, at any process. */
  async approve(): Promise<void> {
    const { log } = this.parts;
    const listed = await this.insist('GET', '/waits?status=open&limit=100');
    if (listed.status !== 200) return void this.surprises.push(`waits: ${listed.status} ${listed.text}`);
    for (const { id, run } of (listed.body as { data: WaitPage }).data.waits) {
      const { status, text } = await this.insist('POST', `/waits/${id}/decide`, { decision: 'approved' });
      if (status === 200) log.add({ kind: 'decided', at: Date.now(), run, wait: id });
      else if (status !== 409) this.surprises.push(`decision: ${status} ${text}`);
    }
  }

  /** Retries the runs whose failure was told. */
  async retry(): Promise<void> {
    for (const run of this.parts.effects.takeFailed()) {
      // An end may be told twice, and a second retry would be another run.
      if (this.retried.has(run)) continue;
      this.retried.add(run);
      const answer = await this.once('POST', `/runs/${run}/retry`, {});
      if (answer?.status === 202) {
        const { run: as } = (answer.body as { data: { run: string } }).data;
        this.parts.log.add({ kind: 'retried', at: Date.now(), run, as });
      } else if (isTaken(answer)) this.surprises.push(`retry: ${answer.status} ${answer.text}`);
    }
  }

  /** Makes a key, uses it, revokes it, and tries it at all processes. */
  async revoke(): Promise<void> {
    const { cluster, log } = this.parts;
    const name = `key-${++this.keys}`;
    const made = await this.insist('POST', '/keys', { name, scopes: ['flows:read'] });
    // An attempt whose answer was lost has made it: nobody has it then.
    if (made.status !== 201) return;
    const { key } = (made.body as { data: { key: string } }).data;
    const headers = { authorization: `Bearer ${key}` };
    // A process that stood still, or heard nothing, does not know it yet.
    const unknownUntil = Date.now() + OLD_MS;
    await this.ask(
      '/api/v1/flows',
      { headers },
      {
        isTaken: ({ status }) => status === 200,
        mayBe: ({ status }) => status === 401 && Date.now() < unknownUntil,
      },
    );
    await this.insist('DELETE', `/keys/${name}`);
    const at = Date.now();
    log.add({ kind: 'revoked', at, key: name });
    await Promise.all(
      cluster.processes.map(async (node) => {
        while (Date.now() < at + TRIES_MS) {
          const status = await statusAt(node, headers);
          if (status !== undefined)
            log.add({ kind: 'tried', at: Date.now(), key: name, node: node.name, status });
          await sleep(300);
        }
      }),
    );
  }

  /** The answer of a process that could give one. */
  private insist(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.ask(`/api/v1${path}`, this.request(method, body), { isTaken });
  }

  /** For what nobody may ask twice: undefined if the answer was lost. */
  private async once(method: string, path: string, body: unknown): Promise<Answer | undefined> {
    const { cluster, random } = this.parts;
    const there = cluster.processes.filter(({ url }) => url !== undefined);
    const node = there[random.between(0, there.length - 1)];
    if (node?.url === undefined) return undefined;
    const init = { ...this.request(method, body), signal: AbortSignal.timeout(PATIENCE_MS) };
    return ask(`${node.url}/api/v1${path}`, init).catch(() => undefined);
  }

  private request(method: string, body: unknown): RequestInit {
    const { headers } = this.parts.cluster;
    return {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
  }

  /** Asks one process after the other, by chance, until one gives an answer that is taken. */
  private async ask(
    path: string,
    init: RequestInit,
    { isTaken, mayBe = () => false }: Record<'isTaken', Accepts> & Partial<Record<'mayBe', Accepts>>,
  ): Promise<Answer> {
    const { cluster, random } = this.parts;
    const limit = performance.now() + ANSWER_LIMIT_MS;
    const met = new Map<string, string>();
    for (let attempt = 1; performance.now() < limit; attempt++) {
      const node = cluster.processes[random.between(0, cluster.processes.length - 1)] as Process;
      if (node.url !== undefined) {
        const signal = AbortSignal.timeout(PATIENCE_MS);
        const answer = await ask(`${node.url}${path}`, { ...init, signal }).catch((error: unknown) => {
          met.set(node.name, String(error));
        });
        if (answer && isTaken(answer)) return answer;
        if (answer) met.set(node.name, `${answer.status} ${answer.text}`);
        if (answer && answer.status < 500 && answer.status !== 429 && !mayBe(answer))
          this.surprises.push(`${path} at ${node.name}: ${answer.status} ${answer.text}`);
      } else met.set(node.name, 'is not there');
      await sleep(Math.min(20 * attempt, 500));
    }
    throw new Error(
      `No process answers ${init.method ?? 'GET'} ${path}: ${JSON.stringify(Object.fromEntries(met))}`,
    );
  }
}

type Accepts = (answer: Answer) => boolean;

function isTaken(answer: Answer | undefined): answer is Answer {
  return answer !== undefined && answer.status < 500 && answer.status !== 429;
}

/** Undefined if it gave no answer. */
async function statusAt(node: Process, headers: Record<string, string>): Promise<number | undefined> {
  if (node.url === undefined) return undefined;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answer = await ask(`${node.url}/api/v1/flows?limit=1`, { headers, signal }).catch(() => undefined);
  return answer?.status;
}
