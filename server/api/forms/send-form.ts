import type { FastifyReply, FastifyRequest } from 'fastify';
import { type RunAnswer, WeftError } from '#engine';
import { errorEntry } from '#shared/errors.ts';
import { typedForm } from '#shared/wait-form.ts';
import { isStream } from '#shared/json.ts';
import { headOfFile, runError, sendWritten, writeAnswer } from '../../access/answers/answer.ts';
import { heldFile, sendFile } from '../../access/answers/file-answer.ts';
import { collect } from '../../access/answers/serialise.ts';
import type { DurableRuns, DurableView } from '../../execution/durable/durable-runs.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import { type Fault, FIELD, takesFiles } from '../../base/pages/fields.ts';
import { headersFor } from '../../base/pages/html.ts';
import { type RunLimits, withPlace } from '../../execution/runs/run-limits.ts';
import type { RunHub } from '../../execution/runs/run-types.ts';
import { sharerOf } from '../../access/security/client-address.ts';
import { addRateHeaders } from '../../access/security/guard.ts';
import { shownHeaders } from '../triggers/input.ts';
import { dispositionWith } from '../../storage/file-store/disposition.ts';
import type { Files } from '../../storage/file-store/files.ts';
import type { Uploads } from '../../storage/file-store/held-values.ts';
import type { Form } from './form.ts';
import { faultsOf, fileEntries, filesFull, filesRefused, keptFiles, type Sent } from './form-body.ts';
import { type Filled, formHtml, leadHtml, resultHtml, sentHtml, TRAP } from './form-html.ts';
import type { WaitLinks } from '../../execution/waits/links.ts';
import { nextPage } from '../../execution/waits/next-page.ts';
import { freshOnce, type OnceDeps } from './once.ts';
import { FORM_SCRIPT_HASH } from '../../base/pages/form-script.ts';

export interface SendDeps extends OnceDeps {
  readonly runs: RunHub;
  readonly durable: DurableRuns;
  readonly limits: RunLimits;
  readonly files: Files;
  readonly uploads: Uploads;
  readonly waitLinks: WaitLinks;
}

