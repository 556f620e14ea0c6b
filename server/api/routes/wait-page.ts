import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DecideBody, isForPeople, type WaitInfo } from '#shared/wait.ts';
import { askedFields, changedArguments, typedForm } from '#shared/wait-form.ts';
import { audit } from '../../access/security/audit.ts';
import { sharerOf } from '../../access/security/client-address.ts';
import type { Context } from './context.ts';
import { addRoutes, defineRoute } from './define-route.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import {
  faultsOf,
  fileEntries,
  filesFull,
  filesRefused,
  isFormType,
  keptFiles,
  readForm,
  type Sent,
  sentIn,
} from '../forms/form-body.ts';
import { FORM_SCRIPT, FORM_SCRIPT_HASH } from '../../base/pages/form-script.ts';
import { discardUnheld } from '../triggers/input.ts';
import { earlyFlow, refuseLost } from '../../execution/waits/wait-store.ts';
import { FIELD } from '../../base/pages/fields.ts';
import { pageHeaders } from '../../base/pages/html.ts';
import {
  goesOnPage,
  goneRunPage,
  lastPage,
  notYetPage,
  programPage,
  type Refused,
  waitPage,
  wrongLinkPage,
} from '../../execution/waits/wait-html.ts';
import { nextPage } from '../../execution/waits/next-page.ts';
import { readPart } from '../../base/requests/read-part.ts';

const page = () => ({ 'text/html': undefined });

const show = defineRoute({
  method: 'GET',
  url: '/wait/:id',
  scope: 'public',
  servedAt: 'triggers',
  tag: 'Waits',
  summary: 'Get the page where anyone with the link decides, without a login.',
  content: page,
  errors: ['wait_not_found', 'forbidden'],
  async handle(ctx, { request, reply, params: { id } }) {
    const token = tokenIn(request);
    if (!(await ctx.waitLinks.isToken(id, token))) return html(reply.code(403), wrongLinkPage());
    const wait = await ctx.waits.get(id);
    if (wait && !isForPeople(wait.ask)) return html(reply, programPage());
    if (wait?.ask.sender === true && wait.status === 'decided') return goOn(ctx, reply, wait);
    if (wait) return html(reply, waitPage(wait, token));
    const isComing = (await earlyFlow(ctx, id)) !== undefined;
    return isComing ? html(reply, notYetPage()) : html(reply.code(404), goneRunPage());
  },
});

const decide = defineRoute({
  method: 'POST',
  url: '/wait/:id',
  scope: 'public',
  servedAt: 'triggers',
  tag: 'Waits',
  summary: 'Submit the decision of that page; redirects back to it.',
  uploads: ['application/x-www-form-urlencoded', 'multipart/form-data'],
  content: page,
  status: 303,
  errors: ['wait_decided', 'wait_expired', 'wait_void', 'wait_answer_invalid', 'forbidden'],
  /** Strangers cannot make the server read a body. */
  async beforeBody({ waitLinks }, request, reply) {
    const { id } = request.params as { id: string };
    if (!(await waitLinks.isToken(id, tokenIn(request)))) return html(reply.code(403), wrongLinkPage());
    assertForm(request.headers['content-type']);
    return undefined;
  },
  async handle(ctx, { request, reply, params: { id } }) {
    const { waits } = ctx;
    discardUnheld(ctx.files, request, reply);
    const token = tokenIn(request);
    const wait = await waits.get(id);
    if (!wait || !isForPeople(wait.ask)) return unanswerable(reply, wait);
    const who = `wait ${id}`;
    const sent = await sentIn(request.body, askedFields(wait.ask), {
      uploads: ctx.uploads,
      who: async () => who,
    });
    const { typed } = sent;
    const keep = (): Promise<boolean> =>
      ctx.uploads.keepForGuest(who, sent.handles, sharerOf('address', request));
    try {
      await refuseLost(ctx, wait);
      if (sent.faults.size > 0) throw filesRefused('wait_answer_invalid');
      const by = senderOf(typed);
      if (sent.isFull || !(await keep())) throw filesFull();
      // Before the decision, which may reach the run at once.
      await ctx.files.give(sent.handles, { kind: 'run', id: wait.run });
      const { flow } = await waits.decide(id, decisionOf(wait, sent, by));
      audit(ctx, request, 'wait decided', { wait: id, flow, decision: typed['decision'], by });
    } catch (error) {
      if (!isForSender(error)) throw error;
      const isKept = await keep();
      const now = (await waits.get(id)) ?? wait;
      const refused = { ...refusedAs(error, sent), ...(!isKept && { kept: new Map() }) };
      return html(reply.code(error.status), waitPage(now, token, refused));
    }
    const location = `/wait/${encodeURIComponent(id)}?token=${token}`;
    if (request.headers['accept'] === 'application/json') return reply.code(200).send({ location });
    return reply.redirect(location, 303);
  },
});

