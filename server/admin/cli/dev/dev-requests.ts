import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions } from 'fastify';
import type { Run } from '#engine';
import type { TriggerTable } from '../../../flows/service/trigger-table.ts';
import type { RunHub } from '../../../execution/runs/run-types.ts';
import { boundEvent, errorLine } from '../../../execution/history/recorded-event.ts';
import type { RunMarks } from '../../../execution/runs/run-marks.ts';
import { redactValue } from '../../../base/secrets/redact-value.ts';
import { MASK, type Redactor } from '../../../base/secrets/redactor.ts';
import type { Change } from '../../../execution/history/diff/json-changes.ts';
import { pathBehind } from '../../../api/triggers/address.ts';
import { triggerPrefix } from '../../../api/triggers/front-door.ts';
import { type Answer, answerDiff } from '../show/answer-diff.ts';
import type { DevEvent, Failure } from './dev-events.ts';

/** A request and its answer. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: FastifyRequest['headers'];
  readonly body: Buffer | undefined;
  /** The flow that ran for it. */
  readonly flow: string | undefined;
  /** Masks its hidden values. */
  readonly masks: Redactor;
  readonly answer: Answer;
}

/** Determines the hidden parts of a request. */
interface Hiding {
  /** Knows the secrets of this command. */
  readonly redactor: Redactor;
  readonly marks: Pick<RunMarks, 'masked'>;
  readonly triggers: Pick<TriggerTable, 'find'>;
}

interface Started {
  readonly run: Run;
  readonly masks: Redactor;
}

/** Watches requests: reports each, and keeps the last one for a replay. */
export interface RequestWatch {
  readonly last: Exchange | undefined;
  /** The run hub, observed: links each request to its run, and reports the logs of runs. */
  readonly runs: RunHub;
  addHooks(app: FastifyInstance): void;
  /** Sends the last request again, reports the changes of its answer, and keeps the new answer. */
  replay(app: FastifyInstance): Promise<void>;
}

/** Methods that start runs. */
const STARTING: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** Limit: callers that disconnected leave their runs in the table. */
const KEPT_RUNS = 1000;
/** Headers of one connection; a replay has its own. */
const CONNECTION_HEADERS = [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
];

export function watchRequests(hub: RunHub, report: (event: DevEvent) => void, hiding: Hiding): RequestWatch {
  const started = new Map<string, Started>();
  const bodies = new WeakMap<FastifyRequest, string>();
  let last: Exchange | undefined;

  function answered(request: FastifyRequest, reply: FastifyReply): void {
    const body = bodies.get(request) ?? '';
    const { run, masks = hiding.redactor } = takeRun(started, reply) ?? {};
    const exchange = exchangeOf(request, reply, { body, flow: run?.flow, masks });
    if (isReplay(request)) return;
    report({
      event: 'request',
      method: request.method,
      url: masks.text(shownUrl(request, hiding.triggers)),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...(run && { run: run.id }),
      ...failureOf(reply.statusCode, masks.text(body), run),
    });
    if (exchange) last = exchange;
    if (run && run.answer?.kind !== 'error') run.onEnd(() => reportLateFailure(run, report, masks));
  }

  return {
    get last() {
      return last;
    },
    runs: watchedRuns(hub, started, report, hiding),
    addHooks(app) {
      app.addHook('onSend', (request, _reply, payload, done) => {
        if (typeof payload === 'string' || Buffer.isBuffer(payload)) bodies.set(request, payload.toString());
        done();
      });
      app.addHook('onResponse', (request, reply, done) => {
        // Requests for the documentation pages are not calls of triggers.
        if (request.routeOptions.config?.scope !== 'public') answered(request, reply);
        done();
      });
    },
    async replay(app) {
      if (!last) return;
      const before = last;
      const { status, headers, body } = await sendAgain(app, before);
      const answer: Answer = { status, type: textHeader(headers['content-type']), body };
      if (last === before) last = { ...before, answer };
      const { method, masks } = before;
      const url = masks.text(shownUrl(before, hiding.triggers));
      const changes = redactValue(answerDiff(before.answer, answer), masks) as Change[];
      report({ event: 'replayed', method, url, status, changes });
    },
  };
}

