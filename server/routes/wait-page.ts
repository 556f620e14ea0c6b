import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DecideBody, type WaitInfo } from '#shared/wait.ts';
import { typedForm, waitFields } from '#shared/wait-form.ts';
import { audit } from '../security/audit.ts';
import { readBody } from '../http/read-body.ts';
import type { Context } from './context.ts';
import { addRoutes, defineRoute } from './define-route.ts';
import { ServiceError } from '../errors/errors.ts';
import { pairsToObject, parsePairs } from '../requests/query-string.ts';
import { earlyFlow, refuseLost } from '../waits/early-flow.ts';
import { FIELD } from '../waits/page/fields.ts';
import { pageHeaders } from '../waits/page/html.ts';
import { goneRunPage, notYetPage, type Refused, waitPage, wrongLinkPage } from '../waits/page/page.ts';
import { readPart } from '../requests/read-part.ts';

/** In bytes. A form has a few texts; nobody types a larger one. */
const MAX_FORM = 1024 * 1024;
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
  uploads: ['application/x-www-form-urlencoded'],
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
    const token = tokenIn(request);
    const sent = pairsToObject(parsePairs((request.body as Buffer | undefined)?.toString() ?? ''));
    const wait = await waits.get(id);
    if (!wait) return html(reply.code(404), goneRunPage());
    try {
      await refuseLost(ctx, wait);
      const by = `${sent['by']?.trim().slice(0, 100) || 'somebody'} (by link)`;
      const { flow } = await waits.decide(id, decisionOf(wait, sent, by));
      audit(ctx, request, 'wait decided', { wait: id, flow, decision: sent['decision'], by });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      const now = (await waits.get(id)) ?? wait;
      return html(reply.code(error.status), waitPage(now, token, refusedAs(error, sent)));
    }
    return reply.redirect(`/wait/${encodeURIComponent(id)}?token=${token}`, 303);
  },
});

/**
 * `/wait/<id>?token=…`: where a person without a login decides. GET never decides, so programs that follow links in
 * messages do no harm; POST needs the token too, which no page of another origin knows.
 */
export default async function waitPageRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, _payload, done) => readBody(request, MAX_FORM, done));
  addRoutes(app, ctx, [show, decide]);
}

function tokenIn({ query }: FastifyRequest): string {
  const { token } = query as { token?: unknown };
  return typeof token === 'string' ? token : '';
}

function assertForm(contentType: string | undefined): void {
  if (contentType?.startsWith('application/x-www-form-urlencoded')) return;
  throw new ServiceError(
    'unsupported_media_type',
    'Send the form of the page (application/x-www-form-urlencoded); programs use POST /api/v1/waits/{id}/decide.',
  );
}

function decisionOf({ ask }: WaitInfo, sent: Record<string, string>, by: string) {
  const { decision, comment } = readPart(
    DecideBody,
    { decision: sent['decision'], comment: sent['comment'] ?? '' },
    'body',
  );
  const fields = waitFields(ask.schema);
  const data = typedForm(fields, (name) => sent[FIELD + name] ?? '');
  return { decision, comment, by, via: 'link' as const, ...(ask.kind === 'form' && { data }) };
}

/** `loc` of a problem is `body`, then the field. */
function refusedAs({ message, detail = [] }: ServiceError, sent: Record<string, string>): Refused {
  const problems = detail as readonly { loc: readonly unknown[]; msg: string }[];
  const faults = new Map(problems.map(({ loc, msg }) => [String(loc[1]), msg]));
  const isByField = faults.size > 0;
  return { sent, faults, message: isByField ? 'Some fields must be corrected.' : message };
}

function html(reply: FastifyReply, text: string): FastifyReply {
  return reply.headers(pageHeaders).send(text);
}