/**
 * `/wait/<id>?token=…`: where a person without a login decides. GET never decides, so programs that follow links in
 * messages do no harm; POST needs the token too, which no page of another origin knows.
 */
export default async function waitPageRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    const { id } = request.params as { id: string };
    const wait = await ctx.waits.get(id);
    return readForm(request, wait === undefined ? [] : askedFields(wait.ask), ctx);
  });
  addRoutes(app, ctx, [show, decide]);
}

/** Leads from a page that was sent to the next one, or shows that the run goes on or has ended. */
async function goOn(ctx: Context, reply: FastifyReply, wait: WaitInfo): Promise<FastifyReply> {
  const view = await ctx.durable.get(wait.run);
  if (view === undefined) return html(reply, lastPage(wait, { status: 'ok' }));
  const next = await nextPage(view, ctx.waitLinks);
  if (next !== undefined) return reply.redirect(next, 303);
  const isGoing = view.endedAt === undefined && view.answer === undefined;
  return html(
    reply,
    isGoing
      ? goesOnPage(wait)
      : lastPage(wait, { ...view, ...(view.endedAt === undefined && { status: 'ok' }) }),
  );
}

function senderOf({ by = '' }: Sent['typed']): string {
  return `${by.trim().slice(0, 100) || 'somebody'} (by link)`;
}

/** The page of a wait that nobody can decide there. */
function unanswerable(reply: FastifyReply, wait: WaitInfo | undefined): FastifyReply {
  return wait ? html(reply.code(422), programPage()) : html(reply.code(404), goneRunPage());
}

function tokenIn({ query }: FastifyRequest): string {
  const { token } = query as { token?: unknown };
  return typeof token === 'string' ? token : '';
}

function assertForm(contentType: string | undefined): void {
  if (isFormType(contentType)) return;
  throw new ServiceError(
    'unsupported_media_type',
    'Send the form of the page (application/x-www-form-urlencoded or multipart/form-data); programs use POST /api/v1/waits/{id}/decide.',
  );
}

function decisionOf({ ask }: WaitInfo, sent: Sent, by: string) {
  const { typed } = sent;
  const { decision, comment } = readPart(
    DecideBody,
    { decision: typed['decision'], comment: typed['comment'] ?? '' },
    'body',
  );
  const fields = askedFields(ask);
  const texts = typedForm(fields, (name) => typed[FIELD + name] ?? '');
  const data = { ...texts, ...fileEntries(fields, sent) };
  const given = { decision, comment, by, via: 'link' as const };
  if (ask.kind === 'form') return { ...given, data };
  const changed = ask.kind === 'tool' && decision === 'approved' ? changedArguments(ask, texts) : undefined;
  return { ...given, ...(changed && { data: changed }) };
}

/** Whether the sender can do something about the error. */
function isForSender(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.status < 500 || error.code === 'uploads_full');
}

function refusedAs(error: ServiceError, sent: Sent): Refused {
  const faults = faultsOf(error, sent.faults);
  const message = faults.size > 0 ? 'Check the marked fields.' : error.message;
  return { sent: sent.typed, faults, message, kept: keptFiles(sent) };
}

function html(reply: FastifyReply, text: string): FastifyReply {
  const needs = text.includes(FORM_SCRIPT) ? { script: FORM_SCRIPT_HASH } : {};
  return reply.headers(pageHeaders(needs)).send(text);
}