/** The same hub except for `start`. */
function watchedRuns(
  hub: RunHub,
  started: Map<string, Started>,
  report: (event: DevEvent) => void,
  { redactor, marks }: Hiding,
): RunHub {
  const start: RunHub['start'] = (asked) => {
    const plan = asked.flow.compiled.plans.get(asked.trigger);
    const request = plan === undefined ? asked : marks.masked(plan, asked, redactor);
    const { masks = redactor } = request;
    const run = hub.start(request);
    if (request.part === undefined) {
      if (started.size >= KEPT_RUNS) started.delete(started.keys().next().value as string);
      started.set(run.id, { run, masks });
    }
    run.observe((event) => {
      const bounded = event.kind === 'log' ? boundEvent(event, masks) : event;
      if (bounded.kind === 'log') report({ event: 'log', flow: run.flow, log: bounded });
    });
    return run;
  };
  return new Proxy(hub, { get: (target, key) => (key === 'start' ? start : Reflect.get(target, key)) });
}

function takeRun(started: Map<string, Started>, reply: FastifyReply): Started | undefined {
  const id = textHeader(reply.getHeader('x-weft-run')) ?? '';
  const found = started.get(id);
  started.delete(id);
  return found;
}

/**
 * The URL, without its query if that may contain hidden fields: a refused request has no run that knows their values.
 */
function shownUrl(
  { method, url }: Pick<FastifyRequest, 'method' | 'url'>,
  triggers: Pick<TriggerTable, 'find'>,
): string {
  const query = url.indexOf('?');
  return query !== -1 && hidesFields(method, url, triggers) ? `${url.slice(0, query)}?${MASK}` : url;
}

function hidesFields(method: string, url: string, triggers: Pick<TriggerTable, 'find'>): boolean {
  try {
    const { route } = triggers.find(method, pathBehind(url, triggerPrefix)) ?? {};
    return route?.flow.compiled.plans.get(route.node)?.hidesFields === true;
  } catch {
    // No trigger serves this path.
    return false;
  }
}

/** Undefined if the request cannot be repeated: it starts no run, or was refused before its body was read. */
function exchangeOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, ...of }: { readonly body: string } & Pick<Exchange, 'flow' | 'masks'>,
): Exchange | undefined {
  const { method, url, headers } = request;
  const sent = Buffer.isBuffer(request.body) ? request.body : undefined;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!STARTING.has(method) || (hasBody && sent === undefined)) return undefined;
  const answer = { status: reply.statusCode, type: textHeader(reply.getHeader('content-type')), body };
  return { method, url, headers, body: sent, ...of, answer };
}

/** Requests arrive over a socket; only the replay is injected directly. */
function isReplay(request: FastifyRequest): boolean {
  return !(request.raw.socket instanceof Socket);
}

async function sendAgain(app: FastifyInstance, { method, url, headers, body }: Exchange) {
  const kept = Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.includes(name));
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: Object.fromEntries(kept) as NonNullable<InjectOptions['headers']>,
    ...(body && { payload: body }),
  });
  return { status: response.statusCode, headers: response.headers, body: response.payload };
}

/** The error in the answer's body, with the node where the run failed. */
function failureOf(status: number, body: string, run: Run | undefined): { error?: Failure } {
  if (status < 400) return {};
  const node = run?.answer?.kind === 'error' ? run.answer.error.node : undefined;
  const { err_code: code, err_msg: message } = errorBody(body);
  if (typeof code !== 'string' || typeof message !== 'string') return {};
  return { error: { code, message, ...(node !== undefined && { node }) } };
}

function errorBody(body: string): { err_code?: unknown; err_msg?: unknown } {
  try {
    return (JSON.parse(body) as object | null) ?? {};
  } catch {
    return {};
  }
}

function reportLateFailure(run: Run, report: (event: DevEvent) => void, redactor: Redactor): void {
  const { status, error } = run.outcome ?? {};
  if (status !== 'failed' || !error) return;
  const { code, message, node } = errorLine(error, redactor);
  const failure = { code, message, ...(node !== undefined && { node }) };
  report({ event: 'run-failed', run: run.id, flow: run.flow, error: failure });
}

function textHeader(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