/** A form as it arrived. */
export interface SentForm extends Sent {
  readonly form: Form;
  /** The address of the page. */
  readonly address: string;
  /** The mark of the page that it was sent from, if that is ours. */
  readonly once: string | undefined;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** How long a sender waits for the result of a durable run before the message is shown instead, in milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * Checks the entered values, starts the run and answers with a page. A refused form comes back with the typed values
 * and the problems. A sender that fills in the hidden field gets the usual message, and starts nothing.
 */
export async function sendForm(deps: SendDeps, sent: SentForm): Promise<FastifyReply> {
  const { form, typed, request, reply } = sent;
  try {
    const { flow, node } = form.route;
    const limited = { kind: 'form', id: `${flow.id} ${node}`, of: flow.id, rate: form.rate } as const;
    addRateHeaders(reply, await request.server.rates.count(limited, sharerOf(form.rate.by, request)));
    if ((typed[TRAP] ?? '') !== '') {
      request.log.info({ reqId: request.id, flow: flow.id }, 'a form was filled in by a program');
      return thank(sent);
    }
    const entered = enteredIn(sent);
    if (!(await countFiles(deps, sent))) throw filesFull();
    return await startAndAnswer(deps, sent, entered);
  } catch (error) {
    return formAgain(deps, sent, error);
  }
}

/** Files count as those of a guest for a day or two, also when a run has got them; false if they do not fit. */
async function countFiles(deps: SendDeps, { form, once, handles, request }: SentForm): Promise<boolean> {
  if (handles.length === 0) return true;
  const who = holderOf(form, once ?? (await freshOnce(deps, form)));
  return deps.uploads.keepForGuest(who, handles, sharerOf('address', request));
}

function enteredIn(sent: SentForm): unknown {
  const { fields, model } = sent.form;
  const texts = typedForm(fields, (name) => sent.typed[FIELD + name] ?? '');
  const data = { ...texts, ...fileEntries(fields, sent) };
  const entered = model.fromJson(data, {}, JSON.stringify(data).length);
  if (sent.isFull) throw filesFull();
  if (sent.faults.size > 0) throw filesRefused('invalid_request');
  return entered;
}

/** The name under which files are kept from one try to the next; undefined if no proof of it exists. */
export function senderOf(form: Form, once: string | undefined): string | undefined {
  return once === undefined ? undefined : holderOf(form, once);
}

/** The holder of the files that come from one page of a form. */
function holderOf({ route: { flow, node } }: Form, once: string): string {
  return `form ${flow.id} ${node} ${once}`;
}

function startAndAnswer(deps: SendDeps, sent: SentForm, data: unknown): Promise<FastifyReply> {
  const { flow, node } = sent.form.route;
  const headers = shownHeaders(sent.request.raw);
  const start: RunRequest = {
    flow,
    trigger: node,
    request: { method: 'POST', body: data, query: {}, params: {}, headers },
    output: data,
    source: 'form',
    ...(sent.handles.length > 0 && { files: sent.handles }),
  };
  return sent.form.durable ? beginLasting(deps, sent, start) : begin(deps, sent, start);
}

async function begin({ runs, files }: SendDeps, sent: SentForm, start: RunRequest): Promise<FastifyReply> {
  const run = runs.start(await withPlace(runs, start));
  sent.reply.header('x-weft-run', run.id);
  if (sent.form.after !== 'result') return thank(sent);
  const answer = await new Promise<RunAnswer>((resolve) => run.onAnswer(resolve));
  return showResult(sent, answer, { files, run: run.id });
}

async function beginLasting(
  { durable, limits, files, waitLinks }: SendDeps,
  sent: SentForm,
  start: RunRequest,
): Promise<FastifyReply> {
  const { form, once, reply } = sent;
  limits.check(start);
  const key = once === undefined ? undefined : `form:${start.flow.id} ${start.trigger} ${once}`;
  const { run, created } = await durable.start(start, { key });
  // Before the answer, after which files without a holder are deleted.
  if (created) await files.give(sent.handles, { kind: 'run', id: run });
  reply.header('x-weft-run', run);
  if (form.after !== 'result') return thank(sent);
  const late = AbortSignal.timeout(PATIENCE_MS);
  const view = await durable.settled(run, late).catch((error: unknown) => {
    if (late.aborted) return undefined;
    throw error;
  });
  if (view === undefined) return thank(sent);
  const next = await nextPage(view, waitLinks);
  return next === undefined ? showEnd(sent, view, { files, run }) : reply.redirect(next, 303);
}

function showEnd(
  sent: SentForm,
  { status, answer, error }: DurableView,
  held: HeldBy,
): Promise<FastifyReply> | FastifyReply {
  if (status === 'failed') throw error ? runError(error) : new WeftError('node_failed', 'The run failed.');
  if (status === 'cancelled') throw new ServiceError('run_cancelled');
  if (status !== 'ok') return thank(sent);
  if (answer === undefined || answer.status === 204) return showResult(sent, { kind: 'empty' }, held);
  const { status: code, headers, body } = answer;
  return showResult(sent, { kind: 'value', status: code === 200 ? undefined : code, headers, body }, held);
}

/** By a redirect, so that reloading the page sends nothing again. */
function thank({ form, address, request, reply }: SentForm): FastifyReply {
  const to = (form.after === 'redirect' ? form.redirect : undefined) ?? `${address}?${SENT}`;
  // A script must not follow a redirect to another site, but go there.
  if (request.headers['accept'] === 'application/json') return reply.code(200).send({ location: to });
  return reply.redirect(to, 303);
}

/** The query of the page that thanks the sender. */
export const SENT = '_sent=1';

export function thankYou(form: Form, address: string): string {
  return sentHtml(form, form.message, address);
}

/** The files of a run. */
interface HeldBy {
  readonly files: Files;
  readonly run: string;
}

const settings = { as: 'json', status: 200, headers: undefined } as const;

/** A flow that sets headers writes its own page, which goes into a sandbox like all answers of flows. */
async function showResult(sent: SentForm, answer: RunAnswer, held: HeldBy): Promise<FastifyReply> {
  const { form, address, reply } = sent;
  if (answer.kind === 'error') throw runError(answer.error);
  if (answer.kind === 'empty') return thank(sent);
  const { status, headers } = answer;
  const body = isStream(answer.body) ? await collect(answer.body) : answer.body;
  if (await sendDownload(reply, { ...answer, body }, held)) return reply;
  if (headers !== undefined) {
    const written = writeAnswer({ ...answer, body }, settings);
    const location = written.headers.find(([name]) => name === 'location')?.[1];
    if (location !== undefined) return page(reply.code(200), leadHtml(form, location), form);
    sendWritten(reply, written);
    return reply;
  }
  return page(reply.code(status ?? 200), resultHtml(form, shownText(body), address), form);
}

/** Sends the file that the flow made, which the browser saves unless the flow requests that it is shown; false for any other answer. */
async function sendDownload(
  reply: FastifyReply,
  answer: Extract<RunAnswer, { kind: 'value' }>,
  { files, run }: HeldBy,
): Promise<boolean> {
  const file = await heldFile(files, { kind: 'run', id: run }, answer.body);
  if (file === undefined) return false;
  const { status, headers } = headOfFile(answer, settings);
  const download = ['content-disposition', `attachment; ${dispositionWith(file.value.name)}`] as const;
  await sendFile(reply, { file, status, headers: [download, ...headers] }, files);
  return true;
}

/** The texts of a stream are one text. */
function shownText(body: unknown): unknown {
  return Array.isArray(body) && body.every((item) => typeof item === 'string') ? body.join('') : body;
}

/** Messages that a flow's author wrote for the sender of the form. */
const BY_AUTHOR: ReadonlySet<string> = new Set(['stopped', 'assertion_failed']);

/** Keeps files that fit, so that they need not be chosen again, but not those of a sender who sends too often: they would only fill the disk. */
async function formAgain(deps: SendDeps, sent: SentForm, error: unknown): Promise<FastifyReply> {
  const { form, typed, once, address, request, reply } = sent;
  const { status, problem, faults } = problemOf(error, sent.faults);
  const isTooOften = error instanceof ServiceError && error.code === 'rate_limited';
  const who = isTooOften ? undefined : senderOf(form, once);
  const isKept =
    who !== undefined && (await deps.uploads.keepForGuest(who, sent.handles, sharerOf('address', request)));
  if (status >= 500) request.log.warn({ err: error, reqId: request.id }, 'a form could not be answered');
  if (error instanceof ServiceError) addRateHeaders(reply, error.headers);
  const filled: Filled = {
    address,
    once: once ?? (await freshOnce(deps, form)),
    typed,
    wasSent: true,
    problem,
    ...(faults && { faults }),
    ...(isKept && { kept: keptFiles(sent) }),
    scripted: mayBeScripted(form),
  };
  return page(reply.code(status), formHtml(form, filled), form);
}

interface Problem {
  readonly status: number;
  readonly problem: string;
  readonly faults?: ReadonlyMap<string, Fault>;
}

const UNKNOWN = 'Something went wrong here, and your entries were not processed. Try again later.';

/** Strangers learn nothing about the inside of a flow. */
function problemOf(error: unknown, files: ReadonlyMap<string, Fault>): Problem {
  if (error instanceof ServiceError) {
    if (error.code !== 'invalid_request') return { status: error.status, problem: error.message };
    return { status: 422, problem: 'Check the marked fields.', faults: faultsOf(error, files) };
  }
  if (error instanceof WeftError) {
    const status = errorEntry(error.code)?.status ?? 500;
    return { status, problem: BY_AUTHOR.has(error.code) ? error.message : UNKNOWN };
  }
  return { status: 500, problem: UNKNOWN };
}

/** Sends a page of the form. */
export function page(reply: FastifyReply, html: string, form?: Form): FastifyReply {
  const leads =
    form?.after === 'redirect' && form.redirect !== undefined ? new URL(form.redirect).origin : undefined;
  const script = form !== undefined && takesFiles(form.fields) ? { script: FORM_SCRIPT_HASH } : {};
  return reply
    .headers(headersFor({ formLeadsTo: leads, framedBy: form?.origins ?? [], ...script }))
    .send(html);
}

/** A flow may answer with a page of its own, which only the browser itself can show. */
export function mayBeScripted({ after }: Form): boolean {
  return after !== 'result';
}
